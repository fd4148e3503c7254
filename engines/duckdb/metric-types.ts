import { columnNamesMax } from '../../kernel/records/column-names.js';
import { registryType } from '../../kernel/records/column-value.js';
import type { Position, QueryContext } from '../../kernel/ports.js';
import type { MetricType } from '../../kernel/records/record.js';
import type { Statements } from './connections.js';
import type { CachedMetricTypes, RecordsModel } from './model.js';
import { projectModelOf, type ProjectModel } from './project-columns.js';
import { integerList } from './sql.js';

/** Reads the types of metrics outside the registry (contract 3.4, rule 2); `names` null = all. */
export const readMetricTypes = async (
  model: Pick<ProjectModel, 'projects' | 'columns'>,
  { rows }: Statements,
  project: string,
  names: readonly string[] | null,
): Promise<ReadonlyMap<string, MetricType>> => {
  const scope = model.projects.get(project);
  const wanted = names?.filter((name) => registryType(name) === null);
  const numbers = wanted?.flatMap((name) => model.columns.get(`metrics/${name}`) ?? []);
  if (scope === undefined || numbers?.length === 0) return new Map();
  const only = numbers === undefined ? '' : `AND f.col IN (${integerList(numbers)})`;
  const types = await rows(
    `SELECT c.id, t.type, t.fraction FROM (
       SELECT f.col, arg_min(f.first_type, f.first_at) AS type, bool_or(f.fraction) AS fraction
       FROM facets f WHERE f.project = ${scope} ${only} AND f.first_at IS NOT NULL GROUP BY f.col
     ) t JOIN columns c ON c.number = t.col`,
  );
  return new Map(
    types.map(([id, type, fraction]) => [
      String(id).slice('metrics/'.length),
      type === 'integer' && fraction === true ? 'floating_point' : (String(type) as MetricType),
    ]),
  );
};

/** Metric types from the cache only; null if some of them need a query. */
const cachedMetricTypes = (
  model: Pick<RecordsModel, 'metricTypes'>,
  project: string,
  names: readonly string[] | null,
  position: Position,
): ReadonlyMap<string, MetricType> | null => {
  const known = model.metricTypes.get(project);
  if (known?.position !== position) return null;
  const isKnown = known.isWhole || names?.every((name) => known.types.has(name)) === true;
  return isKnown ? pickTypes(known, names) : null;
};

const pickTypes = (
  { types }: CachedMetricTypes,
  names: readonly string[] | null,
): ReadonlyMap<string, MetricType> =>
  new Map(
    [...(names ?? types.keys())].flatMap((name) => {
      const type = types.get(name) ?? null;
      return type === null ? [] : [[name, type] as const];
    }),
  );

/** Implements `RecordQueries.metricTypes`. */
export const metricTypes = async (
  model: RecordsModel,
  project: string,
  names: readonly string[],
  context: QueryContext = {},
): Promise<ReadonlyMap<string, MetricType>> => {
  const { position } = model.checkpoint;
  const known = cachedMetricTypes(model, project, names, position);
  if (known !== null) return known;
  return model.connections.read(async (statements) => {
    const projectModel = await projectModelOf(model, statements, project);
    return loadMetricTypes(projectModel, statements, project, names, position);
  }, context);
};

/**
 * Cached `readMetricTypes`, valid until the next write: inferring a type reads all values of the
 * metric, so only the requested ones are inferred. `position` is the checkpoint before the
 * statements began, so that an entry is never older than its position.
 */
export const loadMetricTypes = async (
  model: ProjectModel,
  statements: Statements,
  project: string,
  names: readonly string[] | null,
  position: Position,
): Promise<ReadonlyMap<string, MetricType>> => {
  const remembered = cachedMetricTypes(model, project, names, position);
  if (remembered !== null) return remembered;
  const before = model.metricTypes.get(project);
  const known =
    before?.position === position ? before : { position, types: new Map(), isWhole: false };
  const missing = names?.filter((name) => !known.types.has(name)) ?? null;
  const found = await readMetricTypes(model, statements, project, missing);
  for (const name of missing ?? found.keys()) {
    // Names without a column come from clients, in any number.
    if (known.types.size < namesMax) known.types.set(name, found.get(name) ?? null);
  }
  known.isWhole ||= missing === null;
  model.metricTypes.set(project, known);
  return pickTypes(known, names);
};
/** Cached names per project: all possible columns and as many unknown names. */
const namesMax = 2 * columnNamesMax;
