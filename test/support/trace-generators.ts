import * as fc from 'fast-check';
import { loggingMethods } from '../../contract/ingest.js';
import { llmEventTypes, messageRoles } from '../../contract/records.js';
import { agentTypes } from '../../kernel/records/span-fields.js';
import type { SpanKind } from '../../kernel/records/record.js';
import type { SentSpan, SentTrace } from '../../kernel/records/sent-record.js';
import {
  integers,
  metadataKeys,
  metricNames,
  numbers,
  perhaps,
  pick,
  sessionIds,
  tags,
  texts,
} from './record-generators.js';

// Traces as clients send them (contract 5.6), legal in every member: nulls, other spellings of
// times and ids, unknown members, all kinds of span, any nesting. Expected results come from the
// service.

type Members = Readonly<Record<string, unknown>>;
type Arbitrary = fc.Arbitrary<unknown>;

const text = pick(texts);
const id = fc.uuid().chain((one) => pick([one, one.toUpperCase()]));
const instant = pick([
  '2026-03-01T09:00:00.123456Z',
  '2026-03-01T09:00:00Z',
  '2026-03-01 10:30+01:30',
  '2026-03-01T09:00:00.123456789-0700',
  '2026-02-28',
  '0001-01-01T00:00:00Z',
  '9999-12-31t23:59:59.999999z',
]);

/** Each member is present, null or absent; absent most often, so that defaults meet. */
const members = (given: Readonly<Record<string, Arbitrary>>): fc.Arbitrary<Members> =>
  fc.record(
    Object.fromEntries(Object.entries(given).map(([name, values]) => [name, perhaps(values)])),
    { requiredKeys: [] },
  );
const map = (keys: readonly string[], values: Arbitrary): Arbitrary =>
  fc
    .uniqueArray(fc.tuple(pick(keys), perhaps(values)), { selector: ([key]) => key, maxLength: 4 })
    .map((entries) => Object.fromEntries(entries));
const list = (values: Arbitrary): Arbitrary => fc.array(values, { maxLength: 3 });

const part = fc.oneof(
  fc.record({ type: fc.constant('text'), text }),
  fc.record({ type: fc.constant('file'), file_id: id }),
);
const parts = list(part);
const toolCall = fc.record({
  id: text,
  function: fc.record({ name: text, arguments: text }),
  type: fc.constant('unknown members go'),
});
const message = fc
  .tuple(
    fc.record({ content: fc.oneof(text, parts), role: pick(messageRoles) }),
    members({ tool_call_id: text, tool_calls: list(toolCall), other: text }),
  )
  .map(([needed, more]) => ({ ...needed, ...more }));
const document = fc
  .tuple(
    fc.record({ content: text }),
    members({ metadata: map(metadataKeys, fc.oneof(text, pick(numbers), fc.boolean())) }),
  )
  .map(([needed, more]) => ({ ...needed, ...more }));
const controlResult = fc
  .tuple(
    fc.record({ action: pick(['deny', 'steer', 'observe']), matched: fc.boolean() }),
    members({ confidence: pick(numbers), error_message: text }),
  )
  .map(([needed, more]) => ({ ...needed, ...more }));

const messages = list(message);
const documents = list(document);
const stepInput = fc.oneof(text, messages, parts);
const stepOutput = fc.oneof(text, message, documents, parts, controlResult);

const metricValue = fc.oneof(pick(numbers), fc.boolean(), text);
const metrics = map(
  [...metricNames, 'metrics/reward', 'duration_ns', 'cost', 'toxicity_ems_error_code'],
  metricValue,
);

const common = (input: Arbitrary, output: Arbitrary): Readonly<Record<string, Arbitrary>> => ({
  input,
  output,
  redacted_input: input,
  redacted_output: output,
  name: text.map((one) => one.slice(0, 255)),
  created_at: instant,
  user_metadata: map(metadataKeys, text),
  tags: fc.array(perhaps(pick(tags)), { maxLength: 4 }),
  status_code: pick(integers),
  metrics,
  external_id: pick(['one', 'two', '\u{1f389}']),
  dataset_input: text,
  dataset_output: text,
  dataset_metadata: map(metadataKeys, text),
  not_a_member: fc.jsonValue(),
});
const spanMembers = { step_number: pick(integers), parent_id: id };

const kinds: Readonly<Record<SpanKind, Readonly<Record<string, Arbitrary>>>> = {
  llm: {
    ...common(fc.oneof(text, messages), fc.oneof(text, message)),
    tools: list(fc.dictionary(text, fc.jsonValue(), { maxKeys: 3 })),
    events: list(fc.record({ type: pick(llmEventTypes), any: fc.jsonValue() })),
    model: pick(['model-a', 'model-b']),
    temperature: pick(numbers),
    finish_reason: text,
  },
  retriever: common(text, fc.oneof(text, document, documents)),
  tool: { ...common(text, text), tool_call_id: text },
  workflow: common(stepInput, stepOutput),
  agent: { ...common(stepInput, stepOutput), agent_type: pick(agentTypes) },
  control: {
    ...common(stepInput, controlResult),
    control_id: pick(integers),
    agent_name: text,
    check_stage: pick(['pre', 'post']),
    applies_to: pick(['tool_call', 'llm_call']),
    evaluator_name: text,
    selector_path: text,
  },
};

/** Presence of the client's own ids in records: `always`, `never`, or either. */
type SentIds = 'always' | 'never' | 'either';
const withId = (ids: SentIds): fc.Arbitrary<Members> => {
  if (ids === 'always') return fc.record({ id });
  return ids === 'never' ? fc.constant({}) : members({ id });
};

/** A span of any kind, with spans below it to that depth. */
const sentSpan = (ids: SentIds = 'either', depth = 2): fc.Arbitrary<SentSpan> =>
  fc
    .constantFrom(...(Object.keys(kinds) as SpanKind[]))
    .chain((type) =>
      fc.tuple(
        fc.constant({ type }),
        withId(ids),
        members({ ...kinds[type], ...spanMembers }),
        depth === 0 ? fc.constant({}) : fc.record({ spans: sentSpans(ids, depth - 1) }),
      ),
    )
    .map((given) => Object.assign({}, ...given) as SentSpan);

export const sentSpans = (ids: SentIds = 'either', depth = 2): fc.Arbitrary<readonly SentSpan[]> =>
  fc.array(sentSpan(ids, depth), { maxLength: depth === 2 ? 3 : 2 });

/** A trace with its tree; sessions come from a small pool. */
const sentTrace = (ids: SentIds = 'either'): fc.Arbitrary<SentTrace> =>
  fc
    .tuple(
      withId(ids),
      members({
        ...common(fc.oneof(text, parts), fc.oneof(text, parts)),
        type: fc.constant('trace'),
        session_id: pick(sessionIds),
      }),
      fc.record({ spans: perhaps(sentSpans(ids)) }),
    )
    .map((given) => Object.assign({}, ...given) as SentTrace);

/** A whole body of POST traces without a run selector. */
export const sentTraces = (ids: SentIds = 'either') =>
  fc
    .tuple(
      fc.record({ traces: fc.array(sentTrace(ids), { minLength: 1, maxLength: 4 }) }),
      members({
        session_id: pick(sessionIds),
        session_external_id: pick(['conversation', '\u{1f389}']),
        is_complete: fc.boolean(),
        include_trace_ids: fc.boolean(),
        logging_method: pick(loggingMethods),
        client_version: text.map((one) => one.slice(0, 255)),
        reliable: fc.jsonValue(),
      }),
    )
    .map(([needed, more]) => ({ ...needed, ...more }));
