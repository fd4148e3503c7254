import { expect } from 'chai';
import { createHash } from 'node:crypto';
import { openModelCalls } from '../../engines/models/model-calls.js';
import { systemClock } from '../../engines/node/clock.js';
import { egressFault, type Egress } from '../../kernel/egress.js';
import type { ModelError, ModelRequest, TokenCounts } from '../../kernel/model-calls.js';
import {
  answerOf,
  egressTo,
  integrations,
  providerKey as key,
  openAiAnswer,
  serviceAccount,
  type CalledProvider,
} from '../support/model-providers.js';
import { scriptedServer, type Scripted, type ScriptedServer } from '../support/scripted-server.js';

const schema = {
  type: 'object',
  properties: { rating: { type: 'integer' } },
  required: ['rating'],
  additionalProperties: false,
};
const asked = {
  model: 'model-a',
  messages: [
    { role: 'system', content: 'Rate.' },
    { role: 'user', content: 'a flight, please' },
  ],
  json: { name: 'verdict', schema },
  settings: { temperature: 0.5, maxTokens: 64 },
  timeoutMs: 10_000,
} as const satisfies Partial<ModelRequest>;

describe('calls of models', () => {
  let server: ScriptedServer | null = null;
  afterEach(async () => {
    await server?.close();
    server = null;
  });
  const answering = async (
    script: readonly Scripted[] | ((path: string) => Scripted),
    egress: (to: ScriptedServer) => Egress = egressTo,
  ) => {
    server = await scriptedServer(
      typeof script === 'function' ? ({ path }) => script(path) : script,
    );
    return openModelCalls({ egress: egress(server), clock: systemClock });
  };
  const called = async (
    script: Parameters<typeof answering>[0],
    provider: CalledProvider = 'openai',
    more: Partial<ModelRequest> = {},
  ) => {
    const calls = await answering(script);
    const configuration = integrations[provider];
    const outcome = await calls.call({ ...asked, provider, configuration, ...more });
    return { ...outcome, requests: server?.received ?? [] };
  };
  const refusedWith = async (
    response: Scripted,
    provider: CalledProvider = 'openai',
  ): Promise<ModelError> => {
    const { error } = await called([response], provider);
    if (error === null) throw new Error('the call was answered');
    return error;
  };
  const openAiError = (status: number, message: string, code: string | null = null): Scripted => ({
    status,
    body: { error: { message, type: 'error', code, param: null } },
  });

  describe('answers', () => {
    const tokens: TokenCounts = {
      input: 100,
      output: 30,
      cache_read: 80,
      cache_write: 0,
      reasoning: 20,
    };
    const writing: TokenCounts = { ...tokens, cache_write: 5, reasoning: 0 };
    const places: Readonly<Record<CalledProvider, readonly [string, string, TokenCounts]>> = {
      openai: ['api.openai.com', '/v1/chat/completions', tokens],
      azure: [
        'a.example',
        '/openai/deployments/deployment-a/chat/completions?api-version=2024-10-21',
        tokens,
      ],
      custom: ['c.example', '/v1/chat/completions', tokens],
      mistral: ['api.mistral.ai', '/v1/chat/completions', tokens],
      nvidia: ['n.example', '/v1/chat/completions', tokens],
      writer: ['api.writer.com', '/v1/chat/completions', tokens],
      databricks: ['d.example', '/serving-endpoints/chat/completions', tokens],
      anthropic: ['api.anthropic.com', '/v1/messages', writing],
      vertex_ai: [
        'aiplatform.googleapis.com',
        '/v1/projects/project-a/locations/global/publishers/google/models/model-a:generateContent',
        tokens,
      ],
      aws_bedrock: [
        'bedrock-runtime.eu-central-1.amazonaws.com',
        '/model/profile-a/converse',
        writing,
      ],
    };
    for (const [provider, [host, path, counted]] of Object.entries(places))
      it(`gives text, model and tokens by kind of ${provider}`, async () => {
        const name = provider as CalledProvider;
        const { answer, error, requests } = await called(
          (at) => ({ status: 200, body: answerOf(at) }),
          name,
        );
        expect(error).to.equal(null);
        const body = JSON.stringify(answerOf(path));
        const { ms, ...rest } = answer ?? { ms: -1 };
        expect(ms).to.be.at.least(0);
        const answering = { vertex_ai: 'model-a', aws_bedrock: 'profile-a' }[provider];
        expect(rest).to.deep.equal({
          text: '{"rating":1}',
          toolCalls: [],
          model: answering ?? 'model-a-2026',
          tokens: counted,
          finish: 'stop',
          sha256: createHash('sha256').update(body).digest('hex'),
        });
        const last = requests.at(-1);
        expect([last?.headers['x-called-host'], last?.path]).to.deep.equal([host, path]);
        expect(last?.body).to.contain('a flight, please').and.contain('rating');
      });

    it('sends the stored credential where the provider looks for it', async () => {
      const sent = async (provider: CalledProvider) => {
        const { requests } = await called((at) => ({ status: 200, body: answerOf(at) }), provider);
        return requests.at(-1)?.headers ?? {};
      };
      expect(await sent('openai')).to.include({
        authorization: `Bearer ${key}`,
        'openai-organization': 'account',
      });
      const azure = await sent('azure');
      expect(azure).to.include({ 'api-key': key, 'x-team': 'blue' });
      expect(azure).not.to.have.property('authorization');
      const custom = await sent('custom');
      expect(custom).to.include({ 'x-key': key, 'x-team': 'blue' });
      expect(custom).not.to.have.property('authorization');
      expect(await sent('mistral')).to.include({ authorization: `Bearer ${key}` });
      expect(await sent('anthropic')).to.include({ 'x-api-key': key });
      const vertex = await sent('vertex_ai');
      expect(vertex).to.include({ authorization: 'Bearer ya29.canary-access-token' });
      expect(vertex).not.to.have.property('x-goog-api-key');
      expect((await sent('aws_bedrock'))['authorization']).to.match(
        /^AWS4-HMAC-SHA256 Credential=AKIACANARY01\/\d{8}\/eu-central-1\/bedrock\/aws4_request/,
      );
    });

    it('exchanges a service account at Google, whatever its key file says', async () => {
      const { requests } = await called((at) => ({ status: 200, body: answerOf(at) }), 'vertex_ai');
      expect([requests[0]?.headers['x-called-host'], requests[0]?.path]).to.deep.equal([
        'oauth2.googleapis.com',
        '/token',
      ]);
      expect(requests.length).to.equal(2);
    });

    it('sends messages, schema, tools and the settings that were given', async () => {
      const { answer, requests } = await called(
        [
          {
            status: 200,
            body: {
              ...openAiAnswer,
              choices: [
                {
                  index: 0,
                  finish_reason: 'tool_calls',
                  message: {
                    role: 'assistant',
                    content: null,
                    tool_calls: [
                      {
                        id: 'call-2',
                        type: 'function',
                        function: { name: 'search', arguments: '{"to":"Oslo"}' },
                      },
                    ],
                  },
                },
              ],
            },
          },
        ],
        'openai',
        {
          messages: [
            { role: 'system', content: 'Book.' },
            { role: 'user', content: 'To Oslo' },
            {
              role: 'assistant',
              content: '',
              toolCalls: [{ id: 'call-1', name: 'search', arguments: '{"to":"Oslo"}' }],
            },
            { role: 'tool', toolCallId: 'call-1', toolName: 'search', content: 'none' },
          ],
          tools: [{ name: 'search', parameters: { type: 'object', properties: {} } }],
          toolChoice: { tool: 'search' },
          settings: { temperature: 0, topP: 0.9, stopSequences: ['END'], seed: 7 },
        },
      );
      expect(answer?.toolCalls).to.deep.equal([
        { id: 'call-2', name: 'search', arguments: '{"to":"Oslo"}' },
      ]);
      expect(answer?.finish).to.equal('tool_calls');
      const body = JSON.parse(requests[0]?.body ?? '{}') as Record<string, unknown>;
      expect(body).to.deep.include({
        model: 'model-a',
        temperature: 0,
        top_p: 0.9,
        stop: ['END'],
        seed: 7,
        tool_choice: { type: 'function', function: { name: 'search' } },
      });
      expect(body['messages']).to.deep.equal([
        { role: 'system', content: 'Book.' },
        { role: 'user', content: 'To Oslo' },
        {
          role: 'assistant',
          content: null,
          tool_calls: [
            {
              id: 'call-1',
              type: 'function',
              function: { name: 'search', arguments: '{"to":"Oslo"}' },
            },
          ],
        },
        { role: 'tool', tool_call_id: 'call-1', content: 'none' },
      ]);
      expect(body).not.to.have.any.keys('max_tokens', 'frequency_penalty', 'reasoning_effort');
    });

    it('counts the tokens of an answer that was cut or filtered', async () => {
      const finishing = async (reason: string) => {
        const [choice] = openAiAnswer.choices;
        const choices = [{ ...choice, finish_reason: reason }];
        return called([{ status: 200, body: { ...openAiAnswer, choices } }]);
      };
      for (const [reason, finish] of [
        ['length', 'length'],
        ['content_filter', 'filtered'],
      ]) {
        const { error } = await finishing(reason ?? '');
        expect(error).to.deep.include({ code: 1110, status: 200, isTransient: false });
        expect(error?.answer).to.deep.include({ finish, tokens });
      }
    });
  });

  describe('errors', () => {
    it('says in our words that a credential was refused', async () => {
      for (const status of [401, 403]) {
        const error = await refusedWith(openAiError(status, `Incorrect API key: ${key}.`));
        const { code, message, isTransient } = error;
        expect([code, isTransient]).to.deep.equal([1102, false]);
        expect(message).to.equal(
          `The provider refused the credential of the integration (HTTP ${status}).`,
        );
      }
    });

    it('has the code of what the provider answered', async () => {
      const codes: readonly (readonly [Scripted, number, boolean])[] = [
        [openAiError(404, 'The model does not exist', 'model_not_found'), 1103, false],
        [openAiError(400, 'no such model', 'model_not_found'), 1103, false],
        [openAiError(429, 'Rate limit reached'), 1104, true],
        [openAiError(400, 'temperature must be 1'), 1105, false],
        [openAiError(408, 'slow'), 1105, true],
        [openAiError(500, 'oops'), 1105, true],
        [openAiError(503, 'overloaded'), 1105, true],
        [openAiError(400, 'too long', 'context_length_exceeded'), 1111, false],
        [openAiError(400, 'filtered', 'content_filter'), 1110, false],
        [{ status: 502, body: '<html>Bad gateway</html>' }, 1105, true],
        [{ status: 200, body: '<html>Sign in</html>' }, 1105, false],
        [{ status: 200, body: { choices: [] } }, 1105, false],
      ];
      for (const [response, code, isTransient] of codes) {
        const error = await refusedWith(response);
        expect([error.code, error.isTransient], error.message).to.deep.equal([code, isTransient]);
        expect(error.status).to.equal(response === null ? null : Object(response).status);
      }
    });

    it('marks a broken connection as transient', async () => {
      const error = await refusedWith(null);
      expect(error).to.deep.include({ code: 1105, status: null, isTransient: true });
    });

    it('reads how long the provider wants to be left alone', async () => {
      const after = async (value: string) => {
        const headers = { 'Retry-After': value };
        return (await refusedWith({ status: 429, headers, body: {} })).retryAfterMs;
      };
      expect(await after('3')).to.equal(3_000);
      expect(await after(new Date(Date.now() + 60_000).toUTCString())).to.be.within(30_000, 60_000);
      expect(await after('soon')).to.equal(null);
    });

    it('gives 1109 and the sentence of the egress when it refuses', async () => {
      const fetch: Egress['fetch'] = async () => {
        throw egressFault('address');
      };
      const calls = await answering([null], () => ({ fetch, fetchWithin: () => fetch }));
      for (const [provider, configuration] of Object.entries(integrations)) {
        const { error } = await calls.call({ ...asked, provider, configuration });
        expect(error, provider).to.deep.include({
          code: 1109,
          message: 'The host has an address that is neither public nor listed.',
          isTransient: false,
        });
      }
    });

    it('gives 1105 after the deadline, which is not transient', async () => {
      const { error } = await called(['never'], 'openai', { timeoutMs: 50 });
      expect(error).to.deep.include({ code: 1105, isTransient: false, status: null });
      expect(error?.message).to.equal('The provider did not answer in time.');
    });

    it('gives 1101 for integrations that are stored only', async () => {
      const calls = await answering(['never']);
      const role = { token: { aws_role_arn: 'arn:aws:iam::1:role/a' } };
      const stored: readonly (readonly [string, ModelRequest['configuration']])[] = [
        ['aws_sagemaker', integrations.aws_bedrock],
        ['vegas_gateway', { settings: { endpoint: 'https://v.example' }, secrets: {} }],
        ['aws_bedrock', { settings: {}, secrets: role }],
        ['custom', { settings: { authentication_type: 'oauth2' }, secrets: {} }],
        ['vertex_ai', { settings: {}, secrets: { token: 'no key file' } }],
      ];
      for (const [provider, configuration] of stored) {
        const { error } = await calls.call({ ...asked, provider, configuration });
        expect(error, provider).to.deep.include({ code: 1101, isTransient: false });
      }
      expect(server?.received).to.deep.equal([]);
    });

    it('quotes nothing of a credential, whatever the provider says', async () => {
      const quoting = [
        `The key ${key} is unknown`,
        `The key ${key.toUpperCase()} is unknown`,
        `Header: ${key.slice(3, 14)}...`,
        `You sent ${JSON.stringify(serviceAccount)} and ya29.canary-access-token`,
        'x'.repeat(290) + key,
      ];
      for (const provider of Object.keys(integrations) as CalledProvider[])
        for (const said of quoting) {
          const body = { error: { message: said, code: 'bad', type: 'bad' }, message: said };
          const { error } = await called(
            (path) =>
              path === '/token' ? { status: 200, body: answerOf(path) } : { status: 400, body },
            provider,
          );
          const secrets = provider === 'vertex_ai' ? ['ya29.canary', 'PRIVATE KEY'] : [key];
          const shown = JSON.stringify(error).toLowerCase();
          for (const secret of secrets)
            for (let at = 0; at + 8 <= secret.length; at += 1)
              expect(shown, `${provider}: ${said}`).not.to.contain(
                secret.slice(at, at + 8).toLowerCase(),
              );
          expect(error?.message.length).to.be.at.most(300);
          await server?.close();
        }
    });

    it('rejects with the reason of a cancelled call', async () => {
      const cancel = new AbortController();
      const calls = await answering(() => {
        cancel.abort(new Error('stopped'));
        return 'never';
      });
      const call = calls.call({
        ...asked,
        provider: 'openai',
        configuration: integrations.openai,
        signal: cancel.signal,
      });
      expect(await call.catch((error: unknown) => String(error))).to.equal('Error: stopped');
    });
  });
});
