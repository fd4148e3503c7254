import { traceLoggedOf } from './received-trace.js';

/** Reads data of one version as data of version `to`. */
type Upcast = { readonly to: number; readonly read: (data: unknown) => unknown };

/**
 * Upcasting (schema migration on read): for each `Type.version` the next step to the version that
 * all code knows. Pure. Version 2 of `TraceLogged` is another form of version 1.
 */
export const upcasts: Readonly<Record<string, Upcast>> = {
  'TraceLogged.2': { to: 1, read: traceLoggedOf },
  'PriceListSet.1': { to: 2, read: (data) => ({ use_shipped: false, ...(data as object) }) },
};
