/**
 * Upcasting (schema migration on read): for each `Type.version`, the function from data of that
 * version to data of the next. Pure. Empty as long as all types have version 1.
 */
export const upcasts: Readonly<Record<string, (data: unknown) => unknown>> = {};
