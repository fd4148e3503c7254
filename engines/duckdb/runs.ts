import type { DuckDBUUIDValue, DuckDBValue } from '@duckdb/node-api';
import { registryType } from '../../kernel/column-value.js';
import { metricRegistry } from '../../kernel/columns.js';
import { categoriesMax, type MetricType } from '../../kernel/records.js';
import type { RunMeasures, RunMetric, TypedMetric } from '../../kernel/run-measures.js';
import type { Rows, Statements } from './connections.js';
import { readMetricTypes } from './metric-types.js';
import type { Model } from './model.js';
import { isUuid, metricSql } from './schema.js';
import { isInteger } from './source.js';
import { integers, uuidConstant } from './sql.js';

type Metrics = Record<string, RunMetric>;
type Inquiry = {
  readonly model: Model;
  readonly statements: Statements;
  /** Condition on `r`, the traces. */
  readonly where: string;
};

const whereOf = (model: Model, project: string, runs: readonly string[] | null): string | null => {
  const number = model.projects.get(project);
  if (number === undefined) return null;
  if (runs === null) return `r.project = ${number}`;
  const known = runs.filter(isUuid);
  return known.length === 0
    ? null
    : `r.project = ${number} AND r.run_id IN (${known.map(uuidConstant).join(', ')})`;
};

/** As `runMeasures` of kernel/run-measures.ts, for each run. */
export const runMeasures = (
  model: Model,
  project: string,
  runs: readonly string[],
): Promise<ReadonlyMap<string, RunMeasures>> =>
  model.connections.read(async (statements) => {
    const where = whereOf(model, project, runs);
    const found = new Map<string, { traces: number; complete: number; metrics: Metrics }>();
    if (where === null) return found;
    const inquiry = { model, statements, where };
    for (const { run, traces, complete, metrics } of await registered(inquiry)) {
      found.set(run, { traces, complete, metrics });
    }
    const facets = await facetsOf(inquiry);
    if (facets.length === 0) return found;
    const names = facets.map(({ name }) => name);
    const types = await readMetricTypes(model, statements, project, names);
    const typed = facets.flatMap((facet) => {
      const type = types.get(facet.name);
      return type === undefined ? [] : [{ ...facet, type }];
    });
    for (const { run, name, metric } of await beyondRegistry(inquiry, typed)) {
      const known = found.get(run);
      if (known !== undefined) known.metrics[name] = metric;
    }
    return found;
  });

const ranks = ['0.50', '0.90', '0.95', '0.99'];
/** Seven columns for a value: what `numberOf` reads. */
const numberSql = (value: string): readonly string[] => [
  `count(${value})`,
  `sum(${value})`,
  `min(${value})`,
  `max(${value})`,
  ...ranks.map((rank) => `quantile_disc(${value}, ${rank})`),
];
const numberColumns = 8;

/** Null without a value. A sum beyond the doubles has no JSON form, and -0 counts as 0. */
const numberOf = (cells: readonly DuckDBValue[]): RunMetric | null => {
  const [count = 0, sum = 0, min = 0, max = 0, p50 = 0, p90 = 0, p95 = 0, p99 = 0] = cells.map(
    (cell) => Number(cell) + 0,
  );
  const total = Number.isFinite(sum) ? sum : null;
  return count === 0 ? null : { kind: 'number', count, sum: total, min, max, p50, p90, p95, p99 };
};

/** One scan for the counts, so that the ranks are taken of those metrics only that have values. */
const registered = async ({ statements, where }: Inquiry) => {
  const counts = metricRegistry.map(({ name }) => `count(r.${metricSql(name)})`).join(', ');
  const [totals = []] = await statements.rows(`SELECT ${counts} FROM traces r WHERE ${where}`);
  const present = metricRegistry.filter((_, at) => Number(totals[at]) > 0).map(({ name }) => name);
  const measures = present.flatMap((name) => numberSql(`r.${metricSql(name)}`));
  const columns = ['r.run_id', 'count(*)', 'count(*) FILTER (r.is_complete)', ...measures];
  const found = await statements.rows(
    `SELECT ${columns.join(', ')} FROM traces r WHERE ${where} GROUP BY r.run_id`,
  );
  return found.map(([run, traces, complete, ...cells]) => {
    // Without a prototype: a metric may be called `__proto__`.
    const metrics = Object.create(null) as Metrics;
    present.forEach((name, at) => {
      const metric = numberOf(cells.slice(at * numberColumns, (at + 1) * numberColumns));
      if (metric !== null) metrics[name] = metric;
    });
    return { run: idOf(run), traces: Number(traces), complete: Number(complete), metrics };
  });
};

type Facet = { readonly col: number; readonly name: string };
type TypedFacet = Facet & { readonly type: MetricType };

const metricPrefix = 'metrics/';

/** The metrics outside the registry that the traces have. */
const facetsOf = async ({ model, statements, where }: Inquiry): Promise<readonly Facet[]> => {
  const columns = [...model.columns].filter(
    ([id]) => id.startsWith(metricPrefix) && registryType(nameOf(id)) === null,
  );
  if (columns.length === 0) return [];
  const found = await statements.rows(
    `SELECT DISTINCT f.col FROM facets f JOIN traces r ON r.key = f.key WHERE ${where}`,
  );
  const present = new Set(found.map(([col]) => Number(col)));
  return columns
    .filter(([, col]) => present.has(col))
    .map(([id, col]) => ({ col, name: nameOf(id) }));
};
const nameOf = (column: string): string => column.slice(metricPrefix.length);

type Found = { readonly run: string; readonly name: string; readonly metric: RunMetric };

const beyondRegistry = async (
  inquiry: Inquiry,
  facets: readonly TypedFacet[],
): Promise<readonly Found[]> => {
  const names = new Map(facets.map(({ col, name }) => [col, name]));
  const of = (...types: readonly MetricType[]) =>
    facets.filter(({ type }) => types.includes(type)).map(({ col }) => col);
  const found: Found[] = [];
  const add = (run: DuckDBValue, col: DuckDBValue, metric: RunMetric | null): void => {
    const name = names.get(Number(col));
    if (name !== undefined && metric !== null) found.push({ run: idOf(run), name, metric });
  };
  const value = numberIn(of('integer'));
  const numbers = await grouped(inquiry, of('integer', 'floating_point'), value, numberSql('v'));
  for (const [run = null, col = null, ...cells] of numbers) add(run, col, numberOf(cells));
  const trues = ['count(v)', 'count(*) FILTER (v)'];
  for (const row of await grouped(inquiry, of('boolean'), 'f.bool', trues)) {
    const [run = null, col = null, count, trueCount] = row;
    add(run, col, { kind: 'boolean', count: Number(count), trues: Number(trueCount) });
  }
  for (const [run, col, metric] of await categories(inquiry, of('text'))) add(run, col, metric);
  return found;
};

/** The visible number of a facet (contract 3.4, rule 3). */
const numberIn = (integerColumns: readonly number[]): string =>
  integerColumns.length === 0
    ? 'f.num'
    : `CASE WHEN f.col NOT IN (${integers(integerColumns)}) OR ${isInteger('f')} THEN f.num END`;

const grouped = (
  { statements, where }: Inquiry,
  cols: readonly number[],
  value: string,
  measures: readonly string[],
): Promise<Rows> =>
  cols.length === 0
    ? Promise.resolve([])
    : statements.rows(
        `SELECT run, col, ${measures.join(', ')} FROM (
           SELECT r.run_id AS run, f.col AS col, ${value} AS v
           FROM facets f JOIN traces r ON r.key = f.key
           WHERE ${where} AND f.col IN (${integers(cols)})
         ) WHERE v IS NOT NULL GROUP BY run, col`,
      );

const categories = async (
  inquiry: Inquiry,
  cols: readonly number[],
): Promise<readonly (readonly [DuckDBValue, DuckDBValue, RunMetric])[]> => {
  const sizes = await grouped(inquiry, cols, 'f.text', ['count(*)', 'count(DISTINCT v)']);
  const few = sizes.some((row) => Number(row[3]) <= categoriesMax);
  const shown = new Map<string, Record<string, number>>();
  if (few) {
    // A run with too many categories is counted beside the others; its rows are not looked at.
    const counted = await inquiry.statements.rows(
      `SELECT r.run_id, f.col, f.text, count(*) FROM facets f JOIN traces r ON r.key = f.key
       WHERE ${inquiry.where} AND f.col IN (${integers(cols)}) AND f.text IS NOT NULL
       GROUP BY r.run_id, f.col, f.text QUALIFY count(*) OVER (PARTITION BY r.run_id, f.col) <= ${categoriesMax}`,
    );
    for (const [run = null, col = null, text, count] of counted) {
      const place = `${idOf(run)} ${String(col)}`;
      // Without a prototype: a category may be called `__proto__`.
      const counts = shown.get(place) ?? (Object.create(null) as Record<string, number>);
      counts[String(text)] = Number(count);
      shown.set(place, counts);
    }
  }
  return sizes.map(([run = null, col = null, count]) => {
    const counts = shown.get(`${idOf(run)} ${String(col)}`) ?? null;
    return [run, col, { kind: 'text', count: Number(count), counts }];
  });
};

/** As `runAverages` of kernel/run-measures.ts. */
export const runAverages = (
  model: Model,
  project: string,
  metrics: readonly TypedMetric[],
  runs: readonly string[] | null,
): Promise<ReadonlyMap<string, readonly (number | null)[]>> =>
  model.connections.read(async (statements) => {
    const where = whereOf(model, project, runs);
    const found = new Map<string, (number | null)[]>();
    if (where === null) return found;
    const note = (run: DuckDBValue, at: number, cell: DuckDBValue): void => {
      const value = cell === null ? null : Number(cell) + 0;
      if (value === null || !Number.isFinite(value)) return;
      const id = idOf(run);
      const values = found.get(id) ?? metrics.map(() => null);
      values[at] = value;
      found.set(id, values);
    };
    const wide = metrics.flatMap(({ metric, type }, at) =>
      registryType(metric) === null || !isNumber(type) ? [] : [{ at, metric }],
    );
    if (wide.length > 0) {
      const averages = wide.map(({ metric }) => `avg(r.${metricSql(metric)})`).join(', ');
      const sql = `SELECT r.run_id, ${averages} FROM traces r WHERE ${where} GROUP BY r.run_id`;
      for (const [run = null, ...cells] of await statements.rows(sql)) {
        wide.forEach(({ at }, place) => note(run, at, cells[place] ?? null));
      }
    }
    for (const [at, { metric, type }] of metrics.entries()) {
      const col = model.columns.get(metricPrefix + metric);
      if (col === undefined || registryType(metric) !== null || type === 'text') continue;
      const value =
        type === 'boolean' ? 'CAST(f.bool AS INTEGER)' : numberIn(type === 'integer' ? [col] : []);
      const rows = await grouped({ model, statements, where }, [col], value, ['avg(v)']);
      for (const [run = null, , cell = null] of rows) note(run, at, cell);
    }
    return found;
  });

const isNumber = (type: MetricType): boolean => type === 'integer' || type === 'floating_point';
const idOf = (run: DuckDBValue | undefined): string => (run as DuckDBUUIDValue).toString();
