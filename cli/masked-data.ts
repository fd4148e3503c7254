import { withoutSecrets } from '../contract/secrets.js';
import { eventSchemas } from '../events/all.js';
import type { StoredEvent } from '../kernel/ports.js';
import type { Json } from '../kernel/schema-types.js';

/** Data of an event, with `""` for each member that its schema marks as a secret. */
export const maskedData = ({ type, data }: Pick<StoredEvent, 'type' | 'data'>): Json => {
  const known = Object.hasOwn(eventSchemas, type) ? eventSchemas[type] : undefined;
  return (known === undefined ? data : withoutSecrets(known.schema, data)) as Json;
};
