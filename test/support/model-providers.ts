import { generateKeyPairSync } from 'node:crypto';
import { egressFault, type Egress } from '../../kernel/egress.js';
import type { ModelRequest } from '../../kernel/model-calls.js';
import type { ScriptedServer } from './scripted-server.js';

/** Texts that no error may quote. */
export const providerKey = 'sk-canary-93f1c7a2b5e8';
const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
export const serviceAccount = JSON.stringify({
  client_email: 'judge@project-a.iam.gserviceaccount.com',
  private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
  project_id: 'project-a',
  token_uri: 'https://elsewhere.example/token',
});

export const integrations = {
  openai: { settings: { organization_id: 'account' }, secrets: { token: providerKey } },
  azure: {
    settings: { endpoint: 'https://a.example/', deployments: { 'model-a': 'deployment-a' } },
    secrets: { token: providerKey, default_headers: { 'X-Team': 'blue' } },
  },
  custom: {
    settings: {
      endpoint: 'https://c.example/v1',
      authentication_type: 'api_key',
      api_key_header: 'X-Key',
    },
    secrets: { api_key_value: providerKey, headers: { 'X-Team': 'blue' } },
  },
  mistral: { settings: {}, secrets: { token: providerKey } },
  nvidia: { settings: { hostname: 'https://n.example' }, secrets: { token: providerKey } },
  writer: { settings: {}, secrets: { token: providerKey } },
  databricks: { settings: { hostname: 'https://d.example/' }, secrets: { token: providerKey } },
  anthropic: { settings: {}, secrets: { token: providerKey } },
  vertex_ai: { settings: {}, secrets: { token: serviceAccount } },
  aws_bedrock: {
    settings: { region: 'eu-central-1', inference_profiles: { 'model-a': 'profile-a' } },
    secrets: { token: { aws_access_key_id: 'AKIACANARY01', aws_secret_access_key: providerKey } },
  },
} as const satisfies Record<string, ModelRequest['configuration']>;
export type CalledProvider = keyof typeof integrations;

/** Answers of the five interfaces, each with the same text and the same tokens. */
export const openAiAnswer = {
  id: 'chatcmpl-1',
  created: 1_772_355_600,
  model: 'model-a-2026',
  choices: [
    { index: 0, message: { role: 'assistant', content: '{"rating":1}' }, finish_reason: 'stop' },
  ],
  usage: {
    prompt_tokens: 100,
    completion_tokens: 30,
    total_tokens: 130,
    prompt_tokens_details: { cached_tokens: 80 },
    completion_tokens_details: { reasoning_tokens: 20 },
  },
};
const anthropicAnswer = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'model-a-2026',
  // A schema is a tool for models that the package does not know.
  content: [{ type: 'tool_use', id: 'toolu_1', name: 'json', input: { rating: 1 } }],
  stop_reason: 'tool_use',
  stop_sequence: null,
  usage: {
    input_tokens: 15,
    cache_read_input_tokens: 80,
    cache_creation_input_tokens: 5,
    output_tokens: 30,
  },
};
const googleAnswer = {
  candidates: [
    { content: { role: 'model', parts: [{ text: '{"rating":1}' }] }, finishReason: 'STOP' },
  ],
  usageMetadata: {
    promptTokenCount: 100,
    cachedContentTokenCount: 80,
    candidatesTokenCount: 10,
    thoughtsTokenCount: 20,
    totalTokenCount: 130,
  },
};
const bedrockAnswer = {
  output: { message: { role: 'assistant', content: [{ text: '{"rating":1}' }] } },
  stopReason: 'end_turn',
  usage: {
    inputTokens: 15,
    outputTokens: 30,
    totalTokens: 130,
    cacheReadInputTokens: 80,
    cacheWriteInputTokens: 5,
  },
};
export const answerOf = (path: string): object => {
  if (path === '/token') return { access_token: 'ya29.canary-access-token', expires_in: 3_600 };
  if (path.endsWith('/messages')) return anthropicAnswer;
  if (path.includes(':generateContent')) return googleAnswer;
  return path.endsWith('/converse') ? bedrockAnswer : openAiAnswer;
};

/** Egress that leads each host to the server, as `Host` says. */
export const egressTo = ({ url }: ScriptedServer): Egress => {
  const fetch: Egress['fetch'] = async (input, init) => {
    const target = new URL(input instanceof Request ? input.url : input);
    const headers = new Headers(init?.headers);
    headers.set('x-called-host', target.host);
    try {
      return await globalThis.fetch(`${url}${target.pathname}${target.search}`, {
        ...init,
        headers,
      });
    } catch (error) {
      init?.signal?.throwIfAborted();
      throw egressFault('unreachable', error);
    }
  };
  return { fetch, fetchWithin: () => fetch };
};
