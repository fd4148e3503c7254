import { AssayFault, isFault } from '../../clients/typescript/src/fault.js';

/** Ends of a write that are clear: it had no effect. */
const refusals = [
  'invalid_request',
  'conflict',
  'already_exists',
  'precondition_failed',
  'payload_too_large',
  'forbidden',
  'not_found',
] as const;

/** True for an end of a write that is clear: the next one is another, under a key of its own. */
export const isRefusal = (error: unknown): boolean => isFault(error, ...refusals);

/**
 * The fault of a write as its user reads it. A form that was changed after an unclear end is sent
 * under the key of the write before (contract 1.8, rule 3), which was done after all: a conflict.
 */
export const writeFault = (error: unknown): unknown => {
  const isOfKey =
    isFault(error, 'invalid_request') &&
    error.complaints.some(({ loc }) => loc.includes('Idempotency-Key'));
  return isOfKey
    ? new AssayFault('What you sent before was done after all. Look at it, then do this again.', {
        code: 'conflict',
        cause: error,
      })
    : error;
};

/** Fault of a write that is not sent, because its target is not what was shown any more. */
export const changedSince = (): AssayFault =>
  new AssayFault('It was changed since it was shown', { code: 'precondition_failed' });

/**
 * A secret that the service answers once. The repetition of an answer that was lost on its way has
 * the empty text in its place (contract 1.8, rule 4): a fault, with what to do next.
 */
export const secretOf = (secret: string, next: string): string => {
  if (secret !== '') return secret;
  throw new AssayFault(`It was made, but the answer with it was lost on its way. ${next}`, {
    code: 'conflict',
  });
};
