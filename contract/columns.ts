import { Type, type Static } from 'typebox';
import type { Population } from '../kernel/records/record.js';
import { scoreTypes } from '../kernel/sandbox.js';
import { nullish, name, namedSchema, oneOf } from '../kernel/schema-types.js';
import { exampleIds } from './example-ids.js';
import { operation } from './operation.js';
import { optionalWindow, runSelector } from './selectors.js';

/** Column of a table, filter or chart (contract 3.2). */
const columnDescriptor = namedSchema(
  'Column',
  Type.Object({
    id: Type.String(),
    label: Type.String(),
    description: Type.String(),
    category: oneOf(['standard', 'metric', 'user_metadata', 'annotation']),
    group_label: Type.String(),
    data_type: oneOf([
      'text',
      'timestamp',
      'string_list',
      'integer',
      'uuid',
      'boolean',
      'floating_point',
    ]),
    data_unit: Type.Optional(oneOf(['percentage', 'nano_seconds', 'dollars'])),
    filter_type: oneOf(['text', 'date', 'collection', 'number', 'id', 'boolean']),
    filterable: Type.Boolean(),
    sortable: Type.Boolean(),
    multi_valued: Type.Boolean(),
    is_empty: Type.Boolean(),
    is_optional: Type.Boolean(),
    applicable_types: Type.Array(
      oneOf(['trace', 'llm', 'control', 'retriever', 'agent', 'tool', 'session', 'workflow']),
    ),
    allowed_values: Type.Optional(Type.Array(Type.String())),
    roll_up_method: Type.Optional(oneOf(['average', 'sum', 'max', 'min'])),
    threshold: Type.Optional(
      namedSchema(
        'Threshold',
        Type.Object({
          buckets: Type.Array(Type.Number()),
          display_value_levels: Type.Array(Type.String()),
          inverted: Type.Boolean(),
        }),
      ),
    ),
  }),
);
export type ColumnDescriptor = Static<typeof columnDescriptor>;

const columnQuery = namedSchema('ColumnQuery', Type.Object({ ...runSelector, ...optionalWindow }));
const columnList = namedSchema(
  'ColumnList',
  Type.Object({ columns: Type.Array(columnDescriptor) }),
);

const availableColumns = (operationId: string, population: Population) =>
  operation({
    operationId,
    summary: `List the columns that ${population}s can be filtered, sorted and shown by`,
    description:
      'Standard columns, and those of metrics, user metadata and ratings that the records in ' +
      'question have.',
    example: {
      log_stream_id: exampleIds.log_stream_id,
      start_time: '2026-03-01T00:00:00.000000Z',
    },
    section: '4.1',
    method: 'POST',
    path: `/v2/projects/{project_id}/${population}s/available_columns`,
    schemes: ['K', 'B'],
    kind: 'r',
    requires: 'viewer',
    body: columnQuery,
    response: columnList,
  });

export const sessionsAvailableColumns = availableColumns('sessionsAvailableColumns', 'session');
export const tracesAvailableColumns = availableColumns('tracesAvailableColumns', 'trace');
export const spansAvailableColumns = availableColumns('spansAvailableColumns', 'span');

/** Default name of the metric under test. */
export const metricUnderTest = 'generated_scorer_validation';
const metricName = Type.String({ minLength: 1, maxLength: 128 });

export const metricsTestingColumns = operation({
  operationId: 'metricsTestingColumns',
  summary: 'List the columns of traces with those of a metric under test',
  description: 'The metric under test is listed although no record has a value of it yet.',
  example: { name: 'politeness', score_type: 'float' },
  section: '4.12',
  method: 'POST',
  path: '/v2/projects/{project_id}/metrics-testing/available_columns',
  kind: 'r',
  requires: 'viewer',
  body: Type.Object({
    name: name(),
    ...runSelector,
    cot_enabled: Type.Optional(Type.Boolean({ default: false })),
    metric_key: Type.Optional(
      Type.String({ minLength: 1, maxLength: 128, default: metricUnderTest }),
    ),
    required_scorers: nullish(Type.Array(metricName, { maxItems: 100 })),
    score_type: nullish(oneOf(scoreTypes)),
  }),
  response: columnList,
});
