import { Type, type Static } from 'typebox';
import {
  id,
  instant,
  nullish,
  namedSchema,
  nullable,
  oneOf,
  secret,
} from '../kernel/schema-types.js';
import { exampleIds } from './example-ids.js';
import { envelope, message, paged } from './envelope.js';
import { operation } from './operation.js';
import { projectRoles } from './roles.js';

const members = {
  id: id('ApiKeyId'),
  description: Type.String(),
  created_at: instant,
  updated_at: instant,
  created_by: id('UserId'),
  truncated: Type.String(),
  expires_at: nullable(instant),
  last_used: nullable(instant),
  project_id: nullable(id('ProjectId')),
  project_role: nullable(oneOf(projectRoles)),
};
/** API key as listed (contract 4.4): without the value. */
export const apiKey = namedSchema('ApiKey', Type.Object(members));
export type ApiKeyView = Static<typeof apiKey>;

/**
 * Key value that a client may supply; one that begins with `asy_` must also have a valid checksum
 * (contract 4.4).
 */
export const keyValueForm = /^[!-~]{32,255}$/;

export const createApiKey = operation({
  operationId: 'createApiKey',
  summary: 'Create an API key',
  description:
    '`api_key` is shown in this answer only. Without a project the key reaches as far ' +
    'as its creator.',
  example: {
    description: 'nightly evaluation',
    expires_at: '2099-01-01T09:00:00.000000Z',
    project_id: exampleIds.project_id,
    project_role: 'editor',
  },
  section: '4.4',
  method: 'POST',
  path: '/v2/users/api_keys',
  requires: 'api-key',
  // A misspelt role or project would create a stronger key than intended.
  unknownMembers: 'refused',
  body: Type.Object({
    description: Type.String({ maxLength: 1_000 }),
    expires_at: nullish(instant),
    project_role: nullish(oneOf(projectRoles)),
    project_id: nullish(id('ProjectId')),
    api_key: nullish(secret()),
  }),
  /** `api_key` is shown this once; a replay under an Idempotency-Key has `""`. */
  response: namedSchema('NewApiKey', Type.Object({ ...members, api_key: secret() })),
  faults: ['not-found'],
});

export const listApiKeys = operation({
  operationId: 'listApiKeys',
  summary: 'API keys of a user',
  description: 'Revoked and expired keys are left out, and no key shows its value.',
  section: '5.2',
  method: 'GET',
  path: '/v2/users/{user_id}/api_keys',
  requires: 'self',
  query: paged,
  response: envelope('api_keys', apiKey),
});

export const revokeApiKey = operation({
  operationId: 'revokeApiKey',
  summary: 'Revoke an API key and its children',
  description: 'Revoking a revoked key has the same response.',
  section: '5.2',
  method: 'DELETE',
  path: '/v2/users/api_keys/{api_key_id}',
  requires: 'self',
  response: message,
});

export const apiKeyOperations = [createApiKey, listApiKeys, revokeApiKey];
