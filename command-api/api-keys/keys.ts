import type { ApiKeyCreated, ApiKeyEvent } from '../../events/api-keys.js';
import { reject, type Decide } from '../../kernel/decision.js';
import type { ApiKeyId } from '../../kernel/schema-types.js';
import type { ApiKey } from '../facts/api-keys.js';

export const create =
  (key: ApiKeyCreated): Decide<ApiKey | null, ApiKeyEvent> =>
  (known) =>
    known === null ? [{ type: 'ApiKeyCreated', data: key }] : [];

export const revoke =
  (id: ApiKeyId): Decide<ApiKey | null, ApiKeyEvent> =>
  (key) => {
    if (key === null) return reject('not-found', 'API key not found');
    return key.revoked ? [] : [{ type: 'ApiKeyRevoked', data: { api_key_id: id } }];
  };
