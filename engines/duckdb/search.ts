import type { DuckDBUUIDValue, DuckDBValue } from '@duckdb/node-api';
import { placeOf, registryType } from '../../kernel/column-value.js';
import type { StreamName } from '../../kernel/ports.js';
import type {
  MetricCell,
  MetricType,
  Population,
  RecordPage,
  RecordRow,
  RecordScope,
  SearchPlan,
} from '../../kernel/records.js';
import type { Rows, Statements } from './connections.js';
import { readMetricTypes } from './metric-types.js';
import type { Model } from './model.js';
import { isUuid, populations, tableOf } from './schema.js';
import { sourceOf, type Source } from './source.js';
import { bindTexts, integers, parameters, uuidConstant } from './sql.js';
import { keyOf, readRow, selectList, type FacetRow } from './stored-row.js';

export const search = (model: Model, plan: SearchPlan): Promise<RecordPage> =>
  model.connections.read(async (statements) => {
    const { sort } = plan;
    const source = sourceOf(model, plan);
    const place = sort === null ? null : placeOf(sort.column);
    const metrics = place?.in === 'metrics' ? [place.metric] : [];
    const types = await readMetricTypes(model, statements, plan.project, metrics);
    const by = sort === null ? null : sortExpression(source, sort.column, types);
    const order = [
      ...(by === null ? [] : [`${by} ${sort?.ascending === true ? 'ASC' : 'DESC'} NULLS LAST`]),
      'r.created_at DESC',
      'r.id DESC',
    ];
    // Narrow columns first; the wide rows of the page only.
    const keys = await statements.rows(
      `SELECT r.key ${source.fromWhere()} ORDER BY ${order.join(', ')}
       LIMIT ${integers([plan.limit + 1])} OFFSET ${integers([plan.offset])}`,
      source.parameters,
    );
    const page = keys.slice(0, plan.limit).map(([key]) => key as bigint);
    const found = await rowsByKey(model, statements, plan.population, page);
    return { rows: page.flatMap((key) => found.get(key) ?? []), more: keys.length > plan.limit };
  });

const sortExpression = (
  source: Source,
  column: string,
  types: ReadonlyMap<string, MetricType>,
): string => {
  const place = placeOf(column);
  if (place?.in !== 'metrics') return source.column(column);
  return source.metric(place.metric, registryType(place.metric) ?? types.get(place.metric) ?? null);
};

export const count = (model: Model, scope: RecordScope): Promise<number> =>
  model.connections.read(async ({ rows }) => {
    const source = sourceOf(model, scope);
    const [counted] = await rows(`SELECT count(*) ${source.fromWhere()}`, source.parameters);
    return Number(counted?.[0]);
  });

const rowsByKey = async (
  model: Model,
  statements: Statements,
  population: Population,
  keys: readonly bigint[],
): Promise<ReadonlyMap<bigint, RecordRow>> => {
  if (keys.length === 0) return new Map();
  const list = keys.map(String).join(', ');
  const rows = await readRows(model, statements, population, `r.key IN (${list})`);
  return new Map(rows.map(([key, row]) => [key, row]));
};

/** The records of one table that satisfy the condition on `r`, with their facets, in no order. */
export const readRows = async (
  model: Model,
  { rows }: Statements,
  population: Population,
  condition: string,
): Promise<readonly (readonly [bigint, RecordRow])[]> => {
  const stored = await rows(
    `SELECT ${selectList} FROM ${tableOf[population]} r JOIN groups g ON g.grp = r.grp WHERE ${condition}`,
  );
  if (stored.length === 0) return [];
  const keys = stored.map((row) => String(keyOf(row))).join(', ');
  const facets = facetsByKey(
    await rows(
      `SELECT f.key, c.id, f.num, f.bool, f.text, f.rolled_up, f.first_at, f.first_type, f.fraction
       FROM facets f JOIN columns c ON c.number = f.col WHERE f.key IN (${keys})`,
    ),
  );
  const projects = new Map([...model.projects].map(([id, number]) => [number, id]));
  return stored.map((row) => {
    const project = projects.get(Number(row[2])) ?? '';
    return [keyOf(row), readRow(row, project, facets.get(keyOf(row)) ?? [])] as const;
  });
};

const facetsByKey = (rows: Rows): ReadonlyMap<bigint, readonly FacetRow[]> => {
  const facets = new Map<bigint, FacetRow[]>();
  for (const [key, ...row] of rows) {
    const known = facets.get(key as bigint) ?? [];
    known.push(facetOf(row));
    facets.set(key as bigint, known);
  }
  return facets;
};

const facetOf = (row: readonly DuckDBValue[]): FacetRow => {
  const [column, num, bool, text, rolledUp, at, type, fraction] = row;
  // A number beside another value is the roll-up that shows when the metric's type is a number.
  const value = bool ?? text ?? num ?? null;
  const rollUp = typeof num === 'number' && value !== num ? { rollUp: num } : {};
  const first =
    typeof at === 'string'
      ? { first: { at, type: String(type) as MetricType, fraction: fraction === true } }
      : {};
  return {
    column: String(column),
    cell:
      value === null
        ? null
        : { value: value as MetricCell['value'], rolledUp: rolledUp === true, ...first, ...rollUp },
    text: typeof text === 'string' ? text : null,
    number: typeof num === 'number' ? num : null,
  };
};

export const groups = (
  model: Model,
  names: readonly StreamName[],
): Promise<ReadonlyMap<StreamName, readonly RecordRow[]>> =>
  model.connections.read(async (statements) => {
    const wanted = parameters();
    const numbers = await statements.rows(
      `SELECT grp FROM groups WHERE name IN (SELECT unnest(${bindTexts(wanted, names)}))`,
      wanted,
    );
    return groupsByNumber(
      model,
      statements,
      numbers.map(([grp]) => Number(grp)),
    );
  });

export const groupsByNumber = async (
  model: Model,
  statements: Statements,
  numbers: readonly number[],
): Promise<ReadonlyMap<StreamName, readonly RecordRow[]>> => {
  if (numbers.length === 0) return new Map();
  const condition = `r.grp IN (${integers(numbers)})`;
  const found = new Map<StreamName, RecordRow[]>();
  for (const population of populations) {
    for (const [, row] of await readRows(model, statements, population, condition)) {
      found.set(row.group, [...(found.get(row.group) ?? []), row]);
    }
  }
  for (const rows of found.values()) rows.sort((one, other) => one.ordinal - other.ordinal);
  return found;
};

export const tracesOfSessions = (
  model: Model,
  sessions: readonly { readonly project: string; readonly session: string }[],
): Promise<readonly RecordRow[]> =>
  model.connections.read(async (statements) => {
    const conditions = sessions.flatMap(({ project, session }) => {
      const number = model.projects.get(project);
      if (number === undefined || !isUuid(session)) return [];
      return [`(r.project = ${number} AND r.session_id = ${uuidConstant(session)} AND NOT r.lone)`];
    });
    if (conditions.length === 0) return [];
    const rows = await readRows(model, statements, 'trace', conditions.join(' OR '));
    return rows.map(([, row]) => row);
  });

export const locate = (
  model: Model,
  project: string,
  population: Population,
  id: string,
): Promise<StreamName | null> =>
  model.connections.read(async ({ rows }) => {
    const number = model.projects.get(project);
    if (number === undefined || !isUuid(id)) return null;
    const [found] = await rows(
      `SELECT g.name FROM ${tableOf[population]} r JOIN groups g ON g.grp = r.grp
       WHERE r.project = ${number} AND r.id = ${uuidConstant(id)}`,
    );
    return found === undefined ? null : (String(found[0]) as StreamName);
  });

export const runCounts = (
  model: Model,
  project: string,
  runs: readonly string[],
): Promise<ReadonlyMap<string, { spans: number; traces: number; sessions: number }>> =>
  model.connections.read(async ({ rows }) => {
    const counts = new Map(runs.map((run) => [run, { spans: 0, traces: 0, sessions: 0 }]));
    const number = model.projects.get(project);
    const known = runs.filter(isUuid);
    if (number === undefined || known.length === 0) return counts;
    for (const table of ['spans', 'traces', 'sessions'] as const) {
      const counted = await rows(
        `SELECT run_id, count(*) FROM ${table}
         WHERE project = ${number} AND run_id IN (${known.map(uuidConstant).join(', ')}) GROUP BY run_id`,
      );
      for (const [run, rowCount] of counted) {
        const count = counts.get((run as DuckDBUUIDValue).toString());
        if (count !== undefined) count[table] = Number(rowCount);
      }
    }
    return counts;
  });
