import { Type, type Static } from 'typebox';
import {
  id,
  instant,
  nullable,
  nullish,
  namedSchema,
  oneOf,
  type Instant,
  type IntegrationId,
  type JsonObject,
  type UserId,
} from '../kernel/schema-types.js';
import { message, plainListMax } from './envelope.js';
import { configurations, providers, type Provider } from './integration-providers.js';
import { operation } from './operation.js';
import { permission } from './people.js';
import { integrationPermissions } from './permissions.js';

const provider = oneOf(providers);
/** Integration (contract 4.9), without any of its configuration. */
export const integration = namedSchema(
  'Integration',
  Type.Object({
    id: id('IntegrationId'),
    name: Type.String(),
    provider,
    created_at: instant,
    updated_at: instant,
    created_by: id('UserId'),
    permissions: Type.Array(permission),
    is_selected: Type.Boolean(),
    is_disabled: Type.Boolean(),
  }),
);
type IntegrationRecord = Static<typeof integration>;

const shared = { requires: 'person' } as const;
/** Not an enumeration: an unknown provider is 404, like an unknown path. */
const ofProvider = Type.Object({ provider_segment: Type.String() });
const path = '/v2/integrations';
/** Longer than the name of any model. */
const modelMax = 256;

export const configureIntegration = operation({
  ...shared,
  operationId: 'configureIntegration',
  summary: "Create or replace the caller's integration of a provider",
  description: 'The body depends on the provider. Secrets are sealed and never come back.',
  example: { token: 'sk-...', organization_id: 'org-airline' },
  section: '4.9',
  method: 'PUT',
  path: `${path}/{provider_segment}`,
  kind: 'w',
  conditional: true,
  params: ofProvider,
  body: Type.Unsafe<JsonObject>(Type.Union(Object.values(configurations))),
  bodyBy: { param: 'provider_segment', bodies: configurations },
  response: integration,
  faults: ['not-found', 'forbidden', 'malformed', 'precondition-failed', 'conflict'],
});

export const listIntegrations = operation({
  ...shared,
  operationId: 'listIntegrations',
  summary: "The caller's integrations; an admin's list has the organisation's",
  description: 'Without anything of their configuration.',
  section: '5.9',
  method: 'GET',
  path,
  kind: 'r',
  response: Type.Array(integration, { maxItems: plainListMax }),
  faults: ['forbidden'],
});

export const listProviders = operation({
  ...shared,
  operationId: 'listProviders',
  summary: 'Providers that can be integrated',
  description: 'In alphabetical order.',
  section: '5.9',
  method: 'GET',
  path: `${path}/available`,
  kind: 'r',
  response: Type.Object({ integrations: Type.Array(provider) }),
  faults: ['forbidden'],
});

export const getIntegration = operation({
  ...shared,
  operationId: 'getIntegration',
  summary: "The caller's integration of a provider",
  description: 'Without anything of its configuration.',
  section: '5.9',
  method: 'GET',
  path: `${path}/{provider_segment}`,
  kind: 'r',
  params: ofProvider,
  response: integration,
  faults: ['not-found', 'forbidden'],
});

export const deleteIntegration = operation({
  ...shared,
  operationId: 'deleteIntegration',
  summary: "Delete the caller's integration of a provider and erase its secrets",
  description: 'Its secrets cannot be restored.',
  section: '5.9',
  method: 'DELETE',
  path: `${path}/{provider_segment}`,
  kind: 'w',
  conditional: true,
  params: ofProvider,
  response: message,
  faults: ['not-found', 'forbidden', 'malformed', 'precondition-failed', 'conflict'],
});

export const selectIntegration = operation({
  ...shared,
  operationId: 'selectIntegration',
  summary: 'Select an integration for its provider',
  description: 'Another that was selected for the provider no longer is.',
  section: '5.9',
  method: 'PUT',
  path: `${path}/{integration_id}/select`,
  kind: 'w',
  conditional: true,
  params: Type.Object({ integration_id: id('IntegrationId') }),
  response: integration,
  faults: ['not-found', 'forbidden', 'malformed', 'precondition-failed', 'conflict'],
});

export const disableIntegration = operation({
  ...shared,
  operationId: 'disableIntegration',
  summary: "Disable or enable the caller's integration of a provider",
  description: '`disabled: false` enables it again.',
  example: { integration_name: 'openai', disabled: true },
  section: '5.9',
  method: 'POST',
  path: `${path}/disable`,
  kind: 'w',
  body: Type.Object({
    integration_name: Type.String(),
    disabled: nullish(Type.Boolean({ default: true })),
  }),
  response: integration,
  faults: ['not-found', 'forbidden', 'conflict'],
});

const tokens = Type.Integer();
/** Tokens of a call of a model (contract 3.9). */
const tokenCounts = namedSchema(
  'ModelTokenCounts',
  Type.Object({
    input: tokens,
    output: tokens,
    cache_read: tokens,
    cache_write: tokens,
    reasoning: tokens,
  }),
);

export const testIntegration = operation({
  ...shared,
  operationId: 'testIntegration',
  summary: "Call a model by the caller's integration of a provider",
  description:
    'One request of at most 16 output tokens. `ok` is false when the provider refuses it.',
  example: { model: 'model-a' },
  section: '5.9',
  method: 'POST',
  path: `${path}/{provider_segment}/test`,
  params: ofProvider,
  body: Type.Object({ model: Type.String({ minLength: 1, maxLength: modelMax }) }),
  response: namedSchema(
    'IntegrationTest',
    Type.Object({
      ok: Type.Boolean(),
      error_code: nullable(Type.Integer()),
      message: nullable(Type.String()),
      latency_ms: Type.Integer(),
      tokens: nullable(tokenCounts),
      cost: nullable(Type.Number()),
    }),
  ),
});

export const integrationOperations = [
  configureIntegration,
  listIntegrations,
  listProviders,
  getIntegration,
  deleteIntegration,
  selectIntegration,
  disableIntegration,
  testIntegration,
];

/** Integration as folded from the log, in the form that is shown. */
export type IntegrationFacts = {
  readonly id: IntegrationId;
  readonly provider: Provider;
  readonly created_at: Instant;
  readonly updated_at: Instant;
  readonly created_by: UserId;
  readonly is_selected: boolean;
  readonly is_disabled: boolean;
};

/** Response for an integration that `caller` sees; permissions depend on ownership. */
export const integrationAnswer = (facts: IntegrationFacts, caller: UserId): IntegrationRecord => ({
  id: facts.id,
  name: facts.provider,
  provider: facts.provider,
  created_at: facts.created_at,
  updated_at: facts.updated_at,
  created_by: facts.created_by,
  permissions: [...integrationPermissions(facts.created_by === caller)],
  is_selected: facts.is_selected,
  is_disabled: facts.is_disabled,
});
