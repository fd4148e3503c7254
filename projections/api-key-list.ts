import type { ApiKeyView } from '../contract/api-keys.js';
import type { ApiKeyEvent } from '../events/api-keys.js';
import { unreachable } from '../kernel/decision.js';
import type { ApiKeyId } from '../kernel/shapes.js';
import type { Projection } from './projection.js';

/** `ancestors` and `revoked` tell whether the key still counts; they are not shown. */
export type ListedApiKey = {
  readonly view: Omit<ApiKeyView, 'last_used'>;
  readonly ancestors: readonly ApiKeyId[];
  readonly revoked: boolean;
};

/** API keys by id, within the user who made them. Revoked ones stay, because their children are judged by them. */
export const apiKeyList: Projection<ApiKeyEvent, ListedApiKey> = {
  collection: { name: 'api_key_list', version: 1, fields: { created_at: 'date' } },
  types: ['ApiKeyCreated', 'ApiKeyRevoked'],
  keys: ({ data }) => [data.api_key_id],
  evolve: (document, { type, data }) => {
    switch (type) {
      case 'ApiKeyCreated':
        return {
          key: data.api_key_id,
          scope: data.created_by,
          fields: { created_at: data.created_at },
          body: {
            view: {
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
            revoked: false,
          },
        };
      case 'ApiKeyRevoked':
        return document && { ...document, body: { ...document.body, revoked: true } };
      default:
        return unreachable(type);
    }
  },
};
