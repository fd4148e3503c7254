import { Type, type Static } from 'typebox';
import { id, nullish, nullable, oneOf } from '../kernel/schema-types.js';
import { exampleIds } from './example-ids.js';
import { operation } from './operation.js';
import { partialIngest } from './partial-ingest.js';
import {
  anySpanInput,
  anySpanOutput,
  externalId,
  metricMap,
  recordName,
  spanSchema,
  tagList,
  tracesMax,
  traceSchema,
  traceTextSchema,
  userMetadata,
} from './records.js';
import { runSelector } from './selectors.js';

export const loggingMethods = [
  'playground',
  'python_client',
  'typescript_client',
  'api_direct',
] as const;
/** Length limit of its own, because every event of the request carries it. */
const clientVersionMax = 255;

/**
 * Members that every ingest request also accepts; `reliable` has no effect, since every 2xx is
 * durable.
 */
const sender = {
  logging_method: nullish(oneOf(loggingMethods)),
  client_version: nullish(Type.String({ maxLength: clientVersionMax })),
  reliable: Type.Optional(Type.Unknown()),
};

const createSessionBody = Type.Object({
  ...runSelector,
  name: recordName,
  external_id: externalId,
  previous_session_id: nullish(id('SessionId')),
  user_metadata: userMetadata,
  id: nullish(id('SessionId')),
  ...sender,
});
export type SentSession = Static<typeof createSessionBody>;

const logTracesBody = Type.Object({
  ...runSelector,
  traces: Type.Array(traceSchema, { minItems: 1, maxItems: tracesMax }),
  session_id: nullish(id('SessionId')),
  session_external_id: externalId,
  is_complete: nullish(Type.Boolean({ default: true })),
  include_trace_ids: nullish(Type.Boolean({ default: true })),
  ...sender,
});
export type SentTraces = Static<typeof logTracesBody>;

const change = {
  status_code: nullish(Type.Integer()),
  tags: tagList,
  duration_ns: nullish(Type.Integer()),
  metrics: metricMap,
};
const updateTraceBody = Type.Object({
  input: traceTextSchema,
  output: traceTextSchema,
  is_complete: nullish(Type.Boolean()),
  ...change,
  ...sender,
});
const updateSpanBody = Type.Object({
  input: anySpanInput,
  output: anySpanOutput,
  ...change,
  ...sender,
});

const logSpansBody = Type.Object({
  trace_id: id('TraceId'),
  parent_id: id('RecordId'),
  spans: Type.Array(spanSchema, { minItems: 1, maxItems: tracesMax }),
  ...sender,
});

/** Place of the records: one of the three run members is set. */
const place = {
  project_id: id('ProjectId'),
  project_name: Type.String(),
  log_stream_id: nullable(id('RunId')),
  experiment_id: nullable(id('RunId')),
  metrics_testing_id: nullable(id('RunId')),
  session_id: nullable(id('SessionId')),
};

const shared = {
  section: '5.6',
  requires: 'editor',
  size: 'ingest',
} as const;

export const createSession = operation({
  ...shared,
  operationId: 'createSession',
  summary: 'Start a session',
  description:
    "With an `id` of the client's own it can be sent again; other content under that " +
    'id is a 409.',
  example: { log_stream_id: exampleIds.log_stream_id, name: 'a booking', external_id: 'call-17' },
  method: 'POST',
  path: '/v2/projects/{project_id}/sessions',
  body: createSessionBody,
  response: Type.Object({
    id: id('SessionId'),
    name: Type.String(),
    project_id: id('ProjectId'),
    project_name: Type.String(),
    previous_session_id: nullable(id('SessionId')),
    external_id: nullable(Type.String()),
  }),
});

export const logTraces = operation({
  ...shared,
  schemes: ['K', 'B'],
  operationId: 'logTraces',
  summary: 'Log traces with their spans',
  description:
    'Ids that are sent are kept, so that the same request can be sent again: what is ' +
    'there already is counted and not stored twice. Without a run, the log stream ' +
    '`default` is used. A malformed trace is rejected alone, and named in `rejected`.',
  example: {
    log_stream_id: exampleIds.log_stream_id,
    traces: [
      {
        id: exampleIds.trace_id,
        name: 'book',
        created_at: '2026-03-01T09:00:00.000000Z',
        input: 'a flight, please',
        output: 'booked',
        metrics: { reward: 1 },
        spans: [
          {
            type: 'llm',
            id: exampleIds.span_id,
            input: 'a flight, please',
            output: 'booked',
            model: 'model-a',
            metrics: { num_input_tokens: 9, num_output_tokens: 2 },
          },
        ],
      },
    ],
  },
  method: 'POST',
  path: '/v2/projects/{project_id}/traces',
  body: logTracesBody,
  items: 'traces',
  response: Type.Object({
    ...place,
    records_count: Type.Integer(),
    traces_count: Type.Integer(),
    spans_count: Type.Integer(),
    new_records_count: Type.Integer(),
    trace_ids: nullable(Type.Array(id('TraceId'))),
    ...partialIngest,
  }),
});

export const updateTrace = operation({
  ...shared,
  operationId: 'updateTrace',
  summary: 'Change a trace',
  description: 'Members that are given overwrite; tags are added, metrics merged by name.',
  example: { output: 'booked and paid', tags: ['paid'], metrics: { reward: 0.5 } },
  method: 'PATCH',
  path: '/v2/projects/{project_id}/traces/{trace_id}',
  body: updateTraceBody,
  response: Type.Object({
    ...place,
    records_count: Type.Integer(),
    traces_count: Type.Integer(),
    spans_count: Type.Integer(),
    trace_id: id('TraceId'),
  }),
});

export const logSpans = operation({
  ...shared,
  operationId: 'logSpans',
  summary: 'Log more spans of a trace',
  description:
    'For a trace that exists; a `parent_id` that is not there yet is waited for, and ' +
    'meanwhile the trace stands in. A malformed span is rejected alone.',
  example: {
    trace_id: exampleIds.trace_id,
    parent_id: exampleIds.trace_id,
    spans: [{ type: 'tool', name: 'pay', input: '{"amount":120}', output: 'paid' }],
  },
  method: 'POST',
  path: '/v2/projects/{project_id}/spans',
  body: logSpansBody,
  items: 'spans',
  response: Type.Object({
    ...place,
    records_count: Type.Integer(),
    trace_id: id('TraceId'),
    parent_id: id('RecordId'),
    ...partialIngest,
  }),
});

export const updateSpan = operation({
  ...shared,
  operationId: 'updateSpan',
  summary: 'Change a span',
  description: 'Members that are given overwrite; tags are added, metrics merged by name.',
  example: { status_code: 200, duration_ns: 1_500_000 },
  method: 'PATCH',
  path: '/v2/projects/{project_id}/spans/{span_id}',
  body: updateSpanBody,
  response: Type.Object({
    ...place,
    records_count: Type.Integer(),
    trace_id: id('TraceId'),
    parent_id: id('RecordId'),
    span_id: id('SpanId'),
  }),
});
