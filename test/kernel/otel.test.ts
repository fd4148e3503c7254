import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import * as fc from 'fast-check';
import { ruleInputNames, otelMapping } from '../../kernel/otel/mapping.js';
import { otelModelCall, otelRecord, type OtelRecord } from '../../kernel/otel/record.js';
import type { JsonObject } from '../../kernel/schema-types.js';
import { otelSpan } from '../support/otlp.js';
import { noon, readSpan, recordOf } from '../support/otel-records.js';
import { drawSeed, repository } from '../support/test-environment.js';
import { runs } from '../support/runs.js';

const question = [{ role: 'user', content: 'Rome?' }];
const call = { id: 'c1', function: { name: 'search', arguments: '{"to":"Rome"}' } };

describe('spans of exporters', () => {
  it('reads GenAI attributes since 1.37', () => {
    const record = recordOf({
      'gen_ai.operation.name': 'chat',
      'gen_ai.system_instructions': '[{"type":"text","content":"Be brief."}]',
      'gen_ai.input.messages': JSON.stringify([
        { role: 'user', parts: [{ type: 'text', content: 'Rome?' }] },
        { role: 'tool', parts: [{ type: 'tool_call_response', id: 'c0', response: { ok: true } }] },
      ]),
      'gen_ai.output.messages': JSON.stringify([
        {
          role: 'assistant',
          parts: [
            { type: 'text', content: 'Looking.' },
            { type: 'tool_call', id: 'c1', name: 'search', arguments: { to: 'Rome' } },
          ],
        },
      ]),
      'gen_ai.response.finish_reasons': ['tool_call'],
      'gen_ai.request.temperature': 0.5,
    });
    expect(record).to.deep.include({
      type: 'llm',
      input: [
        { role: 'system', content: 'Be brief.' },
        ...question,
        { role: 'tool', content: '{"ok":true}', tool_call_id: 'c0' },
      ],
      output: { role: 'assistant', content: 'Looking.', tool_calls: [call] },
      finish_reason: 'tool_call',
      temperature: 0.5,
    });
  });

  it('reads GenAI events before 1.37', () => {
    const event = (name: string, attributes: JsonObject) => ({
      name,
      timeUnixNano: '1',
      attributes: Object.entries(attributes).map(([key, value]) => ({
        key,
        value: { stringValue: value },
      })),
    });
    const record = recordOf(
      { 'gen_ai.operation.name': 'chat' },
      {
        events: [
          event('gen_ai.user.message', { content: 'Rome?' }),
          event('gen_ai.choice', { message: '{"role":"assistant","content":"Yes."}' }),
        ],
      },
    );
    expect(record.input).to.deep.equal(question);
    expect(record.output).to.deep.equal({ role: 'assistant', content: 'Yes.' });
  });

  it('reads OpenLLMetry', () => {
    const record = recordOf({
      'llm.request.type': 'chat',
      'gen_ai.prompt.0.role': 'user',
      'gen_ai.prompt.0.content': 'Rome?',
      'gen_ai.completion.0.role': 'assistant',
      'gen_ai.completion.0.finish_reason': 'tool_calls',
      'gen_ai.completion.0.tool_calls.0.id': 'c1',
      'gen_ai.completion.0.tool_calls.0.name': 'search',
      'gen_ai.completion.0.tool_calls.0.arguments': '{"to":"Rome"}',
      'llm.usage.total_tokens': 12,
      'traceloop.association.properties.tier': 'gold',
    });
    expect(record).to.deep.include({
      type: 'llm',
      input: question,
      output: { role: 'assistant', content: '', tool_calls: [call] },
      finish_reason: 'tool_calls',
      user_metadata: { tier: 'gold' },
    });
    expect(record.metrics).to.include({ num_total_tokens: 12 });
    const step = recordOf({ 'traceloop.span.kind': 'tool', 'traceloop.entity.input': '{"a":1}' });
    expect(step).to.include({ type: 'tool', input: '{"a":1}' });
  });

  it('reads OpenInference', () => {
    const record = recordOf({
      'openinference.span.kind': 'LLM',
      'llm.input_messages.0.message.role': 'user',
      'llm.input_messages.0.message.content': 'Rome?',
      'llm.output_messages.0.message.role': 'assistant',
      'llm.output_messages.0.message.tool_calls.0.tool_call.id': 'c1',
      'llm.output_messages.0.message.tool_calls.0.tool_call.function.name': 'search',
      'llm.output_messages.0.message.tool_calls.0.tool_call.function.arguments': '{"to":"Rome"}',
      'llm.invocation_parameters': '{"temperature":0.25}',
      'llm.model_name': 'model-a',
      'llm.finish_reason': 'tool_calls',
      'tag.tags': ['a', 'b', 'a'],
      metadata: '{"tier":"gold","seats":2}',
      'user.id': 'u1',
      'input.value': 'left out of metadata',
    });
    expect(record).to.deep.include({
      type: 'llm',
      input: question,
      output: { role: 'assistant', content: '', tool_calls: [call] },
      temperature: 0.25,
      finish_reason: 'tool_calls',
      model: 'model-a',
      tags: ['a', 'b'],
      user_metadata: { tier: 'gold', seats: '2', user_id: 'u1' },
    });
    const found = recordOf({
      'openinference.span.kind': 'RETRIEVER',
      'retrieval.documents.0.document.content': 'Rome is old.',
      'retrieval.documents.0.document.score': 0.5,
    });
    expect(found.output).to.deep.equal([{ content: 'Rome is old.', metadata: { score: 0.5 } }]);
  });

  it('reads the Vercel AI SDK', () => {
    const record = recordOf({
      'ai.operationId': 'ai.generateText.doGenerate',
      'ai.prompt.messages': '[{"role":"user","content":[{"type":"text","text":"Rome?"}]}]',
      'ai.response.text': 'Looking.',
      'ai.response.toolCalls': JSON.stringify([
        { toolCallType: 'function', toolCallId: 'c1', toolName: 'search', args: '{"to":"Rome"}' },
      ]),
      'ai.usage.promptTokens': 9,
      'ai.usage.inputTokenDetails.cacheReadTokens': 4,
      'ai.usage.inputTokenDetails.cacheWriteTokens': 3,
      'ai.usage.outputTokenDetails.reasoningTokens': 2,
      'ai.telemetry.metadata.tier': 'gold',
    });
    expect(record).to.deep.include({
      type: 'llm',
      input: question,
      output: { role: 'assistant', content: 'Looking.', tool_calls: [call] },
      user_metadata: { tier: 'gold' },
    });
    expect(record.metrics).to.include({
      num_input_tokens: 9,
      num_cached_input_tokens: 4,
      num_cache_creation_input_tokens: 3,
      num_reasoning_tokens: 2,
    });
    const tool = recordOf({
      'ai.operationId': 'ai.toolCall',
      'ai.toolCall.id': 'c1',
      'ai.toolCall.args': '{"to":"Rome"}',
      'ai.toolCall.result': '"ok"',
    });
    expect(tool).to.include({
      type: 'tool',
      tool_call_id: 'c1',
      input: '{"to":"Rome"}',
      output: 'ok',
    });
    expect(recordOf({ 'ai.operationId': 'ai.toolCall', 'ai.toolCall.name': 'search' })).to.include({
      name: 'search',
    });
    for (const result of ['{"ok":true}', '"half', '"a" or "b"', 'plain'])
      expect(
        recordOf({ 'ai.operationId': 'ai.toolCall', 'ai.toolCall.result': result }),
      ).to.include({
        output: result,
      });
    const [, answered] = recordOf({
      'ai.operationId': 'ai.generateText.doGenerate',
      'ai.prompt.messages': JSON.stringify([
        { role: 'user', content: 'Rome?' },
        {
          role: 'tool',
          content: [
            { type: 'tool-result', toolCallId: 'c1', output: { type: 'text', value: 'booked' } },
          ],
        },
      ]),
    }).input as readonly unknown[];
    expect(answered).to.deep.equal({ role: 'tool', content: 'booked', tool_call_id: 'c1' });
  });

  it('reads messages of LangChain, wherever a step of its graph has them', () => {
    const said = (name: string, kwargs: object) => ({
      lc: 1,
      type: 'constructor',
      id: ['langchain_core', 'messages', name],
      kwargs,
    });
    const asked = said('HumanMessage', { content: 'Rome?' });
    const calls = [{ name: 'search', args: { to: 'Rome' }, type: 'tool_call', id: 'c1' }];
    const calling = said('AIMessage', { content: '', tool_calls: calls });
    const told = said('ToolMessage', { content: 'booked', tool_call_id: 'c1' });
    const step = (input: object, output: object): OtelRecord =>
      recordOf({ 'input.value': JSON.stringify(input), 'output.value': JSON.stringify(output) });
    const messages = [asked, calling, told];
    const answer = { role: 'tool', content: 'booked', tool_call_id: 'c1' };
    const state = step({ messages: [asked, calling] }, { messages });
    expect(state).to.deep.include({
      type: 'workflow',
      input: [...question, { role: 'assistant', content: '', tool_calls: [call] }],
      output: answer,
    });
    for (const output of [
      [{ lg_name: 'Command', update: { messages } }],
      { lg_name: 'Send', args: { messages } },
      { output: told },
    ])
      expect(step({}, { output }).output).to.deep.equal(answer);
    const tool = recordOf({
      'openinference.span.kind': 'TOOL',
      'output.value': JSON.stringify({ output: told }),
    });
    expect(tool.output).to.equal('booked');
    // A value that only resembles one stays as it came.
    for (const odd of [{ messages: [{ ...told, lc: 2 }] }, { messages: [said('Chat', {})] }, 'a'])
      expect(recordOf({ 'output.value': JSON.stringify(odd) }).output).to.equal(
        JSON.stringify(odd),
      );
  });

  it('reads the error of a failed span', () => {
    const failed = (event: string) => ({
      name: 'exception',
      timeUnixNano: '1',
      attributes: [{ key: 'exception.message', value: { stringValue: event } }],
    });
    const why = (more: object): unknown => recordOf({}, more).user_metadata?.['error.message'];
    expect(why({ status: { code: 2, message: 'sold out' }, events: [failed('x')] })).to.equal(
      'sold out',
    );
    expect(why({ status: { code: 2 }, events: [failed('x'), failed('y')] })).to.equal('y');
    expect(why({ status: { code: 1, message: 'fine' } })).to.equal(undefined);
  });

  it('falls back to the time of receipt, without duration, when times are missing', () => {
    expect(recordOf({}, { startTimeUnixNano: '0' })).to.deep.include({
      created_at: noon,
      minted: ['created_at'],
    });
    expect(recordOf({}, { endTimeUnixNano: '5' })).to.not.have.property('metrics');
    const far = recordOf({}, { startTimeUnixNano: '18446744073709551615' });
    expect(far.created_at).to.equal('2554-07-21T23:34:33.709551Z');
  });

  it('keeps other attributes as metadata up to its limit', () => {
    const many = Object.fromEntries(Array.from({ length: 10_000 }, (_, at) => [`k${at}`, at]));
    const { user_metadata: metadata = {} } = recordOf({ ...many, k0: 'x'.repeat(5_000) });
    expect(Object.keys(metadata)).to.have.length(200);
    expect(metadata['k0']).to.have.length(4_096);
  });

  it('reads -0 as 0, which JSON has', () => {
    const attributes = [{ key: 'ai.response.msToFirstChunk', value: { doubleValue: -0 } }];
    const { metrics } = otelRecord(
      otelMapping,
      readSpan({ ...otelSpan({ id: 1 }), attributes }),
      noon,
    );
    expect(Object.is(metrics?.['time_to_first_token_ns'], 0)).to.equal(true);
  });

  it('leaves out a time below zero, however close, and one beyond whole numbers', () => {
    for (const time of [-5e-324, -0.1, 1.8e299]) {
      const attributes = [{ key: 'ai.stream.msToFirstChunk', value: { doubleValue: time } }];
      const span = readSpan({ ...otelSpan({ id: 1 }), attributes });
      const { metrics = {} } = otelRecord(otelMapping, span, noon);
      expect(metrics, String(time)).not.to.have.property('time_to_first_token_ns');
    }
  });

  it('never throws, whatever the attributes are', () => {
    const seed = drawSeed();
    const name = fc.oneof(
      fc.constantFrom(...ruleInputNames(otelMapping.rules)),
      fc
        .tuple(
          fc.constantFrom(...ruleInputNames(otelMapping.rules)),
          fc.constantFrom('0', '0.role', '1.x'),
        )
        .map(([family, rest]) => `${family}${rest}`),
      fc.string(),
    );
    const { value } = fc.letrec<{ value: object }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 4 },
        fc.json().map((stringValue) => ({ stringValue })),
        fc.string().map((stringValue) => ({ stringValue })),
        fc.double().map((doubleValue) => ({ doubleValue })),
        fc.boolean().map((boolValue) => ({ boolValue })),
        fc.maxSafeInteger().map((intValue) => ({ intValue: String(intValue) })),
        fc.array(tie('value')).map((values) => ({ arrayValue: { values } })),
        fc
          .array(fc.record({ key: fc.string(), value: tie('value') }))
          .map((values) => ({ kvlistValue: { values } })),
      ),
    }));
    const attributes = fc.array(fc.record({ key: name, value }), { maxLength: 20 });
    fc.assert(
      fc.property(attributes, (given) => {
        const span = readSpan({ ...otelSpan({ id: 1 }), attributes: given });
        const record = otelRecord(otelMapping, span, noon);
        expect(JSON.parse(JSON.stringify(record))).to.deep.equal(record);
        expect(Object.keys(record.user_metadata ?? {}).length).to.be.at.most(200);
        const flat = given.filter(
          ({ value: one }) => !/^{"(array|kvlist)/.test(JSON.stringify(one)),
        );
        const scalars = readSpan({ ...otelSpan({ id: 1 }), attributes: flat });
        const { type, model, created_at: at } = otelRecord(otelMapping, scalars, noon);
        expect(otelModelCall(otelMapping, span, noon)).to.deep.equal(
          type === 'llm' && model !== undefined ? { model, at } : null,
        );
      }),
      { seed, numRuns: runs(300) },
    );
  });

  it('is listed in the contract, attribute by attribute', () => {
    const page = readFileSync(join(repository, 'docs', 'contract.md'), 'utf8');
    const [, section = ''] = /### 5\.12 OTLP([^]*?)\n### /.exec(page) ?? [];
    const { aliases, metadataFamilies } = otelMapping.rules;
    const names = [
      ...ruleInputNames(otelMapping.rules),
      ...metadataFamilies,
      ...aliases.map(([a]) => a),
    ];
    const untold = names.filter((name) => !section.includes(`\`${name}`));
    expect(untold).to.deep.equal([]);
  });
});
