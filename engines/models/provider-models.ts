import { createAmazonBedrock } from '@ai-sdk/amazon-bedrock';
import { createAnthropic } from '@ai-sdk/anthropic';
import { createGoogleGenerativeAI } from '@ai-sdk/google';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import type { LanguageModelV3 } from '@ai-sdk/provider';
import {
  isProvider,
  uncallableReason,
  type Provider,
} from '../../contract/integration-providers.js';
import type { OpenConfiguration } from '../../kernel/model-calls.js';
import type { JsonObject } from '../../kernel/schema-types.js';
import {
  baseUrl,
  mapAt,
  notCallable,
  objectOf,
  textAt,
  type NotCallable,
} from './configuration.js';
import { changingFetch, type Fetch } from './recording-fetch.js';
import { serviceAccountOf, vertexFetch } from './vertex-token.js';

/** Model of an integration, with the name under which its package takes options. */
export type ProviderModel = {
  readonly model: LanguageModelV3;
  readonly options: 'openai' | 'compatible' | 'anthropic' | 'google' | 'bedrock';
};

type ModelPlace = {
  readonly name: string;
  readonly configuration: OpenConfiguration;
  /** `fetch` of the attempt; the function around it may change requests. */
  readonly fetch: (around?: (fetch: Fetch) => Fetch) => Fetch;
  /** Learns credentials that are derived from the stored ones. */
  readonly onSecret: (secret: string) => void;
};

/**
 * Opens a model of a provider (contract 4.9, rule 4). Keys and addresses are always given, since
 * the packages else take them from the environment of the process.
 */
export const providerModel = (provider: string, place: ModelPlace): ProviderModel | NotCallable => {
  if (!isProvider(provider)) return notCallable(`The provider ${provider} is not known`);
  const { settings, secrets } = place.configuration;
  const reason = uncallableReason(provider, settings);
  if (reason !== null) return notCallable(`${reason.charAt(0).toUpperCase()}${reason.slice(1)}`);
  const open = openers[provider];
  return open?.(place, settings, secrets) ?? notCallable(`${provider} is stored and never called`);
};

type OpenModel = (
  place: ModelPlace,
  settings: JsonObject,
  secrets: JsonObject,
) => ProviderModel | NotCallable;

const openAi: OpenModel = ({ name, fetch }, settings, secrets) => {
  const organization = textAt(settings, 'organization_id');
  const openai = createOpenAI({
    baseURL: 'https://api.openai.com/v1',
    apiKey: textAt(secrets, 'token') ?? '',
    fetch: fetch(),
    ...(organization === null ? {} : { organization }),
  });
  return { model: openai.chat(name), options: 'openai' };
};

/** Oldest version of the interface that takes JSON schemas. */
const azureVersion = '2024-10-21';

const azure: OpenModel = ({ name, fetch }, settings, secrets) => {
  const endpoint = baseUrl(textAt(settings, 'endpoint') ?? '');
  const deployment = azureDeployment(name, settings);
  const changes = {
    query: { 'api-version': textAt(settings, 'api_version') ?? azureVersion },
    headers: {
      ...mapAt(secrets, 'default_headers'),
      authorization: null,
      'api-key': textAt(secrets, 'token') ?? '',
    },
  };
  const openai = createOpenAI({
    baseURL: `${endpoint}/openai/deployments/${encodeURIComponent(deployment)}`,
    apiKey: '',
    fetch: fetch((around) => changingFetch(around, changes)),
  });
  return { model: openai.chat(name), options: 'openai' };
};

const azureDeployment = (model: string, settings: JsonObject): string => {
  const available = settings['available_deployments'];
  const listed = Array.isArray(available) ? available.map(objectOf) : [];
  const entry = listed.find((one) => one['model'] === model);
  return (
    (entry && textAt(entry, 'id')) ??
    textAt(objectOf(settings['deployments']), model) ??
    textAt(settings, 'azure_deployment') ??
    model
  );
};

/** Provider whose interface is OpenAI's, with the token as bearer. */
const compatible =
  (name: string, addressOf: (settings: JsonObject) => string): OpenModel =>
  (place, settings, secrets) =>
    compatibleModel(place, name, {
      baseURL: addressOf(settings),
      headers: bearer(textAt(secrets, 'token')),
    });

const custom: OpenModel = (place, settings, secrets) => {
  const key = textAt(secrets, 'api_key_value') ?? textAt(secrets, 'token');
  const header = textAt(settings, 'api_key_header');
  const isOpen = settings['authentication_type'] === 'none' || key === null;
  const credential =
    isOpen || header === null || header.toLowerCase() === 'authorization'
      ? bearer(isOpen ? null : key)
      : { [header]: key };
  const endpoint = (textAt(settings, 'endpoint') ?? '').replace(/\/chat\/completions\/*$/, '');
  return compatibleModel(place, 'custom', {
    baseURL: baseUrl(endpoint),
    headers: { ...mapAt(secrets, 'headers'), ...credential },
  });
};

const bearer = (key: string | null): Readonly<Record<string, string>> =>
  key === null ? {} : { Authorization: /^\S+\s+\S/.test(key) ? key : `Bearer ${key}` };

const compatibleModel = (
  { name: model, fetch }: ModelPlace,
  name: string,
  { baseURL, headers }: { readonly baseURL: string; readonly headers: Record<string, string> },
): ProviderModel => {
  const provider = createOpenAICompatible({
    name,
    baseURL,
    headers,
    fetch: fetch(),
    supportsStructuredOutputs: true,
  });
  return { model: provider.chatModel(model), options: 'compatible' };
};

const databricksUrl = (settings: JsonObject): string => {
  const host = baseUrl(textAt(settings, 'hostname') ?? '');
  const path = textAt(settings, 'path');
  return path === null ? `${host}/serving-endpoints` : `${host}/${path.replace(/^\/+|\/+$/g, '')}`;
};

const anthropic: OpenModel = ({ name, fetch }, settings, secrets) => {
  const endpoint = textAt(settings, 'endpoint') ?? 'https://api.anthropic.com';
  const provider = createAnthropic({
    baseURL: baseUrl(endpoint, '/v1'),
    apiKey: textAt(secrets, 'token') ?? '',
    fetch: fetch(),
  });
  return { model: provider.chat(name), options: 'anthropic' };
};

const vertex: OpenModel = ({ name, fetch, onSecret }, settings, secrets) => {
  const account = serviceAccountOf(textAt(secrets, 'token') ?? '');
  if ('notCallable' in account) return account;
  const region = textAt(settings, 'region') ?? 'global';
  const host =
    region === 'global' ? 'aiplatform.googleapis.com' : `${region}-aiplatform.googleapis.com`;
  const project = encodeURIComponent(account.project);
  const provider = createGoogleGenerativeAI({
    baseURL: `https://${host}/v1/projects/${project}/locations/${region}/publishers/google`,
    apiKey: '',
    fetch: fetch((around) => vertexFetch(around, account, onSecret)),
  });
  return { model: provider.chat(name), options: 'google' };
};

const bedrock: OpenModel = ({ name, fetch }, settings, secrets) => {
  const token = objectOf(secrets['token']);
  const [accessKeyId, secretAccessKey] = [
    textAt(token, 'aws_access_key_id'),
    textAt(token, 'aws_secret_access_key'),
  ];
  if (accessKeyId === null || secretAccessKey === null)
    return notCallable('Assumed roles are stored and never called');
  const region = textAt(settings, 'region') ?? 'us-east-1';
  const provider = createAmazonBedrock({
    region,
    baseURL: `https://bedrock-runtime.${region}.amazonaws.com`,
    apiKey: '',
    accessKeyId,
    secretAccessKey,
    fetch: fetch(),
  });
  const profile = textAt(objectOf(settings['inference_profiles']), name);
  return { model: provider.languageModel(profile ?? name), options: 'bedrock' };
};

const openers: Readonly<Partial<Record<Provider, OpenModel>>> = {
  openai: openAi,
  azure,
  anthropic,
  vertex_ai: vertex,
  aws_bedrock: bedrock,
  custom,
  mistral: compatible('mistral', () => 'https://api.mistral.ai/v1'),
  nvidia: compatible('nvidia', (settings) => baseUrl(textAt(settings, 'hostname') ?? '', '/v1')),
  writer: compatible('writer', () => 'https://api.writer.com/v1'),
  databricks: compatible('databricks', databricksUrl),
};
