import type { Document, Filter as Match } from 'mongodb';
import { Fault } from '../../kernel/fault.js';
import type { Filter } from '../../kernel/filter.js';
import type { RecordScope } from '../../kernel/records/query-plans.js';
import { templateIds, recordMatch, scopeIndex, scopeMatch } from './record-match.js';
import { queryTimeoutMs } from './record-search.js';
import type { Snapshot } from './snapshot.js';

// A condition on records below cannot be part of a condition on the record, and a look-up per
// record takes the server most of a millisecond. So the semi-join runs before the query: the
// records that pass the rest of the filter are looked up in batches, and their ids replace the
// condition.

type SemiJoin = Extract<Filter, { readonly some: unknown }>;

/** Outer records per batch. */
const batchRecords = 1_000;
/** Limit of ids: the list is sent with each part of a query, which has 16 MB at most. */
const idsMax = 200_000;

/**
 * Replaces semi-joins by equivalent id conditions on the scope's own records. Fault `unavailable`
 * when that takes too long, or needs too many ids.
 */
export const resolveSemiJoins = async <S extends RecordScope>(
  snapshot: Snapshot,
  scope: S,
): Promise<S> => {
  if (scope.filter === null || !hasSemiJoin(scope.filter)) return scope;
  const of: OuterRecords = {
    match: scopeMatch({ ...scope, filter: null }, snapshot.visible),
    hint: scopeIndex(scope),
  };
  const scan = { snapshot, scope, until: performance.now() + queryTimeoutMs };
  return { ...scope, filter: await resolveFilter(scan, scope.filter, of) };
};

const hasSemiJoin = (filter: Filter): boolean => {
  if ('all' in filter) return filter.all.some(hasSemiJoin);
  if ('any' in filter) return filter.any.some(hasSemiJoin);
  return 'not' in filter ? hasSemiJoin(filter.not) : 'some' in filter;
};

type SemiJoinScan = {
  readonly snapshot: Snapshot;
  readonly scope: Pick<RecordScope, 'project' | 'templates'>;
  readonly until: number;
};
/** Outer records of a filter. */
type OuterRecords = { readonly match: Match<Document>; readonly hint: string };

const resolveFilter = async (
  scan: SemiJoinScan,
  filter: Filter,
  above: OuterRecords,
): Promise<Filter> => {
  const conjuncts = conjunctsOf(filter);
  const own = conjuncts.filter((node) => !hasSemiJoin(node));
  const nodes = conjuncts.flatMap(semiJoinsOf);
  const left = own.map((node) => recordMatch(node, templateIds(scan.scope)));
  const ids = await outerIds(scan, nodes, {
    ...above,
    match: { $and: [above.match, ...left] },
  });
  const known = new Map(nodes.map((node, at) => [node, ids[at] ?? new Set<string>()]));
  return { all: conjuncts.map((node) => withIds(node, known)) };
};

const conjunctsOf = (filter: Filter): readonly Filter[] =>
  'all' in filter ? filter.all.flatMap(conjunctsOf) : [filter];

/** Semi-joins of this level, without nested ones. */
const semiJoinsOf = (filter: Filter): readonly SemiJoin[] => {
  if ('all' in filter) return filter.all.flatMap(semiJoinsOf);
  if ('any' in filter) return filter.any.flatMap(semiJoinsOf);
  if ('not' in filter) return semiJoinsOf(filter.not);
  return 'some' in filter ? [filter] : [];
};

type Ids = ReadonlySet<string>;

const withIds = (filter: Filter, known: ReadonlyMap<SemiJoin, Ids>): Filter => {
  if ('all' in filter) return { all: filter.all.map((node) => withIds(node, known)) };
  if ('any' in filter) return { any: filter.any.map((node) => withIds(node, known)) };
  if ('not' in filter) return { not: withIds(filter.not, known) };
  if (!('some' in filter)) return filter;
  const values = [...(known.get(filter) ?? [])];
  return { kind: 'id', column: 'id', operator: 'one_of', values, caseSensitive: true };
};

/** Ids of the outer records that match, by node. */
const outerIds = async (
  scan: SemiJoinScan,
  nodes: readonly SemiJoin[],
  { match, hint }: OuterRecords,
): Promise<readonly Ids[]> => {
  const found = nodes.map(() => new Set<string>());
  const add = async (batch: readonly RecordId[]): Promise<void> => {
    for (const [at, node] of nodes.entries()) {
      for (const id of await idsOfBatch(scan, node, batch)) found[at]?.add(id);
    }
    const count = found.reduce((sum, { size }) => sum + size, 0);
    if (count <= idsMax) return;
    throw new Fault(
      'unavailable',
      `The filter on lower levels matches more than ${idsMax} records. Narrow it`,
    );
  };
  const { rows } = scan.snapshot;
  const places = rows
    .find(match, { hint, maxTimeMS: remainingMs(scan), projection: { _id: 0, id: 1, group: 1 } })
    .batchSize(batchRecords);
  let batch: RecordId[] = [];
  for await (const { id, group } of places) {
    batch.push({ id: String(id), group: String(group) });
    if (batch.length < batchRecords) continue;
    await add(batch);
    batch = [];
  }
  if (batch.length > 0) await add(batch);
  return found;
};

type RecordId = { readonly id: string; readonly group: string };

/** Records of the batch with a matching record below them. */
const idsOfBatch = async (
  scan: SemiJoinScan,
  { some: population, where }: SemiJoin,
  batch: readonly RecordId[],
): Promise<readonly string[]> => {
  const { snapshot, scope } = scan;
  const ofSpans = population === 'span';
  const place = ofSpans
    ? { group: { $in: batch.map(({ group }) => group) } }
    : { project: { $eq: scope.project }, session: { $in: batch.map(({ id }) => id) } };
  const below = { $and: [{ ...place, population }, snapshot.visible] };
  const hint = ofSpans ? 'group' : 'session';
  const filter = hasSemiJoin(where)
    ? await resolveFilter(scan, where, { match: below, hint })
    : where;
  const above = ofSpans ? '$values.trace_id' : '$session';
  const stages = [
    { $match: { $and: [below, recordMatch(filter, templateIds(scope))] } },
    { $group: { _id: above } },
  ];
  const found = await snapshot.rows
    .aggregate(stages, { hint, maxTimeMS: remainingMs(scan) })
    .toArray();
  return found.map(({ _id }) => String(_id));
};

/** Milliseconds left; throws once the time is up. */
const remainingMs = ({ until }: SemiJoinScan): number => {
  const ms = Math.floor(until - performance.now());
  if (ms > 0) return ms;
  throw new Fault(
    'unavailable',
    'The filter on lower levels timed out. Narrow it or the time window',
  );
};
