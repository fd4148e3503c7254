// Stored for ever: names, members and versions below are the storage format.
import { Type, type Static } from 'typebox';
import { id, instant, nullable, oneOf } from '../kernel/shapes.js';

/**
 * Stream `api-key-<key>`. The value itself is nowhere: `value_hash` is its HMAC under a pepper
 * outside the log.
 */
export const apiKeyCreated = Type.Object({
  api_key_id: id('ApiKeyId'),
  organization_id: id('OrganizationId'),
  created_by: id('UserId'),
  value_hash: Type.String(),
  truncated: Type.String(),
  description: Type.String(),
  /** Set: a bound key (contract 2.4, rule 4). */
  project_id: nullable(id('ProjectId')),
  project_role: nullable(oneOf(['viewer', 'annotator', 'editor', 'owner'])),
  expires_at: nullable(instant),
  /** The keys it descends from, its parent first: revoked with any of them. */
  ancestors: Type.Array(id('ApiKeyId')),
  created_at: instant,
});
export const apiKeyRevoked = Type.Object({ api_key_id: id('ApiKeyId') });

export type ApiKeyCreated = Static<typeof apiKeyCreated>;
export type ApiKeyEvent =
  | { readonly type: 'ApiKeyCreated'; readonly data: ApiKeyCreated }
  | { readonly type: 'ApiKeyRevoked'; readonly data: Static<typeof apiKeyRevoked> };
