import type { Document, Filter as Match } from 'mongodb';
import { Fault } from '../../kernel/fault.js';
import type { Filter } from '../../kernel/filter.js';
import type { RecordScope } from '../../kernel/records/questions.js';
import { idsOf, recordMatch, scopeIndex, scopeMatch } from './record-match.js';
import { questionMs } from './record-search.js';
import type { Snapshot } from './snapshot.js';

// A condition on what is below a record cannot stand in a condition on the record, and looking it
// up for each of them takes the server most of a millisecond. So what is below those that the rest
// of the filter leaves is looked through in batches before the question, and their ids take the
// place of the condition.

type LevelNode = Extract<Filter, { readonly some: unknown }>;

/** Records above whose levels below are looked through at a time. */
const batchRecords = 1_000;
/** Their list is sent with each part of a question, which has 16 MB at most. */
const idsMax = 200_000;

/**
 * The scope with a filter that is about its own records only and leaves the same ones. Fault
 * `unavailable` when that takes too long, or takes too many ids to say.
 */
export const onOneLevel = async <S extends RecordScope>(
  snapshot: Snapshot,
  scope: S,
): Promise<S> => {
  if (scope.filter === null || !looksBelow(scope.filter)) return scope;
  const of: Above = {
    match: scopeMatch({ ...scope, filter: null }, snapshot.visible),
    hint: scopeIndex(scope),
  };
  const looking = { snapshot, scope, until: performance.now() + questionMs };
  return { ...scope, filter: await resolved(looking, scope.filter, of) };
};

const looksBelow = (filter: Filter): boolean => {
  if ('all' in filter) return filter.all.some(looksBelow);
  if ('any' in filter) return filter.any.some(looksBelow);
  return 'not' in filter ? looksBelow(filter.not) : 'some' in filter;
};

type Looking = {
  readonly snapshot: Snapshot;
  readonly scope: Pick<RecordScope, 'project' | 'templates'>;
  readonly until: number;
};
/** Records that a filter is asked of. */
type Above = { readonly match: Match<Document>; readonly hint: string };

const resolved = async (looking: Looking, filter: Filter, above: Above): Promise<Filter> => {
  const conjuncts = conjunctsOf(filter);
  const own = conjuncts.filter((node) => !looksBelow(node));
  const nodes = conjuncts.flatMap(levelNodesOf);
  const left = own.map((node) => recordMatch(node, idsOf(looking.scope)));
  const ids = await idsAbove(looking, nodes, {
    ...above,
    match: { $and: [above.match, ...left] },
  });
  const known = new Map(nodes.map((node, at) => [node, ids[at] ?? new Set<string>()]));
  return { all: conjuncts.map((node) => withIds(node, known)) };
};

const conjunctsOf = (filter: Filter): readonly Filter[] =>
  'all' in filter ? filter.all.flatMap(conjunctsOf) : [filter];

/** Those of this level: not those within them. */
const levelNodesOf = (filter: Filter): readonly LevelNode[] => {
  if ('all' in filter) return filter.all.flatMap(levelNodesOf);
  if ('any' in filter) return filter.any.flatMap(levelNodesOf);
  if ('not' in filter) return levelNodesOf(filter.not);
  return 'some' in filter ? [filter] : [];
};

type Ids = ReadonlySet<string>;

const withIds = (filter: Filter, known: ReadonlyMap<LevelNode, Ids>): Filter => {
  if ('all' in filter) return { all: filter.all.map((node) => withIds(node, known)) };
  if ('any' in filter) return { any: filter.any.map((node) => withIds(node, known)) };
  if ('not' in filter) return { not: withIds(filter.not, known) };
  if (!('some' in filter)) return filter;
  const values = [...(known.get(filter) ?? [])];
  return { kind: 'id', column: 'id', operator: 'one_of', values, caseSensitive: true };
};

/** For each node the ids of the records above that it holds of. */
const idsAbove = async (
  looking: Looking,
  nodes: readonly LevelNode[],
  { match, hint }: Above,
): Promise<readonly Ids[]> => {
  const found = nodes.map(() => new Set<string>());
  const add = async (batch: readonly Place[]): Promise<void> => {
    for (const [at, node] of nodes.entries()) {
      for (const id of await idsOfBatch(looking, node, batch)) found[at]?.add(id);
    }
    const count = found.reduce((sum, { size }) => sum + size, 0);
    if (count <= idsMax) return;
    throw new Fault('unavailable', `more than ${idsMax} records are above what was asked for`);
  };
  const { rows } = looking.snapshot;
  const places = rows
    .find(match, { hint, maxTimeMS: left(looking), projection: { _id: 0, id: 1, group: 1 } })
    .batchSize(batchRecords);
  let batch: Place[] = [];
  for await (const { id, group } of places) {
    batch.push({ id: String(id), group: String(group) });
    if (batch.length < batchRecords) continue;
    await add(batch);
    batch = [];
  }
  if (batch.length > 0) await add(batch);
  return found;
};

type Place = { readonly id: string; readonly group: string };

/** Of these records those that have such a one below them. */
const idsOfBatch = async (
  looking: Looking,
  { some: population, where }: LevelNode,
  batch: readonly Place[],
): Promise<readonly string[]> => {
  const { snapshot, scope } = looking;
  const ofSpans = population === 'span';
  const place = ofSpans
    ? { group: { $in: batch.map(({ group }) => group) } }
    : { project: { $eq: scope.project }, session: { $in: batch.map(({ id }) => id) } };
  const below = { $and: [{ ...place, population }, snapshot.visible] };
  const hint = ofSpans ? 'group' : 'session';
  const filter = looksBelow(where) ? await resolved(looking, where, { match: below, hint }) : where;
  const above = ofSpans ? '$values.trace_id' : '$session';
  const stages = [
    { $match: { $and: [below, recordMatch(filter, idsOf(scope))] } },
    { $group: { _id: above } },
  ];
  const found = await snapshot.rows.aggregate(stages, { hint, maxTimeMS: left(looking) }).toArray();
  return found.map(({ _id }) => String(_id));
};

/** Milliseconds. */
const left = ({ until }: Looking): number => {
  const ms = Math.floor(until - performance.now());
  if (ms > 0) return ms;
  throw new Fault('unavailable', 'what is below the records took too long to look through');
};
