import { stream, type StreamName } from '../../kernel/ports.js';
import type { Instant } from '../../kernel/shapes.js';

type SpokenOf = { readonly project: string | null; readonly run: string | null };

/** Of an Idempotency-Key: the answer that speaks of the project, and of the run in it. */
export const answerStream = ({ project, run }: SpokenOf, seed: string): StreamName =>
  stream('idempotency-answer', project ?? 'none', ...(run === null ? [] : [run]), seed);
export const answersPrefix = (project: string): string =>
  `${stream('idempotency-answer', project)}-`;
export const runAnswersPrefix = (project: string, run: string): string =>
  `${stream('idempotency-answer', project, run)}-`;

/** Of one day: what the hashes of its requests are made with. */
export const saltStream = (day: string): StreamName => stream('idempotency-salt', day);
export const dayOf = (at: Instant): string => at.slice(0, 10);
