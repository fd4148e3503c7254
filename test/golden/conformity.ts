import { Errors } from 'typebox/value';
import { eventSchemas } from '../../events/all.js';

/**
 * What is wrong with decoded data of an event type, by today's schema; empty when nothing is. Costs
 * a walk over all of it: for golden files and verification, not for the way of every event
 * (events/codec.ts).
 */
export const nonconformities = (type: string, data: unknown): readonly string[] => {
  const known = Object.hasOwn(eventSchemas, type) ? eventSchemas[type] : undefined;
  if (known === undefined) return [`unknown event type ${type}`];
  return [...Errors(known.schema, data)].map(
    ({ instancePath, message }) => `${type}${instancePath} ${message}`,
  );
};
