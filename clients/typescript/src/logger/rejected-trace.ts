import type { Traces } from '../generated/traces.js';

/** A trace that the service did not record, and why (contract 5.6, rule 8). */
export type RejectedTrace = Awaited<ReturnType<Traces['log']>>['rejected'][number];
