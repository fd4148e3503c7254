import { expect } from 'chai';
import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { startApp, type App } from '../support/app.js';
import { scriptedServer, type Scripted, type ScriptedServer } from '../support/scripted-server.js';

const key = 'sk-canary-71d0be44a9c3';

type Tested = {
  readonly ok: boolean;
  readonly error_code: number | null;
  readonly message: string | null;
  readonly latency_ms: number;
  readonly tokens: Readonly<Record<string, number>> | null;
  readonly cost: number | null;
};

const answered: Scripted = {
  status: 200,
  body: {
    model: 'model-a',
    choices: [{ index: 0, message: { role: 'assistant', content: 'OK' }, finish_reason: 'stop' }],
    usage: {
      prompt_tokens: 12,
      completion_tokens: 5,
      prompt_tokens_details: { cached_tokens: 8 },
      completion_tokens_details: { reasoning_tokens: 4 },
    },
  },
};

describe('tests of integrations over HTTP', () => {
  let app: App;
  let provider: ScriptedServer;
  let target: ScriptedServer;
  let next: Scripted = answered;
  before(async () => {
    provider = await scriptedServer(() => next);
    target = await scriptedServer([answered]);
    const allowed = new URL(provider.url).host;
    app = await startApp(undefined, { ASSAY_EGRESS_ALLOW: allowed });
  });
  after(async () => {
    await app.close();
    await provider.close();
    await target.close();
  });
  beforeEach(() => {
    next = answered;
  });

  const configure = (endpoint: string) => {
    const body = { endpoint, authentication_type: 'api_key', api_key_value: key };
    return app.client.send('PUT', '/v2/integrations/custom', { body });
  };
  const test = async (segment = 'custom', expected = 200, model = 'model-a') => {
    const path = `/v2/integrations/${segment}/test`;
    const answer = await app.client.send<Tested>('POST', path, { body: { model } });
    expect(answer.status, JSON.stringify(answer.body)).to.equal(expected);
    return answer.body;
  };
  /** All that the service stored, and its metrics. */
  const everything = async (): Promise<string> => {
    const names = await readdir(app.dir, { recursive: true, withFileTypes: true });
    const files = names.filter((entry) => entry.isFile());
    const texts = await Promise.all(
      files.map(({ parentPath, name }) => readFile(join(parentPath, name), 'latin1')),
    );
    return texts.join('\n') + (await (await fetch(`${app.opsUrl}/metrics`)).text());
  };

  it('calls the provider with the stored key and answers its tokens (models 1.1)', async () => {
    await configure(`${provider.url}/v1`);
    const { latency_ms: ms, ...rest } = await test();
    expect(ms).to.be.at.least(0);
    expect(rest).to.deep.equal({
      ok: true,
      error_code: null,
      message: null,
      tokens: { input: 12, output: 5, cache_read: 8, cache_write: 0, reasoning: 4 },
      cost: null,
    });
    const [sent] = provider.received;
    expect([sent?.path, sent?.headers.authorization]).to.deep.equal([
      '/v1/chat/completions',
      `Bearer ${key}`,
    ]);
    expect(JSON.parse(sent?.body ?? '')).to.include({ model: 'model-a', max_tokens: 16 });
    const metrics = await (await fetch(`${app.opsUrl}/metrics`)).text();
    expect(metrics).to.contain(
      'assay_model_calls_total{provider="custom",purpose="test",outcome="ok"} 1',
    );
    expect(metrics).to.contain('assay_model_tokens_total{kind="input"} 12');
  });

  it('says what a call costs by the shipped prices', async () => {
    await configure(`${provider.url}/v1`);
    const { cost } = await test('custom', 200, 'gpt-4o');
    expect(cost).to.be.closeTo((4 * 2.5 + 8 * 1.25 + 5 * 10) / 1e6, 1e-12);
  });

  it('says in its own words that a key was refused (models 1.2)', async () => {
    await configure(`${provider.url}/v1`);
    next = { status: 401, body: { error: { message: `Incorrect API key provided: ${key}` } } };
    const refused = await test();
    expect(refused).to.deep.include({
      ok: false,
      error_code: 1102,
      message: 'The provider refused the credential of the integration (HTTP 401).',
      tokens: null,
    });
    next = { status: 400, body: { error: { message: `You sent ${key}` } } };
    expect(await test()).to.deep.include({
      error_code: 1105,
      message: 'HTTP 400: You sent [secret]',
    });
    expect(await everything()).not.to.contain(key);
  });

  it('refuses addresses that the operator did not list (models 1.3)', async () => {
    expect((await configure('http://127.0.0.1:9091/v1')).status).to.equal(422);
    for (const host of ['10.0.0.1', '[::1]', '169.254.169.254', 'localhost']) {
      expect((await configure(`https://${host}/v1`)).status).to.equal(200);
      const refused = await test();
      expect([refused.ok, refused.error_code], host).to.deep.equal([false, 1109]);
    }
  });

  it('refuses a redirect (models 1.4)', async () => {
    await configure(`${provider.url}/v1`);
    next = { status: 307, headers: { Location: `${target.url}/v1/chat/completions` } };
    expect(await test()).to.deep.include({ ok: false, error_code: 1109 });
    expect(target.received).to.deep.equal([]);
  });

  it('does not call a disabled, a missing or a stored integration', async () => {
    await configure(`${provider.url}/v1`);
    const before = provider.received.length;
    const disabled = { integration_name: 'custom', disabled: true };
    await app.client.call('POST', '/v2/integrations/disable', { body: disabled });
    expect(await test()).to.deep.include({ ok: false, error_code: 1101 });
    await test('openai', 404);
    await test('nonsense', 404);
    const vegas = { token: key, endpoint: 'https://v.example', use_case: 'case' };
    await app.client.call('PUT', '/v2/integrations/vegas_gateway', { body: vegas });
    expect(await test('vegas_gateway')).to.deep.include({ ok: false, error_code: 1101 });
    expect(provider.received.length).to.equal(before);
  });

  it('permits ten tests a minute to a person', async () => {
    await configure(`${provider.url}/v1`);
    const enabled = { integration_name: 'custom', disabled: false };
    await app.client.call('POST', '/v2/integrations/disable', { body: enabled });
    const path = '/v2/integrations/custom/test';
    let last = 200;
    for (let tried = 0; tried <= 10 && last === 200; tried += 1)
      last = (await app.client.send('POST', path, { body: { model: 'model-a' } })).status;
    expect(last).to.equal(429);
  });
});
