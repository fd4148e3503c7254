import { Type, type Static } from 'typebox';
import { valueComplaint, type Complaint } from '../kernel/fault.js';
import { id, nullish, namedSchema, nullable, oneOf, type Json } from '../kernel/schema-types.js';
import { exampleIds } from './example-ids.js';
import { experimentsPath } from './experiments.js';
import { operation } from './operation.js';

/** Comparison limits (contract 5.5), for pages that stay readable. */
export const comparedMetricsMax = 20;
export const comparedRowsDefault = 20;
const comparedRowsMax = 100;
const experimentsMax = 10;
/** The longest name of a metric, with `metrics/`. */
const comparedMetricMax = 136;

export const comparisonMethod = 'paired bootstrap, percentile interval';
export const confidenceLevel = 0.95;
export const defaultSeed = 1;

const count = Type.Integer({ minimum: 0 });
const text = Type.String();
const number = nullable(Type.Number());
const json = Type.Unsafe<Json>(Type.Unknown());

const shownRows = ['losses', 'wins', 'ties', 'missing', 'all'] as const;
const rowOrders = ['difference', 'created_at'] as const;
const rowChoice = namedSchema(
  'ComparedRowChoice',
  Type.Object({
    metric: Type.String({ minLength: 1, maxLength: comparedMetricMax }),
    show: nullish(oneOf(shownRows)),
    order: nullish(oneOf(rowOrders)),
  }),
);
export type RowChoice = Static<typeof rowChoice>;

const compared = namedSchema(
  'ComparedExperiment',
  Type.Object({
    experiment_id: id('RunId'),
    name: text,
    dataset: nullable(
      Type.Object({ dataset_id: id('DatasetId'), version_index: Type.Integer({ minimum: 1 }) }),
    ),
    num_traces: count,
    traces_without_row: count,
    num_rows: count,
    missing_rows: count,
    failed_rows: count,
  }),
);
const againstBaseline = namedSchema(
  'AgainstBaseline',
  Type.Object({
    num_rows: count,
    mean_difference: number,
    confidence_interval: nullable(
      namedSchema(
        'ConfidenceInterval',
        Type.Object({ lower: Type.Number(), upper: Type.Number(), resamples: count }),
      ),
    ),
    wins: count,
    losses: count,
    ties: count,
  }),
);
const comparedMetric = namedSchema(
  'ComparedMetric',
  Type.Object({
    metric: text,
    type: oneOf(['integer', 'floating_point', 'boolean']),
    direction: oneOf(['higher', 'lower']),
    experiments: Type.Array(
      namedSchema(
        'MetricOfExperiment',
        Type.Object({
          experiment_id: id('RunId'),
          num_rows: count,
          mean: number,
          against_baseline: nullable(againstBaseline),
        }),
      ),
    ),
  }),
);
const comparedRow = namedSchema(
  'ComparedRow',
  Type.Object({
    row_id: nullable(text),
    dataset_input: nullable(text),
    dataset_output: nullable(text),
    experiments: Type.Array(
      namedSchema(
        'RowOfExperiment',
        Type.Object({
          experiment_id: id('RunId'),
          trace_id: nullable(id('TraceId')),
          num_traces: count,
          output: json,
          metrics: Type.Record(
            Type.String(),
            namedSchema('ComparedValue', Type.Object({ value: Type.Number(), difference: number })),
          ),
        }),
      ),
    ),
  }),
);
const comparison = namedSchema(
  'ExperimentComparison',
  Type.Object({
    experiments: Type.Array(compared),
    total_rows: count,
    rows_in_all: count,
    shown_rows: count,
    method: Type.Literal(comparisonMethod),
    confidence_level: Type.Number(),
    seed: count,
    metrics: Type.Array(comparedMetric),
    starting_token: Type.Integer(),
    limit: Type.Integer(),
    paginated: Type.Boolean(),
    next_starting_token: nullable(Type.Integer()),
    rows: Type.Array(comparedRow),
  }),
);
export type ExperimentComparison = Static<typeof comparison>;
export type ComparedMetric = Static<typeof comparedMetric>;
export type ComparedRow = Static<typeof comparedRow>;
export type Direction = ComparedMetric['direction'];

export const compareExperiments = operation({
  operationId: 'compareExperiments',
  summary: 'Compare experiments row by row of their dataset',
  description:
    'Differences are to the first experiment, the baseline. A trace is about the dataset row ' +
    'that its `user_metadata` names as `dataset_row_id`, else about the one with its ' +
    '`dataset_input`. Each mean difference has a 95 % interval by the paired bootstrap ' +
    '(percentile method), the same for the same `seed`. `rows` chooses and orders rows by one ' +
    'metric, by default regressions first; further pages need no `intervals`.',
  example: {
    experiment_ids: [exampleIds.experiment_id, '8b2f0c64-2f0e-4a9e-8a55-0c8d1b7f1e55'],
    metrics: ['reward'],
    limit: 20,
  },
  section: '5.5',
  method: 'POST',
  path: `${experimentsPath}/compare`,
  kind: 'r',
  requires: 'viewer',
  body: Type.Object({
    experiment_ids: Type.Array(id('RunId'), { minItems: 2, maxItems: experimentsMax }),
    metrics: nullish(
      Type.Array(Type.String({ minLength: 1, maxLength: comparedMetricMax }), {
        maxItems: comparedMetricsMax,
      }),
    ),
    seed: nullish(Type.Integer({ minimum: 0, maximum: 2 ** 32 - 1, default: defaultSeed })),
    intervals: nullish(Type.Boolean({ default: true })),
    rows: nullish(rowChoice),
    starting_token: nullish(
      Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, default: 0 }),
    ),
    limit: nullish(
      Type.Integer({ minimum: 1, maximum: comparedRowsMax, default: comparedRowsDefault }),
    ),
  }),
  response: comparison,
});

export const experimentComparisonOperations = [compareExperiments];

/** Rejects repeated experiments: compared with itself, one has only ties. */
export const comparisonComplaints = (experiments: readonly string[]): readonly Complaint[] =>
  experiments.flatMap((one, at) =>
    experiments.indexOf(one) === at
      ? []
      : [valueComplaint(['body', 'experiment_ids', String(at)], `'${one}' is named twice`)],
  );
