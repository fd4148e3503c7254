import { streamNameOf, type StreamName } from '../../kernel/ports.js';
import type { Instant } from '../../kernel/schema-types.js';

type ResponseSubject = { readonly project: string | null; readonly run: string | null };

/** Stream of the stored response of an Idempotency-Key, by project and run. */
export const storedResponseStream = ({ project, run }: ResponseSubject, seed: string): StreamName =>
  streamNameOf('idempotency-answer', project ?? 'none', ...(run === null ? [] : [run]), seed);

/** Stream of the salt with which the request hashes of one day are made. */
export const saltStream = (day: string): StreamName => streamNameOf('idempotency-salt', day);
export const dayOf = (at: Instant): string => at.slice(0, 10);
