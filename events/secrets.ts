import { eventSchemas } from './all.js';

/**
 * Types whose data have a member marked `x-secret`: a hash under a key, a ciphertext, a hash that
 * could be tested with guesses. Nobody but the operator is shown such data.
 */
export const secretEventTypes: ReadonlySet<string> = new Set(
  Object.entries(eventSchemas)
    .filter(([, { schema }]) => JSON.stringify(schema).includes('"x-secret":true'))
    .map(([type]) => type),
);
