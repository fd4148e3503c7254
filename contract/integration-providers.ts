import { Type, type TSchema } from 'typebox';
import {
  isHeaderPermitted,
  isHeaderValue,
  isHttpPermitted,
  type EgressRules,
} from '../kernel/egress.js';
import { type Complaint, valueComplaint } from '../kernel/fault.js';
import { namedSchema, oneOf, secret, type Json, type JsonObject } from '../kernel/schema-types.js';

/** The twelve providers of contract 4.9, by name. */
export const providers = [
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
] as const;
export type Provider = (typeof providers)[number];

/** Text limits (contract 4.9); the limit of the body bounds their total. */
const textMax = 8_192;
const accountMax = 256;
const entriesMax = 200;

const text = Type.String({ minLength: 1, maxLength: textMax });
const secretText = secret({ minLength: 1, maxLength: textMax });
const map = Type.Record(Type.String(), text, { maxProperties: entriesMax });
const secretMap = Type.Record(Type.String(), text, {
  maxProperties: entriesMax,
  'x-secret': true,
});
const anyObject = Type.Unsafe<JsonObject>(Type.Object({}));
const objects = Type.Array(anyObject, { maxItems: entriesMax });
const anything = Type.Array(Type.Unsafe<Json>(Type.Unknown()), { maxItems: entriesMax });
/** Absolute URL without user info; `http` is a matter of `complaintsAboutConfiguration`. */
const uriPattern =
  '^[Hh][Tt][Tt][Pp][Ss]?://(?:[A-Za-z0-9._~%-]+|\\[[0-9A-Fa-f:.]+\\])' +
  '(?::[0-9]{1,5})?(?:[/?#][^\\s]*)?$';
const uri = Type.String({ minLength: 1, maxLength: textMax, pattern: uriPattern });
const flag = Type.Boolean();
const maybe = <T extends TSchema>(schema: T) => Type.Optional(schema);

/** Access keys, or a role to assume: `complaintsAboutConfiguration` requires one of the two. */
const awsToken = namedSchema(
  'AwsToken',
  Type.Object(
    {
      aws_access_key_id: maybe(text),
      aws_secret_access_key: maybe(text),
      aws_role_arn: maybe(text),
    },
    { 'x-secret': true },
  ),
);
const awsMembers = {
  token: awsToken,
  credential_type: maybe(oneOf(['key_secret', 'assumed_role'])),
  region: maybe(text),
  inference_profiles: maybe(map),
  multi_modal_config: maybe(anyObject),
};

/** Configuration schema by provider; members marked `x-secret` are never returned. */
export const configurations: Readonly<Record<Provider, TSchema>> = {
  openai: namedSchema(
    'OpenAiConfiguration',
    Type.Object({ token: secretText, organization_id: maybe(text) }),
  ),
  writer: namedSchema(
    'WriterConfiguration',
    Type.Object({
      organization_id: Type.String({ minLength: 1, maxLength: accountMax }),
      token: secretText,
    }),
  ),
  mistral: namedSchema('MistralConfiguration', Type.Object({ token: secretText })),
  nvidia: namedSchema('NvidiaConfiguration', Type.Object({ token: secretText, hostname: uri })),
  anthropic: namedSchema(
    'AnthropicConfiguration',
    Type.Object({
      token: secretText,
      authentication_type: maybe(text),
      endpoint: maybe(uri),
      authentication_scope: maybe(text),
      oauth2_token_url: maybe(uri),
      custom_header_mapping: maybe(map),
      multi_modal_config: maybe(anyObject),
    }),
  ),
  azure: namedSchema(
    'AzureConfiguration',
    Type.Object({
      token: secretText,
      endpoint: uri,
      proxy: maybe(flag),
      api_version: maybe(text),
      azure_deployment: maybe(text),
      authentication_type: maybe(text),
      authentication_scope: maybe(text),
      default_headers: maybe(secretMap),
      deployments: maybe(map),
      oauth2_token_url: maybe(uri),
      custom_header_mapping: maybe(map),
      available_deployments: maybe(
        Type.Array(namedSchema('AzureDeployment', Type.Object({ model: text, id: text })), {
          maxItems: entriesMax,
        }),
      ),
      multi_modal_config: maybe(anyObject),
    }),
  ),
  aws_bedrock: namedSchema('BedrockConfiguration', Type.Object(awsMembers)),
  aws_sagemaker: namedSchema(
    'SageMakerConfiguration',
    Type.Object({ ...awsMembers, models: maybe(objects) }),
  ),
  vertex_ai: namedSchema(
    'VertexConfiguration',
    Type.Object({
      token: secretText,
      region: maybe(text),
      gcs_config: maybe(
        namedSchema(
          'VertexStorage',
          Type.Object({
            service_account_credentials: secretText,
            bucket_name: text,
            object_path_prefix: text,
          }),
        ),
      ),
      multi_modal_config: maybe(anyObject),
    }),
  ),
  vegas_gateway: namedSchema(
    'VegasGatewayConfiguration',
    Type.Object({ token: secretText, endpoint: uri, use_case: text }),
  ),
  databricks: namedSchema(
    'DatabricksConfiguration',
    Type.Object({
      token: secretText,
      hostname: uri,
      default_catalog_name: maybe(text),
      path: maybe(text),
      llm: maybe(flag),
      storage: maybe(flag),
    }),
  ),
  custom: namedSchema(
    'CustomConfiguration',
    Type.Object({
      endpoint: uri,
      authentication_type: maybe(oneOf(['oauth2', 'api_key', 'none'])),
      token: maybe(secretText),
      api_key_header: maybe(text),
      api_key_value: maybe(secretText),
      authentication_scope: maybe(text),
      oauth2_token_url: maybe(uri),
      headers: maybe(secretMap),
      custom_header_mapping: maybe(map),
      models: maybe(anything),
      model_properties: maybe(anything),
      default_model: maybe(text),
      custom_llm_config: maybe(anyObject),
    }),
  ),
};

export const isProvider = (segment: string): segment is Provider =>
  providers.some((one) => one === segment);

/**
 * Complaints beyond the schema: members of an AWS token that belong together, `http` URLs whose
 * host and port the operator did not list, and headers that a request cannot have.
 */
export const complaintsAboutConfiguration = (
  segment: string,
  sent: JsonObject,
  egress: EgressRules,
): readonly Complaint[] => {
  // The body for an unknown provider was not checked against a schema: it may be anything.
  if (!isProvider(segment)) return [];
  const unlisted = Object.entries(membersOf(configurations[segment] as Raw))
    .filter(([, { pattern }]) => pattern === uriPattern)
    .flatMap(([name]) => complaintAboutUrl(name, sent[name], egress));
  return [...unlisted, ...complaintsAboutHeaders(sent), ...complaintsAboutToken(segment, sent)];
};

const complaintAboutUrl = (
  name: string,
  value: Json | undefined,
  egress: EgressRules,
): readonly Complaint[] => {
  if (typeof value !== 'string' || !/^http:/i.test(value)) return [];
  if (isHttpPermitted(egress, value)) return [];
  const sentence = `${name} must be https, unless this service lists its host and port`;
  return [valueComplaint(['body', name], sentence)];
};

const complaintsAboutHeaders = (sent: JsonObject): readonly Complaint[] => {
  const { api_key_header: keyHeader } = sent;
  const named = typeof keyHeader === 'string' ? [[['api_key_header'], keyHeader, ''] as const] : [];
  const listed = ['headers', 'default_headers', 'custom_header_mapping'].flatMap((member) =>
    Object.entries((sent[member] ?? {}) as Readonly<Record<string, string>>).map(
      ([name, value]) => [[member, name], name, value] as const,
    ),
  );
  return [...named, ...listed].flatMap(([loc, name, value]) => {
    if (isHeaderPermitted(name) && isHeaderValue(value)) return [];
    const sentence = 'the header is malformed, or belongs to the connection';
    return [valueComplaint(['body', ...loc], sentence)];
  });
};

const complaintsAboutToken = (segment: Provider, sent: JsonObject): readonly Complaint[] => {
  if (segment !== 'aws_bedrock' && segment !== 'aws_sagemaker') return [];
  const { token } = sent;
  const { aws_access_key_id, aws_secret_access_key, aws_role_arn } = token as JsonObject;
  const hasKeys = aws_access_key_id !== undefined && aws_secret_access_key !== undefined;
  if (hasKeys || aws_role_arn !== undefined) return [];
  const sentence = 'token must have aws_access_key_id and aws_secret_access_key, or aws_role_arn';
  return [valueComplaint(['body', 'token'], sentence)];
};

export type Configuration = {
  /** Members that are not secret. */
  readonly settings: JsonObject;
  /** Secret members, at the places where they were sent. */
  readonly secrets: JsonObject;
};

/**
 * Drops members that the schema does not name, and separates the secret ones (contract 4.9, rule
 * 1).
 */
export const configurationOf = (provider: Provider, sent: JsonObject): Configuration =>
  splitSecrets(configurations[provider] as Raw, sent);

type Raw = Readonly<Record<string, unknown>>;

const splitSecrets = (schema: Raw, sent: JsonObject): Configuration => {
  const settings: Record<string, Json> = {};
  const secrets: Record<string, Json> = {};
  for (const [name, one] of Object.entries(membersOf(schema))) {
    const value = sent[name];
    if (value === undefined || !Object.hasOwn(sent, name)) continue;
    if (one['x-secret'] === true) secrets[name] = knownMembers(one, value);
    else if (Object.values(membersOf(one)).some((inner) => inner['x-secret'] === true)) {
      const inner = splitSecrets(one, value as JsonObject);
      settings[name] = inner.settings;
      secrets[name] = inner.secrets;
    } else settings[name] = knownMembers(one, value);
  }
  return { settings, secrets };
};

/** Named members of an object; all members of a map, or of an object whose schema names none. */
const knownMembers = (schema: Raw, value: Json): Json => {
  if (Array.isArray(value)) {
    const items = schema['items'] as Raw | undefined;
    return items === undefined ? value : value.map((item: Json) => knownMembers(items, item));
  }
  const members = Object.entries(membersOf(schema));
  if (typeof value !== 'object' || value === null || members.length === 0) return value;
  const sent = value as JsonObject;
  return Object.fromEntries(
    members.flatMap(([name, one]) => {
      const inner = Object.hasOwn(sent, name) ? sent[name] : undefined;
      return inner === undefined ? [] : [[name, knownMembers(one, inner)]];
    }),
  );
};

const membersOf = (schema: Raw): Readonly<Record<string, Raw>> =>
  (schema['properties'] ?? {}) as Readonly<Record<string, Raw>>;

/** Reason why the service never calls models with such an integration; null: it does. */
export const uncallableReason = (provider: Provider, settings: JsonObject): string | null => {
  const { credential_type, authentication_type } = settings;
  if (provider === 'aws_sagemaker' || provider === 'vegas_gateway') {
    return `integrations of ${provider} are stored and never called`;
  }
  if (credential_type === 'assumed_role') return 'assumed roles are stored and never called';
  return authentication_type === 'oauth2' ? 'oauth2 credentials are stored and never called' : null;
};

/** Models that a configuration names, in its order, without its secrets (contract 5.17, rule 4). */
export const modelsOf = (settings: JsonObject): readonly string[] => {
  const { default_model, available_deployments, deployments, inference_profiles } = settings;
  const listed = [settings['models'], default_model, available_deployments].flat();
  return [
    ...new Set([
      ...listed.flatMap(modelNameIn),
      ...[deployments, inference_profiles].flatMap((byModel) => Object.keys(byModel ?? {})),
    ]),
  ];
};

/** Name of a model that is listed by itself, or as an object with a name. */
const modelNameIn = (listed: Json | undefined): readonly string[] => {
  if (typeof listed === 'string') return [listed];
  if (typeof listed !== 'object' || listed === null || Array.isArray(listed)) return [];
  const { model, name, id } = listed as JsonObject;
  const found = model ?? name ?? id;
  return typeof found === 'string' ? [found] : [];
};
