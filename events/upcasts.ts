/**
 * Upcasts of the data from one version to the next, by `Type.version`. Pure. None is needed yet.
 */
export const upcasts: Readonly<Record<string, (data: unknown) => unknown>> = {};
