import { expect } from 'chai';
import { sharedApp, type App } from '../support/app.js';
import {
  missingModel,
  modelAnswer,
  startOpenAiServer,
  modelUsage,
} from '../support/openai-server.js';
import type { ScriptedServer } from '../support/scripted-server.js';
import {
  outline,
  runSender,
  waitForTraces,
  spansUnder,
  type SenderRecord,
} from '../support/sender-runs.js';

const call = { id: 'call_1', function: { name: 'search', arguments: '{"city":"Oslo"}' } };
const system = { role: 'system', content: 'Be brief.' };
const question = { role: 'user', content: 'A flight to Oslo, please' };
const calling = { role: 'assistant', content: '', tool_calls: [call] };
const told = (content: string) => ({ role: 'tool', content, tool_call_id: 'call_1' });
const answer = { role: 'assistant', content: modelAnswer };
const tokens = {
  num_input_tokens: modelUsage.prompt_tokens,
  num_output_tokens: modelUsage.completion_tokens,
  num_total_tokens: modelUsage.total_tokens,
};

/** The first tool that a model was told of. */
const toolOf = (span: SenderRecord | undefined): unknown => {
  const [tool] = (span?.['tools'] ?? []) as readonly { readonly [member: string]: unknown }[];
  return (tool?.['function'] as { readonly name?: unknown } | undefined)?.name ?? tool?.['name'];
};
const ofType = (trace: SenderRecord, type: string): readonly SenderRecord[] =>
  spansUnder(trace).filter((span) => span.type === type);
const metadataOf = (record: SenderRecord | undefined): unknown => record?.['user_metadata'];

describe('programs that people instrumented, as they are', function () {
  let app: App;
  let models: ScriptedServer;
  before(async () => {
    app = await sharedApp();
    models = await startOpenAiServer();
  });
  after(() => models.close());

  const sent = async (
    name: string,
    traces = 1,
    env: Readonly<Record<string, string>> = {},
  ): Promise<{
    readonly ran: Awaited<ReturnType<typeof runSender>>;
    readonly traces: readonly SenderRecord[];
  }> => {
    const project = `${name} ${JSON.stringify(env).length}`;
    const openai = { OPENAI_BASE_URL: `${models.url}/v1`, OPENAI_API_KEY: 'sk-made-up' };
    const ran = await runSender(name, app, project, { ...openai, ...env });
    if (env['MODEL'] === undefined) expect(ran.code, ran.stderr).to.equal(0);
    return { ran, traces: await waitForTraces(app.client, project, traces) };
  };

  it("shows what OpenTelemetry's SDK sends: examples/opentelemetry.ts", async () => {
    const [trace] = (await sent('examples/opentelemetry.js')).traces;
    expect(trace && outline(trace)).to.deep.equal([
      'trace answer',
      '  agent answer',
      '    tool execute_tool search',
      '    llm chat model-a',
    ]);
    expect(trace).to.include({ input: question.content, output: modelAnswer });
    const [, tool, llm] = trace === undefined ? [] : spansUnder(trace);
    expect(tool).to.include({ input: '{"city":"Oslo"}', output: 'SK 4711 to Oslo' });
    expect(llm).to.deep.include({
      input: [question, told('SK 4711 to Oslo')],
      output: answer,
      model: 'model-a',
    });
    expect(llm?.['metrics']).to.include(tokens);
  });

  for (const [name, finished] of [
    ['openinference', 'tool_calls'],
    ['openllmetry', 'tool_call'],
  ] as const)
    it(`shows calls of OpenAI's client: test/senders/${name}.ts`, async () => {
      const [trace] = (await sent(`test/senders/${name}.js`)).traces;
      if (trace === undefined) return expect.fail('no trace');
      const [first, second] = ofType(trace, 'llm');
      const chat = name === 'openllmetry' ? 'chat model-a' : 'OpenAI Chat Completions';
      expect(outline(trace)).to.deep.equal([
        'trace answer',
        '  workflow answer',
        `    llm ${chat}`,
        `    llm ${chat}`,
        '    workflow ask again',
      ]);
      expect(first).to.deep.include({
        input: [system, question],
        output: calling,
        model: 'model-a-2026-03-01',
        temperature: 0.25,
        finish_reason: finished,
      });
      expect(first?.['metrics']).to.include(tokens);
      expect(second).to.deep.include({
        input: [system, question, calling, told('SK 4711')],
        output: answer,
        temperature: 0.25,
        finish_reason: 'stop',
      });
      expect([first, second].map(toolOf)).to.deep.equal(['search', 'search']);
      const failed = spansUnder(trace).at(-1);
      expect(failed).to.include({ status_code: 500 });
      expect(metadataOf(failed)).to.include({
        'error.message': `404 The model ${missingModel} does not exist`,
      });
    });

  it('shows an agent of LangChain.js: examples/langchain.ts', async () => {
    const { ran, traces } = await sent('examples/langchain.js');
    expect(ran.stdout).to.equal(`${modelAnswer}\n`);
    const [trace] = traces;
    if (trace === undefined) return expect.fail('no trace');
    expect(trace).to.deep.include({ input: question.content, output: modelAnswer });
    const [tool] = ofType(trace, 'tool');
    expect(outline(tool ?? trace)).to.deep.equal(['tool search', '  retriever Timetable']);
    expect(tool).to.include({ input: 'Oslo', output: 'SK 4711 to Oslo', status_code: 200 });
    expect(tool?.spans?.[0]).to.deep.include({
      input: 'Oslo',
      output: [{ content: 'SK 4711 to Oslo', metadata: { page: 12 } }],
    });
    const models = ofType(trace, 'llm');
    expect(models.map(({ name }) => name)).to.deep.equal(['ChatOpenAI', 'ChatOpenAI']);
    expect(models.map((one) => one['finish_reason'])).to.deep.equal(['tool_calls', 'stop']);
    expect(models.map((one) => one['model'])).to.deep.equal(['gpt-5-mini', 'gpt-5-mini']);
    expect(models.map(toolOf)).to.deep.equal(['search', 'search']);
    for (const one of models) expect(one['metrics']).to.include(tokens);
    // This instrumentation names no calls in the messages of models.
    const unnamed = { ...calling, tool_calls: [{ ...call, id: '' }] };
    expect(models[0]).to.deep.include({ input: [question], output: unnamed });
    expect(models[1]).to.deep.include({
      input: [question, unnamed, { role: 'tool', content: 'SK 4711 to Oslo' }],
      output: answer,
    });
    // Steps of the graph pass messages in LangChain's own form, with the names of calls.
    const [step] = ofType(trace, 'workflow').filter(({ name }) => name === 'model_request');
    expect(step).to.deep.include({ input: [question], output: calling });
  });

  it('shows what the Vercel AI SDK says of itself: examples/vercel-ai.ts', async () => {
    const { ran, traces } = await sent('examples/vercel-ai.js', 2);
    expect(ran.stdout).to.equal(`${modelAnswer}\n${modelAnswer}\n`);
    const [agent, stream] = traces;
    if (agent === undefined || stream === undefined) return expect.fail('no traces');
    expect(traces.map((one) => outline(one))).to.deep.equal([
      [
        'trace ai.generateText',
        '  workflow ai.generateText',
        '    llm ai.generateText.doGenerate',
        '    tool search',
        '    llm ai.generateText.doGenerate',
      ],
      ['trace ai.streamText', '  workflow ai.streamText', '    llm ai.streamText.doStream'],
    ]);
    expect(agent).to.include({ input: question.content, output: modelAnswer });
    const [first, second] = ofType(agent, 'llm');
    expect(first).to.deep.include({
      input: [question],
      output: calling,
      finish_reason: 'tool-calls',
    });
    expect(second).to.deep.include({
      input: [question, calling, told('SK 4711 to Oslo')],
      output: answer,
      model: 'gpt-5-mini-2026-03-01',
      finish_reason: 'stop',
    });
    expect(toolOf(first)).to.equal('search');
    expect(metadataOf(first)).to.include({ tier: 'gold' });
    expect(ofType(agent, 'tool')[0]).to.include({
      input: '{"city":"Oslo"}',
      output: 'SK 4711 to Oslo',
      tool_call_id: 'call_1',
    });
    const [streamed] = ofType(stream, 'llm');
    expect(streamed).to.deep.include({ input: [question], output: answer });
    for (const one of [first, second, streamed]) expect(one?.['metrics']).to.include(tokens);
    expect(streamed?.['metrics']).to.have.property('time_to_first_token_ns').above(0);
  });

  for (const name of ['langchain', 'vercel-ai'])
    it(`shows a model that does not exist as what failed: examples/${name}.ts`, async () => {
      const { ran, traces } = await sent(`examples/${name}.js`, 1, { MODEL: missingModel });
      expect(ran.code).to.equal(1);
      const [trace] = traces;
      const failed = trace === undefined ? undefined : ofType(trace, 'llm')[0];
      expect(trace).to.include({ status_code: 500 });
      expect(failed).to.include({ status_code: 500 });
      const said = metadataOf(failed) as Readonly<Record<string, string>> | undefined;
      expect(said?.['error.message']).to.include(`The model ${missingModel} does not exist`);
    });
});
