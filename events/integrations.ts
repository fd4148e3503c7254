// Stored for ever: names and members below are the storage format; versions are in upcasts.ts.
import { Type } from 'typebox';
import { id, instant, oneOf, secret, type JsonObject } from '../kernel/schema-types.js';
import type { DataKeyId, Fingerprint, SealedText } from '../kernel/vault.js';
import type { Noun } from './noun.js';
import { event, type DataOf, type EventOf } from './schemas.js';

/** Provider as events name it. */
export const storedProvider = oneOf([
  'anthropic',
  'aws_bedrock',
  'aws_sagemaker',
  'azure',
  'custom',
  'databricks',
  'mistral',
  'nvidia',
  'openai',
  'vegas_gateway',
  'vertex_ai',
  'writer',
]);
/** Integration and its user. */
const integrationMembers = {
  integration_id: id('IntegrationId'),
  organization_id: id('OrganizationId'),
  user_id: id('UserId'),
  provider: storedProvider,
};
/** Stream that has the ciphertext, and the context that it was sealed for. */
const seal = { seal_id: id('SealId'), seal_version: Type.Integer() };
const change = { ...integrationMembers, at: instant };

export const integrationEvents = {
  /**
   * Created, or replaced as a whole; the secret members are
   * not here but sealed, in a stream that can be erased.
   */
  IntegrationConfigured: event('entity update', {
    ...integrationMembers,
    at: instant,
    ...seal,
    name: Type.String(),
    /** Members that are not secret, as they were sent. */
    settings: Type.Unsafe<JsonObject>(Type.Object({})),
    /** Keyed fingerprint of the whole configuration. */
    fingerprint: Type.Unsafe<Fingerprint>(secret()),
  }),
  /** Same secrets under another data key: invisible to clients. */
  IntegrationResealed: event('entity update', { ...integrationMembers, ...seal }),
  IntegrationSelected: event('entity update', change),
  IntegrationDisabled: event('entity disable', change),
  IntegrationEnabled: event('entity enable', change),
  /** Its ciphertext is erased after this. */
  IntegrationDeleted: event('entity delete', integrationMembers),
};
const sealEvents = {
  /** Stream `sealed-integration-<integration>-<seal>`, erased when it is replaced or deleted. */
  IntegrationSecretsSealed: event('entity create', {
    ...integrationMembers,
    ...seal,
    sealed: Type.Unsafe<SealedText>(
      Type.Object(
        {
          v: Type.Literal(1),
          data_key_id: Type.Unsafe<DataKeyId>(Type.String()),
          iv: Type.String(),
          ciphertext: Type.String(),
          tag: Type.String(),
        },
        { 'x-secret': true },
      ),
    ),
  }),
};

export const integrationNoun: Noun = {
  stream: { name: 'integration-<user>-<provider>', subject: 'integration', erasedWith: 'nothing' },
  events: integrationEvents,
};

export const sealedIntegrationNoun: Noun = {
  stream: {
    name: 'sealed-integration-<integration>-<seal>',
    subject: 'sealed integration',
    erasedWith: null,
    isTechnical: true,
  },
  events: sealEvents,
};

export type IntegrationEvent = EventOf<typeof integrationEvents>;
type SealEvent = EventOf<typeof sealEvents>;

export type IntegrationPlace = DataOf<IntegrationEvent, 'IntegrationDeleted'>;
export type IntegrationConfigured = DataOf<IntegrationEvent, 'IntegrationConfigured'>;
export type IntegrationSecretsSealed = DataOf<SealEvent, 'IntegrationSecretsSealed'>;
