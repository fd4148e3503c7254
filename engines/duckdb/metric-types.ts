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

/** Types of a project's metrics outside the registry, as of a position. */
export type KnownTypes = {
  readonly position: Position;
  readonly types: ReadonlyMap<string, MetricType>;
};

/** Those of `knownTypes` when nothing was written since they were read; null = to be read. */
export const rememberedTypes = (model: Model, project: string): KnownTypes['types'] | null => {
  const known = model.types.get(project);
  return known?.position === model.mark.position ? known.types : null;
};

/**
 * The types of all metrics of the project, remembered until something is written: finding them goes
 * over all their values. `position` is the mark's before the statements began, so that what they
 * see is never older than what it is remembered by.
 */
export const knownTypes = async (
  model: Model,
  statements: Statements,
  project: string,
  position: Position,
): Promise<KnownTypes['types']> => {
  const known = model.types.get(project);
  if (known?.position === position) return known.types;
  const types = await readMetricTypes(model, statements, project, null);
  model.types.delete(project);
  model.types.set(project, { position, types });
  const oldest = model.types.keys().next();
  if (model.types.size > rememberedMax && oldest.done !== true) model.types.delete(oldest.value);
  return types;
};
/** Projects whose types are remembered. */
const rememberedMax = 100;
