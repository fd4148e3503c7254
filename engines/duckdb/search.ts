import { parseColumnId, registryType } from '../../kernel/records/column-value.js';
import { ratingTypeOf } from '../../kernel/records/feedback.js';
import type { QueryContext } from '../../kernel/ports.js';
import {
  pageBytesMax,
  type RecordPage,
  type RecordScope,
  type SearchPlan,
  type SessionPage,
  type SessionPlan,
} from '../../kernel/records/query-plans.js';
import type { MetricType } from '../../kernel/records/record.js';
import type { WantedContents } from '../../kernel/records/record-contents.js';
import { keysetToken, keysetSql } from './keyset-pagination.js';
import { readMetricTypes } from './metric-types.js';
import type { Statements } from './connections.js';
import type { RecordsModel } from './model.js';
import { projectModelOf } from './project-columns.js';
import { isUuid, type OwnColumn } from './schema.js';
import { recordSource, type RecordSource } from './record-source.js';
import { integerList, uuidConstant } from './sql.js';
import { takeGroupsWithin, sizedKeyOf, takeWithinBytes } from './record-sizes.js';
import { namedGroupOf, readRows } from './row-decoding.js';

export const search = (
  whole: RecordsModel,
  plan: SearchPlan,
  context: QueryContext = {},
): Promise<RecordPage> =>
  whole.connections.scan(async (statements) => {
    const { source, order, keyset } = await searchOrder(whole, statements, plan);
    const walk = plan.after === undefined ? null : keyset(plan.after);
    // Narrow columns first; wide rows for the page only.
    const found = await statements.rows(
      `SELECT r.key, r.${bytesOf(plan.contents)}${walk?.places ?? ''}
       ${source.fromWhere()}${walk?.condition ?? ''}
       ORDER BY ${order}
       LIMIT ${integerList([plan.limit + 1])} OFFSET ${integerList([plan.offset])}`,
      source.parameters,
    );
    const page = takeWithinBytes(
      found.slice(0, plan.limit).map(sizedKeyOf),
      plan.bytesMax ?? pageBytesMax,
    );
    const rows = await readRows(statements, plan.population, page, plan.contents);
    const more = found.length > page.length;
    return {
      rows: page.flatMap(({ key }) => rows.get(key) ?? []),
      more,
      ...(walk !== null && more && { next: keysetToken(found[page.length - 1] ?? []) }),
    };
  }, context);

/**
 * Cursor behind a record: its place in the order does not depend on the filter, the run and the
 * window of the search.
 */
export const cursorOf = (
  whole: RecordsModel,
  plan: SearchPlan,
  id: string,
  context: QueryContext = {},
): Promise<string | null> =>
  whole.connections.scan(async (statements) => {
    if (!isUuid(id)) return null;
    const anywhere = { ...plan, run: null, from: null, to: null, kinds: null, filter: null };
    const { source, order, keyset } = await searchOrder(whole, statements, anywhere);
    const found = await statements.rows(
      `SELECT r.key, r.bytes${keyset(null).places} ${source.fromWhere()}
       AND r.id = ${uuidConstant(id)} ORDER BY ${order}`,
      source.parameters,
    );
    const last = found.at(-1);
    return last === undefined ? null : keysetToken(last);
  }, context);

/** Records of a search, their order, and the cursors in it. */
const searchOrder = async (whole: RecordsModel, statements: Statements, plan: SearchPlan) => {
  const model = await projectModelOf(whole, statements, plan.project);
  const { sort, templates } = plan;
  const source = recordSource(model, plan);
  const place = sort === null ? null : parseColumnId(sort.column);
  const metrics = place?.in === 'metrics' ? [place.metric] : [];
  const types = await readMetricTypes(model, statements, plan.project, metrics);
  const by = sort === null ? null : sortExpression(source, sort.column, { types, templates });
  const order = [
    ...(by === null ? [] : [`${by} ${sort?.ascending === true ? 'ASC' : 'DESC'} NULLS LAST`]),
    'r.created_at DESC',
    'r.id DESC',
  ].join(', ');
  const keyset = (after: string | null) => keysetSql(after, { by, sort, source });
  return { source, order, keyset };
};

/** Column with the size of rows that are read with these contents, or a larger one. */
const bytesOf = (contents: WantedContents): OwnColumn =>
  contents?.length === 0 ? 'brief_bytes' : 'bytes';

type SortTyping = Pick<RecordScope, 'templates'> & {
  readonly types: ReadonlyMap<string, MetricType>;
};

const sortExpression = (
  source: RecordSource,
  column: string,
  { types, templates }: SortTyping,
): string => {
  const place = parseColumnId(column);
  if (place?.in === 'annotations') {
    const { template: metric } = place;
    const type = ratingTypeOf(templates, metric) ?? 'text';
    return source.measuredValue({ metric, type, source: 'annotations' });
  }
  if (place?.in !== 'metrics') return source.column(column);
  return source.metric(place.metric, registryType(place.metric) ?? types.get(place.metric) ?? null);
};

export const count = (
  model: RecordsModel,
  scope: RecordScope,
  context: QueryContext = {},
): Promise<number> =>
  model.connections.scan(async (statements) => {
    const source = recordSource(await projectModelOf(model, statements, scope.project), scope);
    const [counted] = await statements.rows(
      `SELECT count(*) ${source.fromWhere()}`,
      source.parameters,
    );
    return Number(counted?.[0]);
  }, context);

export const sessionPage = (
  model: RecordsModel,
  { project, session, offset, limit, bytesMax = pageBytesMax }: SessionPlan,
  context: QueryContext = {},
): Promise<SessionPage> =>
  model.connections.scan(async (statements) => {
    const number = model.projects.get(project);
    if (number === undefined || !isUuid(session)) return { traces: [], more: false };
    const found = await statements.rows(
      `SELECT g.grp, g.size, g.name FROM (
         SELECT r.grp, r.created_at, r.id FROM traces r
         WHERE NOT r.lone AND r.project = ${number} AND r.session_id = ${uuidConstant(session)}
         ORDER BY r.created_at, r.id
         LIMIT ${integerList([limit + 1])} OFFSET ${integerList([offset])}
       ) t JOIN groups g ON g.grp = t.grp ORDER BY t.created_at, t.id`,
    );
    const page = await takeGroupsWithin(
      statements,
      found.slice(0, limit).map(namedGroupOf),
      bytesMax,
    );
    const traces = page.map(({ name, bytes }) => ({ group: name, bytes }));
    return { traces, more: found.length > page.length };
  }, context);
