// Stored for ever: names, members and versions below are the storage format.
import { Type, type Static } from 'typebox';
import { id, instant, oneOf, type JsonObject } from '../kernel/shapes.js';
import type { DataKeyId, Fingerprint, Sealed } from '../kernel/vault.js';

const provider = oneOf([
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
/** Which integration of which user it is about. */
const place = {
  integration_id: id('IntegrationId'),
  organization_id: id('OrganizationId'),
  user_id: id('UserId'),
  provider,
};
/** Names the stream that has the ciphertext, and the place that it was sealed for. */
const seal = { seal_id: id('SealId'), seal_version: Type.Integer() };

/**
 * Stream `integration-<user>-<provider>`. Made, or replaced as a whole; the secret members are not
 * here but sealed, in a stream that can be erased.
 */
export const integrationConfigured = Type.Object({
  ...place,
  at: instant,
  ...seal,
  name: Type.String(),
  /** The members that are no secrets, as they were sent. */
  settings: Type.Unsafe<JsonObject>(Type.Object({})),
  /** Keyed; of the whole configuration. */
  fingerprint: Type.Unsafe<Fingerprint>(Type.String()),
});
/** The same secrets under another data key: no change that anybody sees. */
export const integrationResealed = Type.Object({ ...place, ...seal });
const change = Type.Object({ ...place, at: instant });
export const integrationSelected = change;
export const integrationDisabled = change;
export const integrationEnabled = change;
/** Its ciphertext is erased after this. */
export const integrationDeleted = Type.Object(place);

/** Stream `sealed-integration-<integration>-<seal>`, erased when it is replaced or deleted. */
export const integrationSecretsSealed = Type.Object({
  ...place,
  ...seal,
  sealed: Type.Unsafe<Sealed>(
    Type.Object({
      v: Type.Literal(1),
      data_key_id: Type.Unsafe<DataKeyId>(Type.String()),
      iv: Type.String(),
      ciphertext: Type.String(),
      tag: Type.String(),
    }),
  ),
});

export type IntegrationPlace = Static<typeof integrationDeleted>;
export type IntegrationConfigured = Static<typeof integrationConfigured>;
export type IntegrationSecretsSealed = Static<typeof integrationSecretsSealed>;

export type IntegrationEvent =
  | { readonly type: 'IntegrationConfigured'; readonly data: IntegrationConfigured }
  | { readonly type: 'IntegrationResealed'; readonly data: Static<typeof integrationResealed> }
  | { readonly type: 'IntegrationSelected'; readonly data: Static<typeof change> }
  | { readonly type: 'IntegrationDisabled'; readonly data: Static<typeof change> }
  | { readonly type: 'IntegrationEnabled'; readonly data: Static<typeof change> }
  | { readonly type: 'IntegrationDeleted'; readonly data: IntegrationPlace };
export type SealEvent = {
  readonly type: 'IntegrationSecretsSealed';
  readonly data: IntegrationSecretsSealed;
};
