import { DuckDBListValue, type DuckDBUUIDValue, type DuckDBValue } from '@duckdb/node-api';
import { registryType } from '../../kernel/column-value.js';
import { metricRegistry } from '../../kernel/columns.js';
import { categoriesMax, type MetricType } from '../../kernel/records.js';
import type { RunMeasures, RunMetric, TypedMetric } from '../../kernel/run-measures.js';
import type { Rows, Statements } from './connections.js';
import { knownTypes } from './metric-types.js';
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

/** As `runMeasures` of kernel/run-measures.ts, for each run: two scans, and one more for texts. */
export const runMeasures = (
  model: Model,
  project: string,
  runs: readonly string[],
): Promise<ReadonlyMap<string, RunMeasures>> => {
  const { position } = model.mark;
  return model.connections.read(async (statements) => {
    const where = whereOf(model, project, runs);
    if (where === null) return new Map();
    const inquiry = { model, statements, where };
    const found = await registered(inquiry);
    const measured = await beyondRegistry(inquiry);
    const names = [...new Set(measured.map(({ name }) => name))];
    const types = await knownTypes(model, statements, project, names, position);
    const texts = await categories(inquiry, measured, types);
    for (const { run, col, name, of } of measured) {
      const type = types.get(name);
      const metric =
        type === 'text'
          ? (texts.get(`${run} ${col}`) ?? null)
          : type === undefined
            ? null
            : of[type];
      const known = found.get(run);
      if (metric !== null && known !== undefined) known.metrics[name] = metric;
    }
    return found;
  });
};

/** Columns that measure a number, in the order in which `numberOf` reads them. */
const numberSql = (value: string): readonly string[] => [
  `count(${value})`,
  `sum(${value})`,
  `min(${value})`,
  `max(${value})`,
  // The shares are fixed-point constants, with which the engine finds the nearest rank in whole
  // numbers.
  `quantile_disc(${value}, [0.50, 0.90, 0.95, 0.99])`,
];
const numberColumns = 5;

/** Null without a value. A sum beyond the doubles has no JSON form, and -0 counts as 0. */
const numberOf = (cells: readonly DuckDBValue[]): RunMetric | null => {
  const [count, sum, min, max] = cells.slice(0, -1).map((cell) => Number(cell) + 0);
  const ranks = cells.at(-1);
  if (count === undefined || count === 0 || !(ranks instanceof DuckDBListValue)) return null;
  const [p50 = 0, p90 = 0, p95 = 0, p99 = 0] = ranks.items.map((rank) => Number(rank) + 0);
  const total = sum !== undefined && Number.isFinite(sum) ? sum : null;
  return { kind: 'number', count, sum: total, min: min ?? 0, max: max ?? 0, p50, p90, p95, p99 };
};

type Measured = { traces: number; complete: number; metrics: Metrics };

const registered = async ({ statements, where }: Inquiry): Promise<Map<string, Measured>> => {
  const measures = metricRegistry.flatMap(({ name }) => numberSql(`r.${metricSql(name)}`));
  const columns = ['r.run_id', 'count(*)', 'count(*) FILTER (r.is_complete)', ...measures];
  const found = await statements.rows(
    `SELECT ${columns.join(', ')} FROM traces r WHERE ${where} GROUP BY r.run_id`,
  );
  return new Map(
    found.map(([run, traces, complete, ...cells]) => {
      // Without a prototype: a metric may be called `__proto__`.
      const metrics = Object.create(null) as Metrics;
      for (const [at, { name }] of metricRegistry.entries()) {
        const metric = numberOf(cells.slice(at * numberColumns, (at + 1) * numberColumns));
        if (metric !== null) metrics[name] = metric;
      }
      const counted = { traces: Number(traces), complete: Number(complete), metrics };
      return [idOf(run), counted] as const;
    }),
  );
};

/** A metric outside the registry in one run: as what it shows of each type (contract 3.4). */
type Facet = {
  readonly run: string;
  readonly col: number;
  readonly name: string;
  readonly of: Readonly<Record<Exclude<MetricType, 'text'>, RunMetric | null>>;
  /** Values that are texts. */
  readonly texts: number;
};

const beyondRegistry = async ({ model, statements, where }: Inquiry): Promise<readonly Facet[]> => {
  const names = new Map(
    [...model.columns].flatMap(([id, col]) =>
      id.startsWith(metricPrefix) && registryType(nameOf(id)) === null ? [[col, nameOf(id)]] : [],
    ),
  );
  if (names.size === 0) return [];
  const truths = ['count(bool)', 'count(*) FILTER (bool)', 'count(text)'];
  const measures = [...numberSql('number'), ...numberSql('whole'), ...truths];
  const found = await statements.rows(
    `SELECT run, col, ${measures.join(', ')} FROM (
       SELECT r.run_id AS run, f.col, f.bool, f.text, f.num AS number,
         CASE WHEN ${isInteger('f')} THEN f.num END AS whole
       FROM facets f JOIN traces r ON r.key = f.key
       WHERE ${where} AND f.col IN (${integers([...names.keys()])})
     ) GROUP BY run, col`,
  );
  return found.map(([run, col, ...cells]) => {
    const [bools, trues, texts = 0] = cells.slice(2 * numberColumns).map(Number);
    return {
      run: idOf(run),
      col: Number(col),
      name: names.get(Number(col)) ?? '',
      texts,
      of: {
        floating_point: numberOf(cells.slice(0, numberColumns)),
        integer: numberOf(cells.slice(numberColumns, 2 * numberColumns)),
        boolean:
          bools === undefined || bools === 0
            ? null
            : { kind: 'boolean', count: bools, trues: trues ?? 0 },
      },
    };
  });
};
const metricPrefix = 'metrics/';
const nameOf = (column: string): string => column.slice(metricPrefix.length);

/** By run and column, of metrics that are texts. */
const categories = async (
  { statements, where }: Inquiry,
  facets: readonly Facet[],
  types: ReadonlyMap<string, MetricType>,
): Promise<ReadonlyMap<string, RunMetric>> => {
  const texts = facets.filter(({ name, texts: count }) => types.get(name) === 'text' && count > 0);
  if (texts.length === 0) return new Map();
  const cols = integers([...new Set(texts.map(({ col }) => col))]);
  // Where there are too many of them, none is counted.
  const counted = await statements.rows(
    `SELECT r.run_id, f.col, f.text, count(*) FROM facets f JOIN traces r ON r.key = f.key
     WHERE ${where} AND f.col IN (${cols}) AND f.text IS NOT NULL
     GROUP BY r.run_id, f.col, f.text
     QUALIFY count(*) OVER (PARTITION BY r.run_id, f.col) <= ${categoriesMax}`,
  );
  const shown = new Map<string, Record<string, number>>();
  for (const [run, col, text, count] of counted) {
    const place = `${idOf(run)} ${String(col)}`;
    // Without a prototype: a category may be called `__proto__`.
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

/** The visible number of a facet (contract 3.4, rule 3). */
const numberIn = (integerColumns: readonly number[]): string =>
  integerColumns.length === 0
    ? 'f.num'
    : `CASE WHEN f.col NOT IN (${integers(integerColumns)}) OR ${isInteger('f')} THEN f.num END`;

const averages = ({ statements, where }: Inquiry, col: number, value: string): Promise<Rows> =>
  statements.rows(
    `SELECT run, avg(v) FROM (
       SELECT r.run_id AS run, ${value} AS v FROM facets f JOIN traces r ON r.key = f.key
       WHERE ${where} AND f.col IN (${integers([col])})
     ) WHERE v IS NOT NULL GROUP BY run`,
  );

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
      const rows = await averages({ model, statements, where }, col, value);
      for (const [run = null, cell = null] of rows) note(run, at, cell);
    }
    return found;
  });

const isNumber = (type: MetricType): boolean => type === 'integer' || type === 'floating_point';
const idOf = (run: DuckDBValue | undefined): string => (run as DuckDBUUIDValue).toString();
