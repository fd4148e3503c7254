import type { Traces } from '../generated/traces.js';

/** A trace that the service rejected, with the reason (contract 5.6, rule 8). */
export type RejectedTrace = Awaited<ReturnType<Traces['log']>>['rejected'][number];
