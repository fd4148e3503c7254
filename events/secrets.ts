import { eventSchemas } from './all.js';

/**
 * Event types whose data have a member marked `x-secret`: a hash under a key, a ciphertext, a hash
 * that could be tested with guesses. Such data are for the operator only.
 */
export const secretEventTypes: ReadonlySet<string> = new Set(
  Object.entries(eventSchemas)
    .filter(([, { schema }]) => JSON.stringify(schema).includes('"x-secret":true'))
    .map(([type]) => type),
);
