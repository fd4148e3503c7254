import type { ComparedMetric, ComparedRow } from '../../contract/experiment-comparison.js';
import { pageInfo } from '../../contract/envelope.js';
import { throwIfAborted } from '../../kernel/query-context.js';
import { unclosedObject } from '../../kernel/json-text.js';
import { encodeJsonChunks, type JsonChunks } from '../../kernel/json-chunks.js';
import { streamNameOf, type QueryContext } from '../../kernel/ports.js';
import { userMetadataValue } from '../../kernel/records/column-value.js';
import { pageBytesMax } from '../../kernel/records/query-plans.js';
import type { RecordQueries } from '../../kernel/records/record-queries.js';
import type { RecordRow } from '../../kernel/records/record.js';
import { datasetRowKey, type RunRow } from '../../kernel/records/run-rows.js';
import type { Json, TraceId } from '../../kernel/schema-types.js';
import type { RunInSlice } from '../../kernel/concurrency.js';
import { measureName } from '../filters/catalogue.js';
import { truncateTexts, recordViewOf } from '../records/views.js';
import { chooseRows, type RowOrder } from './comparison-rows.js';
import {
  sampleMetrics,
  differenceOf,
  comparedMetric,
  comparisonSummary,
  comparisonTable,
  type ComparisonExperiment,
  type ComparisonTable,
  type DirectedMetric,
  type RowCells,
} from './comparison-table.js';

export type ComparisonPlan = {
  readonly project: string;
  /** The experiments, baseline first. */
  readonly experiments: readonly ComparisonExperiment[];
  readonly metrics: readonly DirectedMetric[];
  readonly seed: number;
  /** False: without confidence intervals, for further pages. */
  readonly intervals: boolean;
  readonly rows: RowOrder | null;
  readonly offset: number;
  readonly limit: number;
};

type Needs = {
  readonly records: Pick<RecordQueries, 'runRows' | 'groupBytes' | 'firstRows'>;
  readonly inSlices: RunInSlice;
};

/** Bootstrap draws per slice: some milliseconds at most. */
const drawsAtOnce = 100_000;

/**
 * Builds the comparison response of contract 5.5 in time slices; null when it exceeds the limit of
 * rows.
 */
export const comparisonAnswer = async (
  { records, inSlices }: Needs,
  plan: ComparisonPlan,
  context: QueryContext,
): Promise<JsonChunks | null> => {
  const { project, experiments, metrics, seed, intervals, offset, limit } = plan;
  const runs = experiments.map(({ id }) => id);
  const found = await records.runRows({ project, runs, metrics }, context);
  if (found === null) return null;
  const table = await inSlices(() => comparisonTable(experiments, found));
  const compared = await inSlices(() => sampleMetrics(table, metrics, intervals ? seed : null));
  for (const { bootstrap } of compared.samples.flat()) {
    if (bootstrap === null) continue;
    while (await inSlices(() => bootstrap.draw(drawsAtOnce))) throwIfAborted(context);
  }
  const shown: ComparedMetric[] = [];
  for (const [at, metric] of metrics.entries()) {
    shown.push(await inSlices(() => comparedMetric(table, metric, compared, at)));
  }
  const view = { project, table, metrics };
  const chosen = await inSlices(() => chooseRows(table.rows, plan.rows));
  const pageRows = chosen.slice(offset, offset + limit);
  const rows = await readRowsPage({ records, inSlices }, view, pageRows, context);
  const isMore = offset + rows.length < chosen.length;
  const measure = pageInfo({ starting_token: offset, limit }, rows.length, isMore);
  const summary = { ...comparisonSummary(table, shown, seed), shown_rows: chosen.length };
  const before = unclosedObject({ ...summary, ...measure });
  const parts = rows.flatMap((row, at) => (at === 0 ? [row] : [',', row]));
  return encodeJsonChunks([before, ',"rows":[', ...parts, ']}'], String, inSlices, context);
};

type TableView = {
  readonly project: string;
  readonly table: ComparisonTable;
  readonly metrics: readonly DirectedMetric[];
};

/**
 * Rows as JSON, up to the page's byte limit and at least one; read a few at a time, since only the
 * beginnings of their texts are needed.
 */
const readRowsPage = async (
  { records, inSlices }: Needs,
  view: TableView,
  rows: readonly RowCells[],
  context: QueryContext,
): Promise<readonly string[]> => {
  const groupsOf = (cells: RowCells) =>
    cells.flatMap((cell) =>
      cell === null ? [] : streamNameOf('trace', view.project, cell.newest),
    );
  const weights = await records.groupBytes(rows.flatMap(groupsOf), context);
  const weightOf = (cells: RowCells): number =>
    groupsOf(cells).reduce((sum, group) => sum + (weights.get(group) ?? 0), 0);
  const page: string[] = [];
  let left = pageBytesMax;
  for (let from = 0; from < rows.length;) {
    const few = takeWithin(rows.slice(from), weightOf, pageBytesMax);
    throwIfAborted(context);
    const heads = await records.firstRows(few.flatMap(groupsOf));
    const traces = new Map<string, ShownTrace>();
    for (const row of heads.values()) {
      traces.set(String(row.values['id']), await inSlices(() => shownTrace(row)));
    }
    for (const cells of few) {
      const json = await inSlices(() => JSON.stringify(rowOf(cells, view, traces)));
      left -= json.length;
      if (left < 0 && page.length > 0) return page;
      page.push(json);
    }
    from += few.length;
  }
  return page;
};

/** Longest prefix whose weights sum to at most `max`, and at least one item. */
const takeWithin = <T>(items: readonly T[], weightOf: (item: T) => number, max: number) => {
  let sum = 0;
  const end = items.findIndex((item, at) => {
    sum += weightOf(item);
    return at > 0 && sum > max;
  });
  return end < 0 ? items : items.slice(0, end);
};

/** Members of a trace that a page shows, with truncated texts. */
type ShownTrace = {
  readonly row: string | null;
  readonly input: string | null;
  readonly reference: string | null;
  readonly output: Json;
};

const shownTrace = (row: RecordRow): ShownTrace => {
  const {
    dataset_input: input,
    dataset_output: reference,
    output = null,
  } = truncateTexts(recordViewOf(row, false, []));
  return {
    row: userMetadataValue(row, datasetRowKey) || null,
    input: typeof input === 'string' ? input : null,
    reference: typeof reference === 'string' ? reference : null,
    output,
  };
};

const rowOf = (
  cells: RowCells,
  { table: { experiments }, metrics }: TableView,
  traces: ReadonlyMap<string, ShownTrace>,
): ComparedRow => {
  const [baseline] = cells;
  const known = cells.flatMap((cell) => traces.get(cell?.newest ?? '') ?? []);
  return {
    row_id: known[0]?.row ?? null,
    dataset_input: known.find(({ input }) => input !== null)?.input ?? null,
    dataset_output: known.find(({ reference }) => reference !== null)?.reference ?? null,
    experiments: experiments.map(({ experiment_id }, at) => {
      const cell = cells[at] ?? null;
      return {
        experiment_id,
        trace_id: (cell?.newest ?? null) as TraceId | null,
        num_traces: cell?.traces ?? 0,
        output: traces.get(cell?.newest ?? '')?.output ?? null,
        metrics: valuesOf(cell, at === 0 ? null : baseline, metrics),
      };
    }),
  };
};

/** Metric values by name, from entries: a metric may be called `__proto__`. */
const valuesOf = (
  cell: RunRow | null,
  baseline: RunRow | null | undefined,
  metrics: readonly DirectedMetric[],
): ComparedRow['experiments'][number]['metrics'] =>
  Object.fromEntries(
    metrics.flatMap((measured, at) => {
      const value = cell?.means[at] ?? null;
      if (value === null) return [];
      const own = baseline?.means[at] ?? null;
      return [
        [
          measureName(measured),
          { value, difference: own === null ? null : differenceOf(value, own) },
        ],
      ];
    }),
  );
