import {
  comparisonMethod,
  confidenceLevel,
  type ComparedMetric,
  type Direction,
  type ExperimentComparison,
} from '../../contract/experiment-comparison.js';
import {
  openPairedBootstrap,
  affordableResamples,
  type PairedBootstrap,
} from '../../kernel/paired-bootstrap.js';
import { measureName } from '../filters/catalogue.js';
import type { TypedMetric } from '../../kernel/records/measures.js';
import type { RunRow } from '../../kernel/records/run-rows.js';
import type { DatasetId, RunId } from '../../kernel/schema-types.js';

export type DirectedMetric = TypedMetric & { readonly direction: Direction };
/** Facts of an experiment that the comparison shows besides its records. */
export type ComparisonExperiment = {
  readonly id: RunId;
  readonly name: string;
  readonly dataset: { readonly dataset_id: DatasetId; readonly version_index: number } | null;
};
/** One row: the cell of each experiment, in their order; null: no trace. */
export type RowCells = readonly (RunRow | null)[];
export type ComparisonTable = {
  /** Rows of the baseline first, by the earliest `created_at`; contract 5.5. */
  readonly rows: readonly RowCells[];
  readonly experiments: ExperimentComparison['experiments'];
};

/** Bootstrap draws of all intervals of a response together: a quarter of a second. */
const drawsMax = 20_000_000;

/** Builds the table of experiments by row. */
export const comparisonTable = (
  facts: readonly ComparisonExperiment[],
  found: readonly RunRow[],
): ComparisonTable => {
  const places = new Map<string, number>(facts.map(({ id }, at) => [id, at]));
  const rows = new Map<string, (RunRow | null)[]>();
  const counts = facts.map(() => ({ traces: 0, without: 0, rows: 0, failed: 0 }));
  for (const cell of found) {
    const at = places.get(cell.run);
    const count = at === undefined ? undefined : counts[at];
    if (at === undefined || count === undefined) continue;
    count.traces += cell.traces;
    if (cell.row === null) {
      count.without += cell.traces;
      continue;
    }
    count.rows += 1;
    if (cell.failed) count.failed += 1;
    const cells = rows.get(cell.row) ?? facts.map(() => null);
    cells[at] = cell;
    rows.set(cell.row, cells);
  }
  return {
    rows: [...rows.values()]
      .map((cells) => ({ cells, place: placeOf(cells) }))
      .sort(byPlace)
      .map(({ cells }) => cells),
    experiments: facts.map(({ id, name, dataset }, at) => ({
      experiment_id: id,
      name,
      dataset: dataset && { ...dataset },
      num_traces: counts[at]?.traces ?? 0,
      traces_without_row: counts[at]?.without ?? 0,
      num_rows: counts[at]?.rows ?? 0,
      missing_rows: rows.size - (counts[at]?.rows ?? 0),
      failed_rows: counts[at]?.failed ?? 0,
    })),
  };
};

/** Code point order: places are ASCII, so the engine's own fast comparison gives it. */
const byPlace = (one: { readonly place: string }, other: { readonly place: string }): number =>
  one.place < other.place ? -1 : Number(one.place > other.place);

const placeOf = (cells: RowCells): string => {
  const [baseline] = cells;
  const firsts = cells.flatMap((cell) => cell?.first ?? []);
  const first = baseline?.first ?? firsts.reduce((one, other) => (other < one ? other : one));
  const row = cells.find((cell) => cell !== null)?.row;
  return `${baseline === null ? 1 : 0} ${first} ${row}`;
};

/** Difference from the baseline's value; 0 for values within rounding error (contract 5.5). */
export const differenceOf = (value: number, baseline: number): number => {
  const difference = value - baseline;
  const size = Math.max(Math.abs(value), Math.abs(baseline));
  return Math.abs(difference) <= 1e-12 * size ? 0 : difference;
};

type MetricSample = {
  readonly differences: Float64Array;
  readonly bootstrap: PairedBootstrap | null;
};
type MetricSamples = {
  /** Samples by metric and by experiment, without the baseline. */
  readonly samples: readonly (readonly MetricSample[])[];
  readonly resamples: number;
};

/** Paired differences, with their bootstraps still to be drawn; `seed` null: without bootstraps. */
export const sampleMetrics = (
  { rows, experiments }: ComparisonTable,
  metrics: readonly DirectedMetric[],
  seed: number | null,
): MetricSamples => {
  const pairs = metrics.map((_, metric) =>
    experiments.slice(1).map((__, other) => pairedDifferences(rows, metric, other + 1)),
  );
  const lengths = pairs.flat().flatMap(({ length }) => (length < 2 ? [] : [length]));
  const resamples = affordableResamples(drawsMax, lengths);
  const isSampled = (length: number) => seed !== null && resamples > 0 && length > 1;
  const choice = { seed: seed ?? 0, resamples, level: confidenceLevel };
  const samples = pairs.map((ofMetric) =>
    ofMetric.map((differences) => ({
      differences,
      bootstrap: isSampled(differences.length) ? openPairedBootstrap(differences, choice) : null,
    })),
  );
  return { samples, resamples };
};

const pairedDifferences = (
  rows: readonly RowCells[],
  metric: number,
  other: number,
): Float64Array => {
  const differences = new Float64Array(rows.length);
  let length = 0;
  for (const cells of rows) {
    const baseline = cells[0]?.means[metric] ?? null;
    const value = cells[other]?.means[metric] ?? null;
    if (baseline === null || value === null) continue;
    differences[length] = differenceOf(value, baseline);
    length += 1;
  }
  return differences.slice(0, length);
};

/** Comparison of one metric, once all of its bootstraps are drawn. */
export const comparedMetric = (
  { rows, experiments }: ComparisonTable,
  measured: DirectedMetric,
  { samples, resamples }: MetricSamples,
  at: number,
): ComparedMetric => ({
  metric: measureName(measured),
  type: measured.type === 'text' ? 'floating_point' : measured.type,
  direction: measured.direction,
  experiments: experiments.map(({ experiment_id }, place) => {
    const values = rows.flatMap((cells) => cells[place]?.means[at] ?? []);
    const sampled = place === 0 ? undefined : samples[at]?.[place - 1];
    return {
      experiment_id,
      num_rows: values.length,
      mean: meanOf(values),
      against_baseline: sampled ? againstBaseline(sampled, measured.direction, resamples) : null,
    };
  }),
});

const againstBaseline = (
  { differences, bootstrap }: MetricSample,
  direction: Direction,
  resamples: number,
): ComparedMetric['experiments'][number]['against_baseline'] => {
  const interval = bootstrap?.interval() ?? null;
  const isShown = interval !== null && finite(interval.lower) && finite(interval.upper);
  const up = differences.filter((one) => one > 0).length;
  const down = differences.filter((one) => one < 0).length;
  const isHigher = direction === 'higher';
  return {
    num_rows: differences.length,
    mean_difference: meanOf(differences),
    confidence_interval: isShown ? { ...interval, resamples } : null,
    wins: isHigher ? up : down,
    losses: isHigher ? down : up,
    ties: differences.length - up - down,
  };
};

/** Mean of values; null when empty or infinite. */
const meanOf = (values: readonly number[] | Float64Array): number | null => {
  let sum = 0;
  for (const value of values) sum += value;
  return values.length > 0 && finite(sum) ? sum / values.length + 0 : null;
};
const finite = Number.isFinite;

/** Summary of a comparison, which precedes its rows. */
export const comparisonSummary = (
  { rows, experiments }: ComparisonTable,
  metrics: ComparedMetric[],
  seed: number,
): Omit<
  ExperimentComparison,
  'shown_rows' | 'rows' | 'starting_token' | 'limit' | 'paginated' | 'next_starting_token'
> => ({
  experiments,
  total_rows: rows.length,
  rows_in_all: rows.filter((cells) => !cells.includes(null)).length,
  method: comparisonMethod,
  confidence_level: confidenceLevel,
  seed,
  metrics,
});
