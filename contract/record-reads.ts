import { Type, type Static, type TSchema } from 'typebox';
import { spanKinds } from '../kernel/records/columns.js';
import { mapTokenParts } from '../kernel/prices/token-kinds.js';
import type { Population } from '../kernel/records/record.js';
import { mapRecordFields, mapSpanFields } from '../kernel/records/span-fields.js';
import {
  componentSchema,
  id,
  instant,
  nullish,
  namedSchema,
  schemaNameOf,
  nullable,
  oneOf,
  plainSchemas,
  type Json,
} from '../kernel/schema-types.js';
import { defaultPageLimit, envelope, paged, pageLimitMax } from './envelope.js';
import { exampleIds } from './example-ids.js';
import { filterLeaf, filterNode, flatFiltersMax } from './filters.js';
import { operation } from './operation.js';
import { optionalWindow, runSelector } from './selectors.js';
import { structuredErrorShape } from './metrics.js';

const json = Type.Unsafe<Json>(Type.Unknown());
const dollarsOf = (label: string) =>
  Type.Number({ description: `Dollars per million ${label} tokens.` });
const spanPrice = namedSchema(
  'SpanPrice',
  Type.Object({
    input: dollarsOf('input'),
    output: dollarsOf('output'),
    ...mapTokenParts(({ label }) => Type.Optional(dollarsOf(label))),
    list: Type.Optional(Type.String()),
  }),
);
const metricInfo = namedSchema(
  'MetricInfo',
  Type.Union([
    namedSchema(
      'MetricSuccess',
      Type.Object({
        status_type: Type.Literal('success'),
        value: json,
        scorer_value: Type.Optional(json),
        price: Type.Optional(spanPrice),
      }),
    ),
    namedSchema(
      'MetricRollUp',
      Type.Object({
        status_type: Type.Literal('roll_up'),
        value: json,
        roll_up_metrics: Type.Record(Type.String(), json),
      }),
    ),
    namedSchema(
      'MetricError',
      Type.Object({
        status_type: Type.Literal('error'),
        message: Type.String(),
        ems_error_code: Type.Integer(),
        standard_error: structuredErrorShape,
      }),
    ),
  ]),
);

const { status_code, ...otherFields } = mapRecordFields(({ type }) => nullable(plainSchemas[type]));
/**
 * Members of every record (contract 5.7). The type is any JSON object, because the read model holds
 * the members of all kinds as they were sent.
 */
const recordMembers = {
  id: id('RecordId'),
  project_id: id('ProjectId'),
  run_id: id('RunId'),
  session_id: nullable(id('SessionId')),
  trace_id: nullable(id('TraceId')),
  name: Type.String(),
  created_at: instant,
  updated_at: nullable(instant),
  input: json,
  output: json,
  redacted_input: json,
  redacted_output: json,
  user_metadata: Type.Record(Type.String(), Type.String()),
  tags: Type.Array(Type.String()),
  status_code,
  metrics: Type.Record(Type.String(), json),
  ...otherFields,
  dataset_metadata: Type.Record(Type.String(), Type.String()),
  has_children: Type.Boolean(),
  is_complete: Type.Boolean(),
  metric_info: Type.Record(Type.String(), metricInfo),
};
const sessionMembers = {
  type: Type.Literal('session'),
  ...recordMembers,
  previous_session_id: nullish(id('SessionId')),
  num_traces: nullish(Type.Integer()),
};
const traceMembers = {
  type: Type.Literal('trace'),
  ...recordMembers,
  annotations: Type.Record(Type.String(), json),
  annotation_aggregates: Type.Record(Type.String(), json),
  fully_annotated: Type.Boolean(),
  num_spans: nullish(Type.Integer()),
};
/** Span members, including those of single kinds (contract 5.6). */
const spanMembers = {
  type: oneOf(spanKinds),
  ...recordMembers,
  parent_id: nullish(id('ParentId')),
  step_number: nullish(Type.Integer()),
  tools: Type.Optional(json),
  events: Type.Optional(json),
  ...mapSpanFields(({ type }) => nullish(plainSchemas[type])),
};
const withFields = (members: Readonly<Record<string, TSchema>>) =>
  Type.Object({ ...Type.Partial(Type.Object(members)).properties, id: recordMembers.id });
/** Members of a record as read, in their order. */
export const memberNames: Readonly<Record<Population, readonly string[]>> = {
  session: Object.keys(sessionMembers),
  trace: Object.keys(traceMembers),
  span: Object.keys(spanMembers),
};
export type RecordView = { readonly [member: string]: Json };
const session = namedSchema('Session', Type.Object(sessionMembers));
const trace = namedSchema('Trace', Type.Object(traceMembers));
const span = namedSchema('Span', Type.Object(spanMembers));
const shown = {
  session: Type.Unsafe<RecordView>(session),
  trace: Type.Unsafe<RecordView>(trace),
  span: Type.Unsafe<RecordView>(span),
};
/** Records of a search with `fields`. */
const someMembers = {
  session: namedSchema('SessionFields', withFields(sessionMembers)),
  trace: namedSchema('TraceFields', withFields(traceMembers)),
  span: namedSchema('SpanFields', withFields(spanMembers)),
};
/** Child spans, each with its own `spans`, any number of levels deep. */
const spans = Type.Array(componentSchema<RecordView>('SpanTree'));
/** Sent spans of the requested record, not of its children (contract 5.12, rule 7). */
const otel = Type.Optional(Type.Array(json));
const spanTree = namedSchema('SpanTree', Type.Object({ ...spanMembers, spans, otel }));
const traceTree = namedSchema('TraceTree', Type.Object({ ...traceMembers, spans, otel }));
const sessionTree = namedSchema(
  'SessionTree',
  Type.Object({
    ...sessionMembers,
    traces: Type.Array(traceTree),
    starting_token: Type.Integer(),
    next_starting_token: nullable(Type.Integer()),
  }),
);

const sort = namedSchema(
  'RecordSort',
  Type.Object({
    column_id: Type.Optional(Type.String()),
    name: Type.Optional(Type.String()),
    ascending: Type.Optional(Type.Boolean({ default: true })),
    sort_type: Type.Optional(Type.Literal('column', { default: 'column' })),
  }),
);
/** Selection and order of records. */
export const recordChoice = {
  ...runSelector,
  filters: nullish(Type.Array(filterLeaf, { maxItems: flatFiltersMax })),
  filter_tree: nullish(filterNode),
  sort: nullish(sort),
  ...optionalWindow,
};
/** Selection with its presentation: a whole search without its page. */
export const recordSelection = {
  ...recordChoice,
  truncate_fields: nullish(Type.Boolean({ default: false })),
  include_counts: nullish(Type.Boolean({ default: false })),
};
const fieldsMax = 60;
/** The longest name of a field: `user_metadata/` with a key of 256 characters. */
const fieldMax = 270;
const searchBody = namedSchema(
  'RecordQuery',
  Type.Object({
    ...recordSelection,
    starting_token: nullish(Type.Integer({ minimum: 0, default: 0 })),
    limit: nullish(Type.Integer({ minimum: 1, maximum: pageLimitMax, default: defaultPageLimit })),
    after: nullish(id('RecordId')),
    fields: nullish(
      Type.Array(Type.String({ minLength: 1, maxLength: fieldMax }), {
        minItems: 1,
        maxItems: fieldsMax,
      }),
    ),
  }),
);
export type RecordSearch = Static<typeof searchBody>;

/**
 * Search page: of whole records, or of some of their members where the request has `fields`.
 * Records of all populations have one type in code; clients see a schema for each population.
 */
const searchPage = (population: Population) => {
  const record = shown[population];
  const some = Type.Unsafe<RecordView>(someMembers[population]);
  const name = `${schemaNameOf(record)}Search`;
  return namedSchema(name, Type.Union([pageOf(record), pageOf(some)]));
};
const pageOf = (record: typeof shown.span) =>
  namedSchema(
    `${schemaNameOf(record)}Page`,
    Type.Object({
      ...envelope('records', record).properties,
      last_row_id: nullable(Type.String()),
    }),
  );
const recordCount = namedSchema('RecordCount', Type.Object({ total_count: Type.Integer() }));

const plural = (population: Population) => `${population}s`;
const shared = {
  section: '5.7',
  kind: 'r',
  requires: 'viewer',
} as const;

const search = (operationId: string, population: Population) =>
  operation({
    ...shared,
    operationId,
    summary: `Search ${plural(population)}`,
    description:
      'Flat, without the tree of spans; newest first unless `sort` says otherwise. ' +
      'Without a run, the whole project is searched.',
    example: {
      log_stream_id: exampleIds.log_stream_id,
      filter_tree: {
        and_: [
          {
            filter: {
              type: 'text',
              name: 'input',
              operator: 'contains',
              value: 'flight',
              case_sensitive: false,
            },
          },
          { filter: { type: 'number', name: 'metrics/reward', operator: 'gte', value: 0.5 } },
        ],
      },
      sort: { column_id: 'created_at', ascending: false },
      limit: 20,
    },
    method: 'POST',
    path: `/v2/projects/{project_id}/${plural(population)}/search`,
    body: searchBody,
    response: searchPage(population),
  });
const count = (operationId: string, population: Population) =>
  operation({
    ...shared,
    operationId,
    summary: `Count ${plural(population)}`,
    description: 'All that the same search would find; its page is ignored.',
    example: {
      filters: [{ type: 'text', name: 'name', operator: 'eq', value: 'book' }],
    },
    method: 'POST',
    path: `/v2/projects/{project_id}/${plural(population)}/count`,
    body: searchBody,
    response: recordCount,
  });

export const searchSessions = search('searchSessions', 'session');
export const searchTraces = search('searchTraces', 'trace');
export const searchSpans = search('searchSpans', 'span');
export const countSessions = count('countSessions', 'session');
export const countTraces = count('countTraces', 'trace');
export const countSpans = count('countSpans', 'span');

/**
 * `tree`: false leaves out what is below the record. `otel`: adds the span as sent (contract 5.12,
 * rule 7).
 */
const shownParts = Type.Object({
  tree: Type.Optional(Type.Boolean({ default: true })),
  otel: Type.Optional(Type.Boolean({ default: false })),
});

export const getTrace = operation({
  ...shared,
  operationId: 'getTrace',
  summary: 'Read a trace with its tree of spans',
  description:
    'Siblings are in the order of `step_number`, `created_at` and `id`. With `tree=false` the ' +
    'spans are neither read nor answered.',
  method: 'GET',
  path: '/v2/projects/{project_id}/traces/{trace_id}',
  query: shownParts,
  response: Type.Unsafe<RecordView>(traceTree),
});
export const getSpan = operation({
  ...shared,
  operationId: 'getSpan',
  summary: 'Read a span with the tree below it',
  description:
    'Siblings are in the order of `step_number`, `created_at` and `id`. With `tree=false` the ' +
    'spans below it are neither read nor answered.',
  method: 'GET',
  path: '/v2/projects/{project_id}/spans/{span_id}',
  query: shownParts,
  response: Type.Unsafe<RecordView>(spanTree),
});
export const getSession = operation({
  ...shared,
  operationId: 'getSession',
  summary: 'Read a session with its traces, each with its tree',
  description: 'Traces come in pages, the oldest first; `next_starting_token` says where to go on.',
  method: 'GET',
  path: '/v2/projects/{project_id}/sessions/{session_id}',
  query: paged,
  response: Type.Unsafe<RecordView>(sessionTree),
});

/** OpenAPI components. */
export const recordReadComponents = { SpanTree: spanTree };
