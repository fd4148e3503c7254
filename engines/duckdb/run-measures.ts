import { DuckDBListValue, type DuckDBValue } from '@duckdb/node-api';
import { registryType } from '../../kernel/records/column-value.js';
import { metricRegistry } from '../../kernel/records/columns.js';
import { categoriesMax } from '../../kernel/records/query-plans.js';
import type { MetricType } from '../../kernel/records/record.js';
import type { RunMeasures, RunMetric, TypedMetric } from '../../kernel/records/measures.js';
import type { QueryContext } from '../../kernel/ports.js';
import type { Rows, Statements } from './connections.js';
import { loadMetricTypes } from './metric-types.js';
import type { RecordsModel } from './model.js';
import { projectModelOf, type ProjectModel } from './project-columns.js';
import { ratingValueSql } from './rating-sql.js';
import { runIdOf, runsCondition, sessionCounts } from './run-counts.js';
import { measuredMetricMarker, metricSql } from './schema.js';
import { integerCondition } from './record-source.js';
import { integerList } from './sql.js';

type Metrics = Record<string, RunMetric>;
type RunQuery = {
  readonly model: ProjectModel;
  readonly statements: Statements;
  /** Condition on `r`, the traces. */
  readonly where: string;
};

/**
 * `runMeasures` of kernel/records/reference/run-measures.ts per run: two scans, one more for texts,
 * and one for sessions.
 */
export const runMeasures = (
  whole: RecordsModel,
  project: string,
  runs: readonly string[],
  context: QueryContext = {},
): Promise<ReadonlyMap<string, RunMeasures>> => {
  const { position } = whole.checkpoint;
  return whole.connections.scan(async (statements) => {
    const model = await projectModelOf(whole, statements, project);
    const where = runsCondition(model, project, runs);
    if (where === null) return new Map();
    const inquiry = { model, statements, where };
    const found = await readRegistryMetrics(inquiry);
    const types = await loadMetricTypes(model, statements, project, null, position);
    const measured = await readOtherMetrics(inquiry, types);
    const texts = await countCategories(inquiry, measured);
    for (const { run, col, name, type, of } of measured) {
      const metric = type === 'text' ? texts.get(`${run} ${col}`) : of;
      const known = found.get(run);
      if (metric != null && known !== undefined) known.metrics[name] = metric;
    }
    for (const [run, sessions] of await sessionCounts(model, statements, where)) {
      found.set(run, { ...(found.get(run) ?? emptyMeasures()), sessions });
    }
    return found;
  }, context);
};

/** SELECT expressions that measure a number, in the order that `numberOf` reads. */
const numberSql = (value: string): readonly string[] => [
  `count(${value})`,
  `sum(${value})`,
  `min(${value})`,
  `max(${value})`,
  // Fixed-point constants make the engine find the nearest rank in integers.
  `quantile_disc(${value}, [0.50, 0.90, 0.95, 0.99])`,
];
const numberColumns = 5;

/**
 * Decodes the cells of `numberSql`; null without a value. A sum beyond the doubles has no JSON
 * form, and -0 counts as 0.
 */
const numberOf = (cells: readonly DuckDBValue[]): RunMetric | null => {
  const [count, sum, min, max] = cells.slice(0, -1).map((cell) => Number(cell) + 0);
  const ranks = cells.at(-1);
  if (count === undefined || count === 0 || !(ranks instanceof DuckDBListValue)) return null;
  const [p50 = 0, p90 = 0, p95 = 0, p99 = 0] = ranks.items.map((rank) => Number(rank) + 0);
  const total = sum !== undefined && Number.isFinite(sum) ? sum : null;
  return { kind: 'number', count, sum: total, min: min ?? 0, max: max ?? 0, p50, p90, p95, p99 };
};

type MeasuredRun = RunMeasures & { readonly metrics: Metrics };
// No prototype: a metric may be called `__proto__`.
const noMetrics = (): Metrics => Object.create(null) as Metrics;
const emptyMeasures = (): MeasuredRun => ({
  traces: 0,
  complete: 0,
  spans: 0,
  sessions: 0,
  metrics: noMetrics(),
});

const readRegistryMetrics = async ({
  model,
  statements,
  where,
}: RunQuery): Promise<Map<string, MeasuredRun>> => {
  // Most registry metrics are never used, and an unused one costs as much as a used one.
  const used = metricRegistry.filter(({ name }) => model.markers.has(measuredMetricMarker(name)));
  const measures = used.flatMap(({ name }) => numberSql(`r.${metricSql(name)}`));
  const counts = ['count(*)', 'count(*) FILTER (r.is_complete)', 'sum(r.span_count)'];
  const found = await statements.rows(
    `SELECT r.run_id, ${[...counts, ...measures].join(', ')} FROM traces r
     WHERE ${where} GROUP BY r.run_id`,
  );
  return new Map(
    found.map(([run, traces, complete, spans, ...cells]) => {
      const metrics = noMetrics();
      for (const [at, { name }] of used.entries()) {
        const metric = numberOf(cells.slice(at * numberColumns, (at + 1) * numberColumns));
        if (metric !== null) metrics[name] = metric;
      }
      const counted = { traces: Number(traces), complete: Number(complete), spans: Number(spans) };
      return [runIdOf(run), { ...counted, sessions: 0, metrics }] as const;
    }),
  );
};

/** A metric outside the registry in one run. */
type RunFacet = {
  readonly run: string;
  readonly col: number;
  readonly name: string;
  readonly type: MetricType;
  /** Its visible numbers (contract 3.4); null without a value, and for a text. */
  readonly of: RunMetric | null;
  /** Number of text values. */
  readonly texts: number;
};

const readOtherMetrics = async (
  { model, statements, where }: RunQuery,
  types: ReadonlyMap<string, MetricType>,
): Promise<readonly RunFacet[]> => {
  const names = new Map(
    [...types.keys()].flatMap((name) => {
      const col = model.columns.get(metricPrefix + name);
      return col === undefined ? [] : [[col, name] as const];
    }),
  );
  if (names.size === 0) return [];
  const whole = [...names].filter(([, name]) => types.get(name) === 'integer');
  const truths = ['count(bool)', 'count(*) FILTER (bool)', 'count(text)'];
  const number = visibleNumberSql(whole.map(([col]) => col));
  const found = await statements.rows(
    `SELECT run, col, ${[...numberSql('number'), ...truths].join(', ')} FROM (
       SELECT r.run_id AS run, f.col, f.bool, f.text, ${number} AS number
       FROM facets f JOIN traces r ON r.key = f.key
       WHERE ${where} AND f.col IN (${integerList([...names.keys()])})
     ) GROUP BY run, col`,
  );
  return found.map(([run, at, ...cells]) => {
    const col = Number(at);
    const name = names.get(col) ?? '';
    const type = types.get(name) ?? 'text';
    const [bools = 0, trues = 0, texts = 0] = cells.slice(numberColumns).map(Number);
    const truth: RunMetric | null = bools === 0 ? null : { kind: 'boolean', count: bools, trues };
    const numbers = numberOf(cells.slice(0, numberColumns));
    const of = { integer: numbers, floating_point: numbers, boolean: truth, text: null }[type];
    return { run: runIdOf(run), col, name, type, of, texts };
  });
};
const metricPrefix = 'metrics/';

/** Category counts of text metrics, by run and column. */
const countCategories = async (
  { statements, where }: RunQuery,
  facets: readonly RunFacet[],
): Promise<ReadonlyMap<string, RunMetric>> => {
  const texts = facets.filter(({ type, texts: count }) => type === 'text' && count > 0);
  if (texts.length === 0) return new Map();
  const cols = integerList([...new Set(texts.map(({ col }) => col))]);
  // Counts none where there are too many.
  const counted = await statements.rows(
    `SELECT r.run_id, f.col, f.text, count(*) FROM facets f JOIN traces r ON r.key = f.key
     WHERE ${where} AND f.col IN (${cols}) AND f.text IS NOT NULL
     GROUP BY r.run_id, f.col, f.text
     QUALIFY count(*) OVER (PARTITION BY r.run_id, f.col) <= ${categoriesMax}`,
  );
  const shown = new Map<string, Record<string, number>>();
  for (const [run, col, text, count] of counted) {
    const place = `${runIdOf(run)} ${String(col)}`;
    // No prototype: a category may be called `__proto__`.
    const counts = shown.get(place) ?? (Object.create(null) as Record<string, number>);
    counts[String(text)] = Number(count);
    shown.set(place, counts);
  }
  return new Map(
    texts.map(({ run, col, texts: count }) => {
      const place = `${run} ${col}`;
      return [place, { kind: 'text', count, counts: shown.get(place) ?? null }] as const;
    }),
  );
};

/** Visible number of a facet (contract 3.4, rules 3 and 5). */
const visibleNumberSql = (integerColumns: readonly number[]): string =>
  integerColumns.length === 0
    ? 'f.num'
    : `CASE WHEN f.col NOT IN (${integerList(integerColumns)}) OR ${integerCondition('f')}
         THEN f.num END`;

const readAverages = ({ statements, where }: RunQuery, col: number, value: string): Promise<Rows> =>
  statements.rows(
    `SELECT run, avg(v) FROM (
       SELECT r.run_id AS run, ${value} AS v FROM facets f JOIN traces r ON r.key = f.key
       WHERE ${where} AND f.col IN (${integerList([col])})
     ) WHERE v IS NOT NULL GROUP BY run`,
  );

/** `runAverages` of kernel/records/reference/run-measures.ts in SQL. */
export const runAverages = (
  whole: RecordsModel,
  project: string,
  metrics: readonly TypedMetric[],
  runs: readonly string[] | null,
  context: QueryContext = {},
): Promise<ReadonlyMap<string, readonly (number | null)[]>> =>
  whole.connections.scan(async (statements) => {
    const model = await projectModelOf(whole, statements, project);
    const where = runsCondition(model, project, runs);
    const found = new Map<string, (number | null)[]>();
    if (where === null) return found;
    const note = (run: DuckDBValue, at: number, cell: DuckDBValue): void => {
      const value = cell === null ? null : Number(cell) + 0;
      if (value === null || !Number.isFinite(value)) return;
      const id = runIdOf(run);
      const values = found.get(id) ?? metrics.map(() => null);
      values[at] = value;
      found.set(id, values);
    };
    const wide = metrics.flatMap(({ metric, type, source }, at) => {
      const isWide = source === undefined && registryType(metric) !== null && isNumber(type);
      return isWide ? [{ at, metric }] : [];
    });
    if (wide.length > 0) {
      const averages = wide.map(({ metric }) => `avg(r.${metricSql(metric)})`).join(', ');
      const sql = `SELECT r.run_id, ${averages} FROM traces r WHERE ${where} GROUP BY r.run_id`;
      for (const [run = null, ...cells] of await statements.rows(sql)) {
        wide.forEach(({ at }, place) => note(run, at, cells[place] ?? null));
      }
    }
    for (const [at, { metric, type, source }] of metrics.entries()) {
      if (source === 'annotations') {
        const value = ratingValueSql(metric, 'floating_point', traceRatingLists);
        const sql = `SELECT r.run_id, avg(${value}) FROM traces r
          WHERE ${where} AND r.annotators IS NOT NULL GROUP BY r.run_id`;
        const rated = type === 'text' ? [] : await statements.rows(sql);
        for (const [run = null, cell = null] of rated) note(run, at, cell);
        continue;
      }
      const col = model.columns.get(metricPrefix + metric);
      if (col === undefined || registryType(metric) !== null || type === 'text') continue;
      const value =
        type === 'boolean'
          ? 'CAST(f.bool AS INTEGER)'
          : visibleNumberSql(type === 'integer' ? [col] : []);
      const rows = await readAverages({ model, statements, where }, col, value);
      for (const [run = null, cell = null] of rows) note(run, at, cell);
    }
    return found;
  }, context);

const traceRatingLists = { values: 'r.ratings', texts: 'r.rating_texts' };

const isNumber = (type: MetricType): boolean => type === 'integer' || type === 'floating_point';
