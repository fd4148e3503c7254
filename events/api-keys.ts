// Stored for ever: names and members below are the storage format; versions are in upcasts.ts.
import { Type } from 'typebox';
import { id, instant, nullable, oneOf, secret } from '../kernel/schema-types.js';
import type { Noun } from './noun.js';
import { event, type DataOf, type EventOf } from './schemas.js';

export const apiKeyEvents = {
  /**
   * The value itself is not stored: `value_hash` is its HMAC under a pepper
   * outside the log.
   */
  ApiKeyCreated: event('account create', {
    api_key_id: id('ApiKeyId'),
    organization_id: id('OrganizationId'),
    created_by: id('UserId'),
    value_hash: secret(),
    truncated: Type.String(),
    description: Type.String(),
    /** Set for a bound key (contract 2.4, rule 4). */
    project_id: nullable(id('ProjectId')),
    project_role: nullable(oneOf(['viewer', 'annotator', 'editor', 'owner'])),
    expires_at: nullable(instant),
    /** Keys that it descends from, its parent first: revoked with any of them. */
    ancestors: Type.Array(id('ApiKeyId')),
    created_at: instant,
  }),
  ApiKeyRevoked: event('account delete', { api_key_id: id('ApiKeyId') }),
};

export const apiKeyNoun: Noun = {
  stream: { name: 'api-key-<key>', subject: 'api key', erasedWith: 'nothing' },
  events: apiKeyEvents,
};

export type ApiKeyEvent = EventOf<typeof apiKeyEvents>;

export type ApiKeyCreated = DataOf<ApiKeyEvent, 'ApiKeyCreated'>;
