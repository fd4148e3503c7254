import type { ApiKeyView } from '../contract/api-keys.js';
import { apiKeyEvents } from '../events/api-keys.js';
import { unreachable } from '../kernel/decision.js';
import type { ApiKeyId } from '../kernel/schema-types.js';
import type { Projection } from './projection.js';

export type ListedApiKey = {
  /** The key's members except `last_used`, which is not an event and is read elsewhere. */
  readonly shown: Omit<ApiKeyView, 'last_used'>;
  /** The keys it descends from, its parent first: it is revoked with any of them. */
  readonly ancestors: readonly ApiKeyId[];
};

/**
 * API keys by id, in the scope of their organisation; revoked ones too, since their children refer
 * to them.
 */
export const apiKeyList: Projection<typeof apiKeyEvents, ListedApiKey> = {
  collection: {
    name: 'api_key_list',
    version: 1,
    fields: { created_by: 'id', created_at: 'date', expires_at: 'date', revoked: 'boolean' },
  },
  events: apiKeyEvents,
  keys: ({ data }) => [data.api_key_id],
  evolve: (document, { type, data }, key) => {
    switch (type) {
      case 'ApiKeyCreated':
        return {
          key,
          scope: data.organization_id,
          fields: {
            created_by: data.created_by,
            created_at: data.created_at,
            expires_at: data.expires_at,
            revoked: false,
          },
          body: {
            shown: {
              id: data.api_key_id,
              description: data.description,
              created_at: data.created_at,
              updated_at: data.created_at,
              created_by: data.created_by,
              truncated: data.truncated,
              expires_at: data.expires_at,
              project_id: data.project_id,
              project_role: data.project_role,
            },
            ancestors: data.ancestors,
          },
        };
      case 'ApiKeyRevoked':
        return document && { ...document, fields: { ...document.fields, revoked: true } };
      default:
        return unreachable(type);
    }
  },
};
