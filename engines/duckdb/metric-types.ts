import { registryType } from '../../kernel/column-value.js';
import type { Position } from '../../kernel/ports.js';
import type { MetricType } from '../../kernel/records.js';
import type { Statements } from './connections.js';
import type { Model } from './model.js';
import { integers } from './sql.js';

/**
 * The type of each metric outside the registry that has one, by contract 3.4, rule 2; of `names`,
 * null = of all.
 */
export const readMetricTypes = async (
  model: Model,
  { rows }: Statements,
  project: string,
  names: readonly string[] | null,
): Promise<ReadonlyMap<string, MetricType>> => {
  const scope = model.projects.get(project);
  const wanted = names?.filter((name) => registryType(name) === null);
  const numbers = wanted?.flatMap((name) => model.columns.get(`metrics/${name}`) ?? []);
  if (scope === undefined || numbers?.length === 0) return new Map();
  const only = numbers === undefined ? '' : `AND f.col IN (${integers(numbers)})`;
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

/**
 * The same for some names, remembered until something is written: finding one goes over all values
 * of the metric. `position` is the mark's before the statements began, so that what they see is
 * never older than what it is remembered by.
 */
export const knownTypes = async (
  model: Model,
  statements: Statements,
  project: string,
  names: readonly string[],
  position: Position,
): Promise<ReadonlyMap<string, MetricType>> => {
  const known = model.types.get(project);
  const current = known?.position === position ? known : { position, types: new Map() };
  const missing = names.filter((name) => !current.types.has(name));
  if (missing.length > 0) {
    const found = await readMetricTypes(model, statements, project, missing);
    for (const name of missing) current.types.set(name, found.get(name) ?? null);
    model.types.delete(project);
    model.types.set(project, current);
    const oldest = model.types.keys().next();
    if (model.types.size > rememberedMax && oldest.done !== true) model.types.delete(oldest.value);
  }
  return new Map(
    names.flatMap((name) => {
      const type = current.types.get(name) ?? null;
      return type === null ? [] : [[name, type] as const];
    }),
  );
};
/** Projects whose types are remembered. */
const rememberedMax = 100;

/** Types by metric as of a position; null = it has none. */
export type KnownTypes = {
  readonly position: Position;
  readonly types: Map<string, MetricType | null>;
};
