import { expect } from 'chai';
import { importFormats } from '../../tools/import/formats.js';
import { validationProblem } from '../../tools/import/record-validation.js';
import { isRefused } from '../../tools/import/records.js';
import { recordsOf } from '../support/transfer-commands.js';

/** Answer of `GET /api/public/traces/{id}` of Langfuse. */
const nested = {
  id: '0b6e5c1e-9c3b-4f0e-8e59-0f3a7e2b9c11',
  timestamp: '2026-03-01T09:00:00.000Z',
  name: 'chat',
  input: { question: 'To Oslo?' },
  output: 'booked',
  sessionId: 'session-7',
  userId: 'u1',
  release: 'v2',
  version: null,
  environment: 'default',
  metadata: { plan: 'pro', depth: { a: 1 } },
  tags: ['prod', 'beta'],
  latency: 2.5,
  totalCost: 0.002,
  htmlPath: '/project/x',
  observations: [
    {
      id: 'obs-2',
      traceId: '0b6e5c1e-9c3b-4f0e-8e59-0f3a7e2b9c11',
      parentObservationId: 'obs-1',
      type: 'GENERATION',
      name: 'answer',
      startTime: '2026-03-01T09:00:00.500Z',
      endTime: '2026-03-01T09:00:02.000Z',
      completionStartTime: '2026-03-01T09:00:00.750Z',
      model: 'gpt-4o',
      modelParameters: { temperature: 0.2, max_tokens: 100 },
      input: [
        { role: 'system', content: 'be kind' },
        { role: 'user', content: [{ type: 'text', text: 'To Oslo?' }] },
      ],
      output: {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'c1', type: 'function', function: { name: 'find', arguments: '{}' } }],
      },
      usageDetails: { input: 12, output: 3, total: 15 },
      costDetails: { input: 0.001, output: 0.001, total: 0.002 },
      level: 'DEFAULT',
      statusMessage: null,
    },
    {
      id: 'obs-1',
      traceId: '0b6e5c1e-9c3b-4f0e-8e59-0f3a7e2b9c11',
      parentObservationId: null,
      type: 'AGENT',
      name: 'agent',
      startTime: '2026-03-01T09:00:00.000Z',
      endTime: '2026-03-01T09:00:02.500Z',
      input: 'To Oslo?',
      output: 'booked',
      level: 'ERROR',
      statusMessage: 'tool failed',
    },
    {
      id: 'obs-3',
      parentObservationId: 'obs-1',
      type: 'RETRIEVER',
      name: 'docs',
      startTime: '2026-03-01T09:00:00.100Z',
      input: 'oslo',
      output: [{ pageContent: 'ignored', page_content: 'one', metadata: { page: 1, list: [1] } }],
    },
    { id: 'obs-4', type: 'EVENT', name: 'note', startTime: '2026-03-01T09:00:01.000Z' },
  ],
  scores: [
    { id: 's1', name: 'helpful', value: 0.5, dataType: 'NUMERIC' },
    { id: 's2', name: 'grade', value: 0, stringValue: 'good', dataType: 'CATEGORICAL' },
    { id: 's3', name: 'safe', value: 1, dataType: 'BOOLEAN', observationId: 'obs-2' },
  ],
};

const { read } = importFormats.langfuse;

describe('an export of Langfuse', () => {
  it('becomes a tree: kinds, messages, tokens, times, errors, scores', async () => {
    const [record, ...others] = await recordsOf(read, [nested]);
    expect(others).to.deep.equal([]);
    if (record === undefined || isRefused(record) || record.kind !== 'trace') throw new Error();
    expect(record.request).to.deep.equal({ session_external_id: 'session-7' });
    const { spans, ...trace } = record.trace;
    expect(trace).to.deep.equal({
      id: nested.id,
      external_id: nested.id,
      name: 'chat',
      created_at: '2026-03-01T09:00:00.000Z',
      input: '{"question":"To Oslo?"}',
      output: 'booked',
      tags: ['prod', 'beta'],
      user_metadata: { plan: 'pro', depth: '{"a":1}', user_id: 'u1', release: 'v2' },
      metrics: { duration_ns: 2_500_000_000, helpful: 0.5, grade: 'good' },
    });
    const [agent, note] = spans as readonly Readonly<Record<string, unknown>>[];
    const [answer, docs] = (agent?.['spans'] ?? []) as readonly Readonly<Record<string, unknown>>[];
    expect(note).to.include({ type: 'workflow', name: 'note' });
    expect(agent).to.include({ type: 'agent', status_code: 500, external_id: 'obs-1' });
    expect(agent?.['user_metadata']).to.deep.equal({
      status_message: 'tool failed',
      level: 'ERROR',
    });
    expect({ ...answer, id: '' }).to.deep.equal({
      type: 'llm',
      id: '',
      external_id: 'obs-2',
      name: 'answer',
      created_at: '2026-03-01T09:00:00.500Z',
      input: [
        { content: 'be kind', role: 'system' },
        { content: [{ type: 'text', text: 'To Oslo?' }], role: 'user' },
      ],
      output: {
        content: '',
        role: 'assistant',
        tool_calls: [{ id: 'c1', function: { name: 'find', arguments: '{}' } }],
      },
      model: 'gpt-4o',
      temperature: 0.2,
      metrics: {
        num_input_tokens: 12,
        num_output_tokens: 3,
        num_total_tokens: 15,
        cost: 0.002,
        duration_ns: 1_500_000_000,
        time_to_first_token_ns: 250_000_000,
        safe: true,
      },
    });
    expect(docs?.['output']).to.deep.equal([
      { content: 'one', metadata: { pageContent: 'ignored', page: 1, list: '[1]' } },
    ]);
    expect(validationProblem(record)).to.equal(null);
  });

  it('is the same from tables in any order and from downloads of the UI', async () => {
    const snake = (row: object): object =>
      Object.fromEntries(
        Object.entries(row).map(([name, value]) => [
          name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
          value,
        ]),
      );
    const { observations, scores, ...trace } = nested;
    const withTrace = (rows: readonly object[]) =>
      rows.map((row) => snake({ ...row, traceId: nested.id }));
    const tables = [...withTrace(scores), ...withTrace(observations), snake(trace)];
    const trees = async (values: readonly object[]) =>
      (await recordsOf(read, values)).map((one) => ({ ...one, line: 0 }));
    const expected = await trees([nested]);
    expect(await trees(tables)).to.deep.equal(expected);
    expect(await trees([{ trace, observations, scores }])).to.deep.equal(expected);
    expect(await trees([{ data: [nested], meta: {} }])).to.deep.equal(expected);
  });

  it('counts kinds of tokens as parts of the input and output', async () => {
    const tokens = async (usageDetails: object) => {
      const observation = { ...nested.observations[1], id: 'g', type: 'GENERATION', usageDetails };
      const [record] = await recordsOf(read, [{ ...nested, observations: [observation] }]);
      if (record === undefined || isRefused(record) || record.kind !== 'trace') throw new Error();
      const [{ metrics }] = record.trace['spans'] as [{ readonly metrics: object }];
      return Object.fromEntries(
        Object.entries(metrics).filter(([name]) => name.startsWith('num_')),
      );
    };
    const openai = {
      input: 86,
      input_cached_tokens: 1_920,
      output: 100,
      output_reasoning_tokens: 200,
    };
    expect(await tokens({ ...openai, total: 2_306 })).to.deep.equal({
      num_input_tokens: 2_006,
      num_output_tokens: 300,
      num_total_tokens: 2_306,
      num_cached_input_tokens: 1_920,
      num_reasoning_tokens: 200,
    });
    const anthropic = { cache_read_input_tokens: 900, cache_creation_input_tokens: 30 };
    expect(await tokens({ input: 50, output: 7, ...anthropic })).to.deep.equal({
      num_input_tokens: 980,
      num_output_tokens: 7,
      num_cached_input_tokens: 900,
      num_cache_creation_input_tokens: 30,
    });
  });

  it('needs no trace row where observations describe it', async () => {
    const row = {
      trace_id: 'a'.repeat(32),
      start_time: '2026-03-01 09:00:00.250000',
      end_time: '2026-03-01 09:00:00.500250',
      trace_name: 'chat',
      session_id: 's',
      user_id: 'u',
      tags: ['x'],
      usage_details: '{"input": 3}',
    };
    const rows = [
      { ...row, id: 'b'.repeat(16), parent_observation_id: 'c'.repeat(16), type: 'GENERATION' },
      { ...row, id: 'c'.repeat(16), type: 'SPAN', input: 'q', output: 'a' },
    ];
    const [record] = await recordsOf(read, rows);
    if (record === undefined || isRefused(record) || record.kind !== 'trace') throw new Error();
    const { spans, ...trace } = record.trace;
    expect(trace).to.deep.include({ name: 'chat', input: 'q', output: 'a', tags: ['x'] });
    expect(trace['user_metadata']).to.deep.equal({ user_id: 'u' });
    const [root] = spans as readonly { readonly metrics: object; readonly spans: object[] }[];
    expect(root?.metrics).to.deep.equal({ num_input_tokens: 3, duration_ns: 250_250_000 });
    expect(root?.spans.length).to.equal(1);
    expect(validationProblem(record)).to.equal(null);
  });

  it('reports what it cannot import', async () => {
    const score = { trace_id: 't1', name: 'good', value: 1, data_type: 'NUMERIC' };
    expect(await recordsOf(read, [{ hello: 1 }, score])).to.deep.equal([
      { line: 1, problem: 'it is nothing that this format has' },
      { line: 2, problem: 'there is neither trace t1 nor a span of it' },
    ]);
  });
});
