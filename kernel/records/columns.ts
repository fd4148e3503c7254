import {
  mapSpanFields,
  recordFieldNames,
  recordFieldOf,
  spanFieldNames,
  spanFieldOf,
  type RecordFieldName,
  type SpanFieldName,
} from './span-fields.js';
import type { FilterKind, MetricType, Population, RecordKind, RollUp } from './record.js';

/** Type of a column's values on the wire and in the engines (contract 3.2). */
export type ColumnType =
  'text' | 'timestamp' | 'string_list' | 'integer' | 'uuid' | 'boolean' | 'floating_point';

export type StandardColumn = {
  readonly id: string;
  readonly label: string;
  readonly description: string;
  readonly type: ColumnType;
  readonly filter: FilterKind;
  readonly optional: boolean;
  readonly kinds: readonly RecordKind[];
  readonly allowed: readonly string[] | null;
};

export const filterKindOf: Readonly<Record<ColumnType, FilterKind>> = {
  text: 'text',
  timestamp: 'date',
  string_list: 'collection',
  integer: 'number',
  uuid: 'id',
  boolean: 'boolean',
  floating_point: 'number',
};

export const spanKinds: readonly RecordKind[] = [
  'llm',
  'control',
  'retriever',
  'agent',
  'tool',
  'workflow',
];
export const populationOf = (kind: RecordKind): Population =>
  kind === 'session' || kind === 'trace' ? kind : 'span';
const everyKind: readonly RecordKind[] = [
  'trace',
  'llm',
  'control',
  'retriever',
  'agent',
  'tool',
  'session',
  'workflow',
];
const tracesAndSpans = everyKind.filter((kind) => kind !== 'session');
const optional = true;
const required = false;

const allowedValues: Readonly<Record<string, readonly string[] | null>> = {
  type: ['trace', 'control', 'llm', 'retriever', 'agent', 'tool', 'session', 'workflow'],
  ...mapSpanFields(({ allowed = null }) => allowed),
};

const column = <const Id extends string>(
  id: Id,
  label: string,
  description: string,
  type: ColumnType,
  isOptional: boolean,
  kinds: readonly RecordKind[],
): StandardColumn & { readonly id: Id } => ({
  id,
  label,
  description,
  type,
  filter: filterKindOf[type],
  optional: isOptional,
  kinds,
  allowed: allowedValues[id] ?? null,
});

const columnTypeOf = { text: 'text', integer: 'integer', number: 'floating_point' } as const;
const recordColumn = (name: RecordFieldName) => {
  const { type, label, column: description, isOptional, ofSessions } = recordFieldOf(name);
  const kinds = ofSessions ? everyKind : tracesAndSpans;
  return column(name, label, description, columnTypeOf[type], isOptional, kinds);
};
const fieldColumn = (name: SpanFieldName) => {
  const { kind, type, label, column: description, unsent } = spanFieldOf(name);
  return column(name, label, description, columnTypeOf[type], unsent === undefined, [kind]);
};

const columns = [
  column('input', 'Input', 'What the step was given.', 'text', required, everyKind),
  column('output', 'Output', 'What the step produced.', 'text', required, everyKind),
  column('name', 'Name', 'Name of the step.', 'text', required, everyKind),
  column('created_at', 'Created', 'When the step began.', 'timestamp', required, everyKind),
  column('id', 'ID', 'Identifier of the record.', 'uuid', required, everyKind),
  recordColumn('external_id'),
  column('tags', 'Tags', 'Labels given by the client.', 'string_list', required, tracesAndSpans),
  ...recordFieldNames.filter((name) => name !== 'external_id').map(recordColumn),
  column('session_id', 'Session ID', 'Session of the record.', 'uuid', required, tracesAndSpans),
  column('project_id', 'Project ID', 'Project of the record.', 'uuid', required, tracesAndSpans),
  column('run_id', 'Run ID', 'Run of the record.', 'uuid', required, tracesAndSpans),
  column(
    'updated_at',
    'Last Updated',
    'When the record last changed.',
    'timestamp',
    optional,
    tracesAndSpans,
  ),
  column(
    'has_children',
    'Has Children',
    'Whether the step has child spans.',
    'boolean',
    optional,
    tracesAndSpans,
  ),
  column(
    'is_complete',
    'Is Complete',
    'Whether the trace has ended.',
    'boolean',
    required,
    tracesAndSpans,
  ),
  column('type', 'Type', 'Kind of the record.', 'text', required, spanKinds),
  column('trace_id', 'Trace ID', 'Trace of the span.', 'uuid', required, spanKinds),
  column('parent_id', 'Parent ID', 'Parent span, or the trace.', 'uuid', required, spanKinds),
  column('step_number', 'Step Number', 'Place among the siblings.', 'integer', optional, spanKinds),
  fieldColumn('agent_type'),
  column('tools', 'Tools', 'Tools offered to the model.', 'text', required, ['llm']),
  ...spanFieldNames.filter((name) => name !== 'agent_type').map(fieldColumn),
];

/** The columns of contract 3.3, in its order. */
export const standardColumns: readonly StandardColumn[] = columns;

/** Index of each standard column. */
export const columnIndex = Object.fromEntries(columns.map(({ id }, at) => [id, at])) as Readonly<
  Record<(typeof columns)[number]['id'], number>
>;

export const standardColumnById: ReadonlyMap<string, StandardColumn> = new Map(
  standardColumns.map((one) => [one.id, one]),
);

/** True if some record of the population can have the column: S, T, P of contract 3.3. */
export const appliesTo = (one: StandardColumn, population: Population): boolean =>
  population === 'span'
    ? one.kinds.some((kind) => spanKinds.includes(kind))
    : one.kinds.includes(population);
export type RegistryMetric = {
  readonly name: string;
  readonly label: string;
  readonly description: string;
  readonly group: 'Safety Metrics' | 'Output Quality' | 'System Metrics';
  readonly type: MetricType & ('integer' | 'floating_point');
  readonly unit: 'percentage' | 'nano_seconds' | 'dollars' | null;
  readonly rollUp: RollUp;
  readonly threshold: {
    readonly buckets: readonly number[];
    readonly display_value_levels: readonly string[];
    readonly inverted: boolean;
  } | null;
  /** Listed in the catalogue even when no record has a value. */
  readonly always: boolean;
};

const systemMetric = (
  name: string,
  label: string,
  type: RegistryMetric['type'],
  rollUp: RollUp,
  unit: RegistryMetric['unit'] = null,
): RegistryMetric => ({
  name,
  label,
  description: `${label}.`,
  group: 'System Metrics',
  type,
  unit,
  rollUp,
  threshold: null,
  always: false,
});
const overlapMetric = (name: string, label: string, always: boolean): RegistryMetric => ({
  name,
  label,
  description: 'Overlap of output and reference; deprecated.',
  group: 'Output Quality',
  type: 'floating_point',
  unit: null,
  rollUp: 'average',
  threshold: null,
  always,
});

/**
 * Registry of metrics (contract 3.4, in its order). Any other metric has its name as label and
 * averages its numbers.
 */
export const metricRegistry: readonly RegistryMetric[] = [
  {
    name: 'toxicity',
    label: 'Output Toxicity',
    description: 'How toxic the output is.',
    group: 'Safety Metrics',
    type: 'floating_point',
    unit: 'percentage',
    rollUp: 'average',
    threshold: {
      buckets: [0.5, 0.8],
      display_value_levels: ['Low', 'Medium', 'High'],
      inverted: true,
    },
    always: true,
  },
  overlapMetric('bleu', 'BLEU (deprecated)', true),
  overlapMetric('rouge', 'ROUGE-L (deprecated)', false),
  systemMetric('duration_ns', 'Duration', 'integer', 'average', 'nano_seconds'),
  systemMetric(
    'time_to_first_token_ns',
    'Time to First Token',
    'integer',
    'average',
    'nano_seconds',
  ),
  systemMetric('num_input_tokens', 'Input Tokens', 'integer', 'sum'),
  systemMetric('num_output_tokens', 'Output Tokens', 'integer', 'sum'),
  systemMetric('num_total_tokens', 'Total Tokens', 'integer', 'sum'),
  systemMetric('num_cached_input_tokens', 'Cached Input Tokens', 'integer', 'sum'),
  systemMetric('num_cache_creation_input_tokens', 'Cache Creation Input Tokens', 'integer', 'sum'),
  systemMetric('num_reasoning_tokens', 'Reasoning Tokens', 'integer', 'sum'),
  systemMetric('num_image_input_tokens', 'Image Input Tokens', 'integer', 'sum'),
  systemMetric('num_image_output_tokens', 'Image Output Tokens', 'integer', 'sum'),
  systemMetric('num_audio_input_tokens', 'Audio Input Tokens', 'integer', 'sum'),
  systemMetric('num_audio_output_tokens', 'Audio Output Tokens', 'integer', 'sum'),
  systemMetric('cost', 'Cost', 'floating_point', 'sum', 'dollars'),
  systemMetric('input_cost', 'Input Cost', 'floating_point', 'sum', 'dollars'),
  systemMetric('output_cost', 'Output Cost', 'floating_point', 'sum', 'dollars'),
];

export const registryMetricByName: ReadonlyMap<string, RegistryMetric> = new Map(
  metricRegistry.map((one) => [one.name, one]),
);
