/**
 * From the data of one version to that of the next, by `Type.version`. Pure. None is needed yet.
 */
export const upcasts: Readonly<Record<string, (data: unknown) => unknown>> = {};
