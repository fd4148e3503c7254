import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import OpenAI from 'openai';
import { sampleOf } from '../../tools/model-stub/schema-sample.js';
import { parseStubScript, type StubScript } from '../../tools/model-stub/script.js';
import { startModelStub, type ModelStub } from '../../tools/model-stub/server.js';
import { temporaryFolder } from '../support/folder.js';
import { runAssay } from '../support/service-process.js';
import { bareEnvironment, program } from '../support/test-environment.js';

describe('the stub of a model provider', () => {
  let stub: ModelStub;
  const start = async (script?: StubScript): Promise<OpenAI> => {
    stub = await startModelStub(script);
    return new OpenAI({ apiKey: 'sk-test', baseURL: `${stub.url}/v1`, maxRetries: 2 });
  };
  afterEach(() => stub.close());
  const ask = (text: string) => ({
    model: 'gpt-4o',
    messages: [
      { role: 'system' as const, content: 'Be short.' },
      { role: 'user' as const, content: text },
    ],
  });
  const anthropic = (body: object): Promise<Response> =>
    fetch(`${stub.url}/v1/messages`, {
      method: 'POST',
      headers: { 'x-api-key': 'sk-ant', 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'claude-sonnet', max_tokens: 100, ...body }),
    });
  const rating = {
    type: 'object',
    properties: { explanation: { type: 'string' }, rating: { type: 'boolean' } },
    required: ['explanation', 'rating'],
  };

  describe('without a script', () => {
    it('echoes the last message in OpenAI’s format, and lists the call with its key', async () => {
      const client = await start();
      const answer = await client.chat.completions.create(ask('What is the capital of Norway?'));
      expect(answer.choices[0]).to.deep.include({ finish_reason: 'stop' });
      expect(answer.choices[0]?.message.content).to.equal('What is the capital of Norway?');
      expect(answer.model).to.equal('gpt-4o');
      expect(answer.usage?.prompt_tokens).to.be.greaterThan(5);
      const listed = (await (await fetch(`${stub.url}/calls`)).json()) as {
        readonly count: number;
        readonly calls: ReturnType<ModelStub['calls']>;
      };
      expect(listed.count).to.equal(1);
      expect(listed.calls).to.deep.equal(stub.calls());
      expect(listed.calls[0]).to.deep.include({ path: '/v1/chat/completions', status: 200 });
      expect(listed.calls[0]?.headers['authorization']).to.equal('Bearer sk-test');
      await fetch(`${stub.url}/calls`, { method: 'DELETE' });
      expect([stub.count(), stub.calls()]).to.deep.equal([0, []]);
    });

    it('answers JSON that fits the schema, the same for the same texts', async () => {
      const client = await start();
      const asked = () =>
        client.chat.completions.create({
          ...ask('Rate it'),
          response_format: { type: 'json_schema', json_schema: { name: 'rating', schema: rating } },
        });
      const answers = [await asked(), await asked()].map(
        ({ choices }) => JSON.parse(choices[0]?.message.content ?? '') as object,
      );
      expect(answers[0]).to.have.all.keys('explanation', 'rating').and.deep.equal(answers[1]);
    });

    it('answers in Anthropic’s format: text, a JSON schema, a forced tool', async () => {
      await start();
      const messages = [{ role: 'user', content: [{ type: 'text', text: 'Hello' }] }];
      const plain = (await (await anthropic({ messages })).json()) as object;
      expect(plain).to.deep.include({
        type: 'message',
        content: [{ type: 'text', text: 'Hello' }],
        stop_reason: 'end_turn',
      });
      const format = { type: 'json_schema', schema: rating };
      const typed = (await (await anthropic({ messages, output_config: { format } })).json()) as {
        readonly content: readonly { readonly text: string }[];
      };
      expect(JSON.parse(typed.content[0]?.text ?? '')).to.have.all.keys('explanation', 'rating');
      const tools = [{ name: 'json', input_schema: rating }];
      const choice = { type: 'tool', name: 'json' };
      const forced = (await (await anthropic({ messages, tools, tool_choice: choice })).json()) as {
        readonly content: readonly { readonly type: string; readonly input: object }[];
        readonly stop_reason: string;
      };
      expect(forced.stop_reason).to.equal('tool_use');
      expect(forced.content[0]?.input).to.have.all.keys('explanation', 'rating');
    });

    it('refuses other paths and streams', async () => {
      const client = await start();
      expect((await fetch(`${stub.url}/v1/models`)).status).to.equal(404);
      const error = await client.chat.completions
        .create({ ...ask('x'), stream: true })
        .catch((thrown: unknown) => thrown);
      expect(error).to.deep.include({ status: 400 });
    });
  });

  describe('with a script', () => {
    it('answers by the first rule that fits, in turn, and stays at the last answer', async () => {
      const headers = { 'retry-after-ms': '1' };
      const client = await start({
        rules: [
          {
            when: 'capital',
            answers: [{ status: 503, headers }, { status: 503, headers }, { text: 'Oslo' }],
          },
          { model: 'other', answers: [{ text: 'never' }] },
          { answers: [{ json: { rating: false } }] },
        ],
      });
      const first = await client.chat.completions.create(ask('The capital?'));
      expect(first.choices[0]?.message.content).to.equal('Oslo');
      expect(stub.calls().map(({ status }) => status)).to.deep.equal([503, 503, 200]);
      const second = await client.chat.completions.create(ask('The capital?'));
      expect(second.choices[0]?.message.content).to.equal('Oslo');
      const other = await client.chat.completions.create(ask('x'));
      expect(other.choices[0]?.message.content).to.equal('{"rating":false}');
    });

    it('reports the scripted tokens by kind, and why it ended', async () => {
      const usage = { input: 1_000, output: 30, cache_read: 800, cache_write: 50, reasoning: 12 };
      const client = await start({
        rules: [{ answers: [{ text: 'a', usage, finish: 'length' }] }],
      });
      const answer = await client.chat.completions.create(ask('x'));
      expect(answer.choices[0]?.finish_reason).to.equal('length');
      expect(answer.usage).to.deep.equal({
        prompt_tokens: 1_000,
        completion_tokens: 30,
        total_tokens: 1_030,
        prompt_tokens_details: { cached_tokens: 800 },
        completion_tokens_details: { reasoning_tokens: 12 },
      });
      const messages = [{ role: 'user', content: 'x' }];
      const message = (await (await anthropic({ messages })).json()) as object;
      expect(message).to.deep.include({
        stop_reason: 'max_tokens',
        usage: {
          input_tokens: 150,
          cache_read_input_tokens: 800,
          cache_creation_input_tokens: 50,
          output_tokens: 30,
        },
      });
    });

    it('fails as providers do, with the key where the script quotes it', async () => {
      const client = await start({
        rules: [{ answers: [{ status: 401, text: 'Incorrect API key provided: {{key}}' }] }],
      });
      const error = await client.chat.completions
        .create(ask('x'))
        .catch((thrown: unknown) => thrown);
      expect(error).to.deep.include({ status: 401, type: 'authentication_error' });
      expect(String(error)).to.contain('Incorrect API key provided: sk-test');
      const message = (await (await anthropic({ messages: [] })).json()) as object;
      expect(message).to.deep.equal({
        type: 'error',
        error: { type: 'authentication_error', message: 'Incorrect API key provided: sk-ant' },
      });
    });

    it('closes at once while an answer is delayed', async () => {
      const client = await start({ rules: [{ answers: [{ delay_ms: 60_000 }] }] });
      const asked = client.chat.completions
        .create(ask('x'), { maxRetries: 0 })
        .catch((thrown: unknown) => thrown);
      while (stub.count() === 0) await new Promise((resolve) => setImmediate(resolve));
      await stub.close();
      expect(await asked).to.be.instanceOf(Error);
      await start();
    });
  });
});

describe('a value that fits a JSON schema', () => {
  it('obeys types, choices, ranges, lengths and references', () => {
    const schema = {
      type: 'object',
      properties: {
        kind: { enum: ['a', 'b'] },
        fixed: { const: 7 },
        score: { type: 'integer', minimum: 1, maximum: 5 },
        share: { type: 'number', minimum: 0, maximum: 1 },
        name: { type: ['string', 'null'], minLength: 3, maxLength: 5 },
        list: { type: 'array', items: { $ref: '#/$defs/item' }, minItems: 2 },
        either: { anyOf: [{ type: 'boolean' }, { type: 'null' }] },
      },
      $defs: { item: { type: 'boolean' } },
    };
    expect(sampleOf(schema, 0, 'x')).to.deep.equal({
      kind: 'a',
      fixed: 7,
      score: 1,
      share: 0,
      name: 'x..',
      list: [true, true],
      either: true,
    });
    expect(sampleOf(schema, 0.99, 'long text')).to.deep.include({
      kind: 'b',
      score: 5,
      share: 0.99,
      name: 'long ',
      either: false,
    });
    const recursive = { $ref: '#' };
    expect(sampleOf(recursive, 0, 'x')).to.equal(null);
  });
});

describe('a script of the stub', () => {
  it('is refused by the member that is wrong', () => {
    const wrong: readonly (readonly [unknown, string])[] = [
      ['{', 'the script must be JSON'],
      [[], 'the script must be an object'],
      [{ rule: [] }, 'the script has no member rule: it has rules'],
      [{ rules: {} }, 'rules must be an array'],
      [{ rules: [{ answers: [] }] }, 'rules.0.answers must not be empty'],
      [{ rules: [{ when: 1, answers: [{}] }] }, 'rules.0.when must be a text'],
      [
        { rules: [{ answers: [{ status: 99 }] }] },
        'rules.0.answers.0.status must be a whole number from 200 to 599',
      ],
      [
        { rules: [{ answers: [{ text: '', json: 1 }] }] },
        'rules.0.answers.0 must have text or json, not both',
      ],
      [
        { rules: [{ answers: [{ finish: 'done' }] }] },
        'rules.0.answers.0.finish must be one of stop, length, filtered',
      ],
      [
        { rules: [{ answers: [{ usage: { tokens: 1 } }] }] },
        'rules.0.answers.0.usage has no member tokens: it has input, output, cache_read, ' +
          'cache_write, reasoning',
      ],
    ];
    for (const [script, sentence] of wrong) {
      const text = typeof script === 'string' ? script : JSON.stringify(script);
      expect(() => parseStubScript(text), sentence).to.throw(sentence);
    }
  });
});

describe('assay model-stub', () => {
  it('answers by the script of a file until it is ended', async () => {
    const { dir, remove } = await temporaryFolder();
    const script = join(dir, 'script.json');
    await writeFile(script, JSON.stringify({ rules: [{ answers: [{ text: 'scripted' }] }] }));
    const args = [program, 'model-stub', '--port', '0', '--script', script];
    const child = spawn(process.execPath, args, { env: bareEnvironment() });
    try {
      const [line] = (await once(child.stdout, 'data')) as [Buffer];
      const [url = ''] = /http:\S+?(?=;)/.exec(String(line)) ?? [];
      const client = new OpenAI({ apiKey: 'x', baseURL: `${url}/v1` });
      const answer = await client.chat.completions.create({
        model: 'm',
        messages: [{ role: 'user', content: 'x' }],
      });
      expect(answer.choices[0]?.message.content).to.equal('scripted');
      child.kill('SIGINT');
      const [code] = (await once(child, 'exit')) as [number];
      expect(code).to.equal(0);
      await writeFile(script, '{}');
      const refused = await runAssay(dir, 'model-stub', '--script', script);
      expect(refused).to.deep.include({ code: 1, output: 'assay: rules must be an array\n' });
    } finally {
      child.kill('SIGKILL');
      await remove();
    }
  });
});
