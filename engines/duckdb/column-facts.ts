import { byCodePoint } from '../../kernel/code-points.js';
import { registryType } from '../../kernel/records/column-value.js';
import { metricRegistry, standardColumns } from '../../kernel/records/columns.js';
import {
  userMetadataKeysMax,
  type ColumnFacts,
  type RecordScope,
} from '../../kernel/records/query-plans.js';
import type { MetricType } from '../../kernel/records/record.js';
import type { QueryContext } from '../../kernel/ports.js';
import type { Statements } from './connections.js';
import { readMetricTypes } from './metric-types.js';
import type { RecordsModel } from './model.js';
import { hasBit } from './bit-set.js';
import { projectModelOf, type ProjectModel } from './project-columns.js';
import { metricSql } from './schema.js';
import { integerCondition, recordSource } from './record-source.js';

/** `columnFacts` in SQL; reference: kernel/records/reference/aggregate.ts. */
export const columnFacts = (
  whole: RecordsModel,
  scope: RecordScope,
  context: QueryContext = {},
): Promise<ColumnFacts> =>
  whole.connections.scan(async (statements) => {
    const model = await projectModelOf(whole, statements, scope.project);
    const [bits, registered] = await readPresentColumns(model, statements, scope);
    const facets = await readFacets(model, statements, scope);
    const types = await readMetricTypes(model, statements, scope.project, null);
    const templates = await readRatedTemplates(model, statements, scope);
    const metrics = facets.flatMap(({ id, has }) => {
      const name = id.slice('metrics/'.length);
      const type = id.startsWith('metrics/') ? types.get(name) : undefined;
      return type !== undefined && has[type] ? [name] : [];
    });
    const keys = facets
      .filter(({ id, has }) => id.startsWith('user_metadata/') && has.text)
      .map(({ id }) => id.slice('user_metadata/'.length));
    return {
      present: standardColumns.filter((_, bit) => hasBit(bits, bit)).map(({ id }) => id),
      metrics: [...registered, ...metrics].sort(byCodePoint),
      userMetadata: keys.sort(byCodePoint).slice(0, userMetadataKeysMax),
      templates,
    };
  }, context);

const readPresentColumns = async (
  model: ProjectModel,
  { rows }: Statements,
  scope: RecordScope,
): Promise<readonly [number, readonly string[]]> => {
  const source = recordSource(model, scope);
  const counts = metricRegistry.map(({ name }) => `count(r.${metricSql(name)})`).join(', ');
  const [found] = await rows(
    `SELECT coalesce(bit_or(r.present), 0), ${counts} ${source.fromWhere()}`,
    source.parameters,
  );
  const registered = metricRegistry.filter((_, at) => Number(found?.[at + 1]) > 0);
  return [Number(found?.[0]), registered.map(({ name }) => name)];
};

/** Templates that rate some record of the scope. A trace without ratings costs one null check. */
const readRatedTemplates = async (
  model: ProjectModel,
  { rows }: Statements,
  scope: RecordScope,
): Promise<readonly string[]> => {
  if (scope.population !== 'trace') return [];
  const source = recordSource(model, scope);
  const all = 'list_concat(coalesce(r.ratings, []), coalesce(r.rating_texts, []))';
  const found = await rows(
    `SELECT DISTINCT left(unnest(${all}), 36) ${source.fromWhere()} AND r.annotators IS NOT NULL`,
    source.parameters,
  );
  return found.map(([template]) => String(template)).sort(byCodePoint);
};

type Facet = { readonly id: string; readonly has: Readonly<Record<MetricType, boolean>> };

const readFacets = async (
  model: ProjectModel,
  { rows }: Statements,
  scope: RecordScope,
): Promise<readonly Facet[]> => {
  const source = recordSource(model, scope);
  const { run, from, to, filter, kinds } = scope;
  const project = model.projects.get(scope.project);
  const whole = [run, from, to, filter, kinds].every((one) => one === null);
  const condition =
    whole && project !== undefined
      ? `f.project = ${project} AND f.population = '${scope.population}'`
      : `f.key IN (SELECT r.key ${source.fromWhere()})`;
  const found = await rows(
    `SELECT c.id, t.* EXCLUDE (col) FROM (
       SELECT f.col,
         bool_or(${integerCondition('f')}) FILTER (f.num IS NOT NULL),
         count(f.num) > 0, count(f.bool) > 0, bool_or(f.text <> '')
       FROM facets f WHERE ${condition} GROUP BY f.col
     ) t JOIN columns c ON c.number = t.col`,
    source.parameters,
  );
  return found
    .map(([id, integer, floating, boolean, text]) => ({
      id: String(id),
      has: {
        integer: integer === true,
        floating_point: floating === true,
        boolean: boolean === true,
        text: text === true,
      },
    }))
    .filter(({ id }) => registryType(id) === null);
};
