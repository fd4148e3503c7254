import { expect } from 'chai';
import { importFormats } from '../../tools/import/formats.js';
import { validationProblem } from '../../tools/import/record-validation.js';
import { isRefused } from '../../tools/import/records.js';
import { recordsOf } from '../support/transfer-commands.js';

const [traceId, rootId, llmId, docsId] = [
  '1'.repeat(32),
  'a'.repeat(16),
  'b'.repeat(16),
  'c'.repeat(16),
];

/** Rows of `get_spans_dataframe()` as `to_json(orient="records", lines=True)` writes them. */
const rows = [
  {
    'context.span_id': llmId,
    'context.trace_id': traceId,
    parent_id: rootId,
    name: 'ChatCompletion',
    span_kind: 'LLM',
    start_time: 1_772_355_600_500,
    end_time: 1_772_355_602_000,
    status_code: 'OK',
    status_message: '',
    events: [],
    'attributes.llm.model_name': 'gpt-4o',
    'attributes.llm.invocation_parameters': '{"temperature": 0.5}',
    'attributes.llm.token_count.prompt': 10.0,
    'attributes.llm.token_count.completion': 2.0,
    'attributes.llm.token_count.total': 12.0,
    'attributes.llm.token_count.prompt_details.cache_read': 6.0,
    'attributes.llm.token_count.completion_details.reasoning': 1.0,
    'attributes.llm.input_messages': [
      { 'message.role': 'system', 'message.content': 'be kind' },
      {
        'message.role': 'user',
        'message.contents': [
          { 'message_content.type': 'text', 'message_content.text': 'To Oslo?' },
        ],
      },
    ],
    'attributes.llm.output_messages': [
      {
        'message.role': 'assistant',
        'message.tool_calls': [
          {
            'tool_call.id': 'c1',
            'tool_call.function.name': 'find',
            'tool_call.function.arguments': '{"to":"OSL"}',
          },
        ],
      },
    ],
    'attributes.llm.tools': [{ 'tool.json_schema': '{"type":"function"}' }],
    'attributes.input.value': '{"messages":[]}',
    'attributes.session.id': null,
  },
  {
    'context.span_id': docsId,
    'context.trace_id': traceId,
    parent_id: rootId,
    name: 'retrieve',
    span_kind: 'RETRIEVER',
    start_time: 1_772_355_600_100,
    end_time: 1_772_355_600_200,
    status_code: 'ERROR',
    status_message: 'half of it',
    'attributes.input.value': 'oslo',
    'attributes.retrieval.documents': [
      {
        'document.content': 'one',
        'document.score': 0.5,
        'document.id': 'd1',
        'document.metadata': { page: 1 },
      },
    ],
  },
  {
    'context.span_id': rootId,
    'context.trace_id': traceId,
    parent_id: null,
    name: 'chat',
    span_kind: 'CHAIN',
    start_time: 1_772_355_600_000,
    end_time: 1_772_355_602_500,
    status_code: 'UNSET',
    'attributes.input.value': 'To Oslo?',
    'attributes.output.value': 'booked',
    'attributes.session.id': 's1',
    'attributes.user.id': 'u1',
    'attributes.metadata': { plan: 'pro' },
    'attributes.tag.tags': ['prod'],
    'attributes.own.thing': true,
  },
];

const { read } = importFormats.phoenix;

describe('spans of Phoenix', () => {
  it('become a trace: kinds, messages, tools, documents, tokens, times, errors', async () => {
    const [record, ...others] = await recordsOf(read, rows);
    expect(others).to.deep.equal([]);
    if (record === undefined || isRefused(record) || record.kind !== 'trace') throw new Error();
    expect(record.request).to.deep.equal({ session_external_id: 's1' });
    const { spans, id, ...trace } = record.trace;
    // Contract 5.12, rule 2: SHA-256 of `otel-trace:` and 32 times a 1.
    expect(id).to.equal('e1907042-31c9-41b9-982c-c21954b99850');
    expect(trace).to.deep.equal({
      external_id: traceId,
      name: 'chat',
      created_at: '2026-03-01T09:00:00.000Z',
      input: 'To Oslo?',
      output: 'booked',
      tags: ['prod'],
      user_metadata: { plan: 'pro', user_id: 'u1', 'own.thing': 'true' },
      metrics: { duration_ns: 2_500_000_000 },
    });
    const [root] = spans as readonly Readonly<Record<string, unknown>>[];
    expect(root).to.include({ type: 'workflow', name: 'chat', input: 'To Oslo?' });
    const [llm, docs] = (root?.['spans'] ?? []) as readonly Readonly<Record<string, unknown>>[];
    expect({ ...llm, id: '' }).to.deep.equal({
      type: 'llm',
      id: '',
      external_id: llmId,
      name: 'ChatCompletion',
      created_at: '2026-03-01T09:00:00.500Z',
      status_code: 200,
      input: [
        { content: 'be kind', role: 'system' },
        { content: [{ type: 'text', text: 'To Oslo?' }], role: 'user' },
      ],
      output: {
        content: '',
        role: 'assistant',
        tool_calls: [{ id: 'c1', function: { name: 'find', arguments: '{"to":"OSL"}' } }],
      },
      model: 'gpt-4o',
      temperature: 0.5,
      tools: [{ type: 'function' }],
      metrics: {
        duration_ns: 1_500_000_000,
        num_input_tokens: 10,
        num_output_tokens: 2,
        num_total_tokens: 12,
        num_cached_input_tokens: 6,
        num_reasoning_tokens: 1,
      },
    });
    expect(docs).to.deep.include({
      type: 'retriever',
      status_code: 500,
      input: 'oslo',
      output: [{ content: 'one', metadata: { page: '1', id: 'd1', score: 0.5 } }],
      user_metadata: { status_message: 'half of it' },
    });
    expect(validationProblem(record)).to.equal(null);
  });

  it('are the same with nested objects, and in answers of its REST interface', async () => {
    const rest = rows.map((row) => {
      const others = Object.entries(row).filter(([name]) => !/^(attributes|context)\./.test(name));
      const attributes = Object.entries(row).filter(([name]) => name.startsWith('attributes.'));
      return {
        ...Object.fromEntries(others),
        context: { trace_id: row['context.trace_id'], span_id: row['context.span_id'] },
        attributes: Object.fromEntries(
          attributes.map(([name, value]) => [name.replace('attributes.', ''), value]),
        ),
      };
    });
    const trees = async (values: readonly object[]) =>
      (await recordsOf(read, values)).map((one) => ({ ...one, line: 0 }));
    expect(await trees([{ data: rest, next_cursor: null }])).to.deep.equal(await trees(rows));
  });

  it('are refused with what is missing, and become roots if their own ancestors', async () => {
    const { 'context.span_id': _, ...indexless } = rows[0] as Record<string, unknown>;
    const [refused, ...none] = await recordsOf(read, [indexless]);
    expect([refused, none]).to.deep.equal([
      {
        line: 1,
        problem:
          'a span has no context.span_id; of a dataframe it is the index: ' +
          'reset_index() before to_json',
      },
      [],
    ]);
    const span = (id: string, parent: string) => ({
      'context.trace_id': traceId,
      'context.span_id': id,
      parent_id: parent,
      name: id,
    });
    const [record] = await recordsOf(read, [span('a', 'b'), span('b', 'a'), span('c', 'a')]);
    if (record === undefined || isRefused(record) || record.kind !== 'trace') throw new Error();
    type Shown = { readonly name: string; readonly spans?: readonly Shown[] };
    const shown = ({ name, spans = [] }: Shown): unknown => [name, spans.map(shown)];
    expect((record.trace['spans'] as unknown as readonly Shown[]).map(shown)).to.deep.equal([
      ['a', [['c', []]]],
      ['b', []],
    ]);
  });
});
