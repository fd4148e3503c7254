import { stream, type StreamName } from '../../kernel/ports.js';

/** Of an Idempotency-Key: the answer that speaks of the project. */
export const answerStream = (project: string, seed: string): StreamName =>
  stream('idempotency-answer', project, seed);
export const answersPrefix = (project: string): string =>
  `${stream('idempotency-answer', project)}-`;
