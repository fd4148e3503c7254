import { expect } from 'chai';
import * as fc from 'fast-check';
import { compileGuard, type GuardResult } from '../../engines/ajv/compile.js';
import { logSpans, logTraces, updateSpan, type SentTraces } from '../../contract/ingest.js';
import {
  complaintsAboutChange,
  complaintsAboutSpans,
  complaintsAboutTraces,
} from '../../contract/record-rules.js';
import type { SentSpan } from '../../kernel/records/sent-record.js';
import type { Complaint } from '../../kernel/fault.js';
import { runs } from '../support/runs.js';
import { sentTraces } from '../support/trace-generators.js';

const guards = {
  traces: compileGuard(logTraces.body ?? logTraces.params, 'body'),
  spans: compileGuard(logSpans.body ?? logSpans.params, 'body'),
  span: compileGuard(updateSpan.body ?? updateSpan.params, 'body'),
};
const complaintsOf = (
  guarded: GuardResult,
  rules: (value: never) => readonly Complaint[],
): readonly Complaint[] => (guarded.ok ? rules(guarded.value as never) : guarded.complaints);
const aboutTraces = (body: unknown) =>
  complaintsOf(guards.traces(body), ({ traces }: SentTraces) => complaintsAboutTraces(traces));
const aboutTrace = (trace: object) => aboutTraces({ traces: [trace] });
const aboutSpan = (span: object) => aboutTrace({ spans: [span] });
const trace = '60c67a87-024d-48e3-9dcf-ae5652800741';
const aboutSpans = (spans: unknown) =>
  complaintsOf(
    guards.spans({ trace_id: trace, parent_id: trace, spans }),
    (body: { spans: readonly SentSpan[] }) => complaintsAboutSpans(body.spans, trace),
  );
const aboutChange = (change: object) => complaintsOf(guards.span(change), complaintsAboutChange);

const entry = (loc: string, type: string, msg: string): Complaint => ({
  loc: loc.split('.'),
  msg,
  type,
});
const inSpan = 'body.traces.0.spans.0';

describe('records as sent', () => {
  it('are accepted in every kind, with every member present, null or absent, at any depth', () => {
    fc.assert(
      fc.property(sentTraces(), (body) => {
        expect(aboutTraces(structuredClone(body))).to.deep.equal([]);
      }),
      { numRuns: runs(200) },
    );
  });

  const refused: readonly (readonly [string, readonly Complaint[], Complaint])[] = [
    ['no traces', aboutTraces({}), entry('body.traces', 'missing', 'Field required')],
    [
      'an empty list of traces',
      aboutTraces({ traces: [] }),
      entry('body.traces', 'too_short', 'List should have at least 1 item, not 0'),
    ],
    [
      'more than 1,000 traces',
      aboutTraces({ traces: Array.from({ length: 1_001 }, () => ({})) }),
      entry('body.traces', 'too_long', 'List should have at most 1000 items, not 1001'),
    ],
    [
      'more than 5,000 spans in all',
      aboutTraces({
        traces: [
          { spans: Array.from({ length: 3_000 }, () => ({ type: 'tool' })) },
          {
            spans: [
              { type: 'agent', spans: Array.from({ length: 2_000 }, () => ({ type: 'tool' })) },
            ],
          },
        ],
      }),
      entry('body.traces.1.spans', 'too_long', 'List should have at most 5000 items, not 5001'),
    ],
    [
      'a trace that says it is something else',
      aboutTrace({ type: 'llm' }),
      entry('body.traces.0.type', 'literal_error', "Input should be 'trace'"),
    ],
    [
      'a span without a type',
      aboutSpan({}),
      entry(
        inSpan,
        'union_tag_not_found',
        "Field 'type' is missing, it says which kind this is: " +
          "'llm', 'retriever', 'tool', 'workflow', 'agent', 'control'",
      ),
    ],
    [
      'a span of an unknown type, however deep',
      aboutSpan({ type: 'agent', spans: [{ type: 'tool', spans: [{ type: 'session' }] }] }),
      entry(
        `${inSpan}.spans.0.spans.0`,
        'union_tag_invalid',
        "Input tag 'session' found using 'type' does not match any of the expected tags: " +
          "'llm', 'retriever', 'tool', 'workflow', 'agent', 'control'",
      ),
    ],
    [
      'an id that is no uuid',
      aboutTrace({ id: 'x' }),
      entry('body.traces.0.id', 'uuid_parsing', 'Input should be a valid UUID'),
    ],
    [
      'messages as the input of a tool',
      aboutSpan({ type: 'tool', input: [{ content: 'a', role: 'user' }] }),
      entry(`${inSpan}.input`, 'string_type', 'Input should be a valid string'),
    ],
    [
      'a message in a role that nobody has',
      aboutSpan({ type: 'llm', input: [{ content: 'a', role: 'poet' }] }),
      entry(
        `${inSpan}.input.0.role`,
        'enum',
        "Input should be 'agent', 'assistant', 'developer', 'function', 'system', 'tool' or 'user'",
      ),
    ],
    [
      'a further member of a document',
      aboutSpan({ type: 'retriever', output: [{ content: 'a', score: 1 }] }),
      entry(`${inSpan}.output.0.score`, 'extra_forbidden', 'Extra inputs are not permitted'),
    ],
    [
      'a control without a result',
      aboutSpan({ type: 'control', output: { action: 'deny' } }),
      entry(`${inSpan}.output.matched`, 'missing', 'Field required'),
    ],
    [
      'a list as the value of a metric',
      aboutTrace({ metrics: { reward: [1] } }),
      entry(
        'body.traces.0.metrics.reward',
        'value_error',
        'Value error, a metric value must be a number, a boolean, a string or null',
      ),
    ],
    [
      'a metric that is not finite',
      aboutTrace({ metrics: { reward: Number.POSITIVE_INFINITY } }),
      entry('body.traces.0.metrics.reward', 'float_type', 'Input should be a valid number'),
    ],
    [
      'a number that is not finite inside a tool',
      aboutSpan({ type: 'llm', tools: [{ a: [Number.POSITIVE_INFINITY] }] }),
      entry(`${inSpan}.tools.0.a.0`, 'float_type', 'Input should be a valid number'),
    ],
    [
      'a metric without a name',
      aboutTrace({ metrics: { 'metrics/': 1 } }),
      entry(
        'body.traces.0.metrics.metrics/',
        'string_too_short',
        'String should have at least 1 character',
      ),
    ],
    [
      'a metric with a long name',
      aboutTrace({ metrics: { ['ß'.repeat(129)]: 1 } }),
      entry(
        `body.traces.0.metrics.${'ß'.repeat(129)}`,
        'string_too_long',
        'String should have at most 128 characters',
      ),
    ],
    [
      'more than 200 metrics',
      aboutTrace({ metrics: Object.fromEntries(Array.from({ length: 201 }, (_, n) => [n, n])) }),
      entry('body.traces.0.metrics', 'too_long', 'List should have at most 200 items, not 201'),
    ],
    [
      'more than 100 tags',
      aboutTrace({ tags: Array(101).fill('a') }),
      entry('body.traces.0.tags', 'too_long', 'List should have at most 100 items, not 101'),
    ],
    [
      'an empty tag',
      aboutTrace({ tags: ['a', ''] }),
      entry('body.traces.0.tags.1', 'string_too_short', 'String should have at least 1 character'),
    ],
    [
      'a long value in the metadata of the user',
      aboutTrace({ user_metadata: { a: 'x'.repeat(4_097) } }),
      entry(
        'body.traces.0.user_metadata.a',
        'string_too_long',
        'String should have at most 4096 characters',
      ),
    ],
    [
      'a text of more than 1 MiB, counted in bytes',
      aboutSpan({ type: 'llm', output: { role: 'assistant', content: '\u20ac'.repeat(349_526) } }),
      entry(
        `${inSpan}.output.content`,
        'string_too_long',
        'String should have at most 1048576 characters',
      ),
    ],
    [
      'a status that is no integer',
      aboutTrace({ status_code: 1.5 }),
      entry(
        'body.traces.0.status_code',
        'int_from_float',
        'Input should be a valid integer, got a number with a fractional part',
      ),
    ],
    [
      'a span with the id of its trace',
      aboutTrace({ id: trace, spans: [{ type: 'tool', id: trace }] }),
      entry(`${inSpan}.id`, 'value_error', 'Value error, a span must not have the id of its trace'),
    ],
    [
      'a late span of another trace than the request names',
      aboutSpans([{ type: 'tool', trace_id: '60c67a87-024d-48e3-9dcf-ae5652800742' }]),
      entry(
        'body.spans.0.trace_id',
        'value_error',
        'Value error, the span belongs to the trace that the request names',
      ),
    ],
    [
      'a change with a metric that is a list',
      aboutChange({ metrics: { a: {} } }),
      entry(
        'body.metrics.a',
        'value_error',
        'Value error, a metric value must be a number, a boolean, a string or null',
      ),
    ],
  ];
  for (const [what, complaints, expected] of refused) {
    it(`are refused with ${what}`, () => expect(complaints).to.deep.equal([expected]));
  }

  it('are accepted with a text of exactly 1 MiB', () => {
    expect(aboutSpan({ type: 'tool', input: `${'\u20ac'.repeat(349_525)}x` })).to.deep.equal([]);
  });
});
