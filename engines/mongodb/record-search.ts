import type { Document } from 'mongodb';
import { parseColumnId, registryType } from '../../kernel/records/column-value.js';
import { ratingTypeOf } from '../../kernel/records/feedback.js';
import type { StreamName } from '../../kernel/ports.js';
import type { SortOrder } from '../../kernel/documents.js';
import {
  pageBytesMax,
  type RecordPage,
  type RecordScope,
  type SearchPlan,
} from '../../kernel/records/query-plans.js';
import type { MetricType, Population, RecordRow } from '../../kernel/records/record.js';
import type { WantedContents } from '../../kernel/records/record-contents.js';
import type { RunCounts } from '../../kernel/records/measures.js';
import {
  afterKeyset,
  orderMember,
  keysetToken,
  keysetMembers,
  tieOrder,
  withKeysetWindow,
} from './keyset-pagination.js';
import {
  columnMember,
  metricMember,
  metadataMember,
  ratingMember,
  scopeIndex,
  scopeMatch,
} from './record-match.js';
import { documentBytes } from './record-page-size.js';
import { partKey, rowMembers, rowMembersWith, rowFromDocument } from './record-decoding.js';
import type { StoredFirst, StoredRow } from './record-encoding.js';
import type { Snapshot } from './snapshot.js';
import { comparedPrefix } from './text-match.js';

/** Timeout of queries in requests; a longer one ends with 503. */
export const queryTimeoutMs = 20_000;
/** Timeout of operations for the projector and the operator only. */
export const bulkTimeoutMs = 60_000;
const groupsAtOnce = 5_000;

/** Rows per server batch, up to 16 MB: a page may end before all of it has arrived. */
const batchRows = 50;

export const search = async (snapshot: Snapshot, plan: SearchPlan): Promise<RecordPage> => {
  const member = await sortMember(snapshot, plan);
  const pipeline = [
    ...searchStages(snapshot, plan, member),
    {
      $project: {
        ...rowMembersWith(plan.contents),
        ...(plan.after !== undefined && keysetMembers(member)),
      },
    },
  ];
  const cursor = snapshot.rows.aggregate(pipeline, {
    hint: scopeIndex(plan),
    maxTimeMS: queryTimeoutMs,
    allowDiskUse: true,
    batchSize: batchRows,
  });
  const found: Document[] = [];
  let left = plan.bytesMax ?? pageBytesMax;
  let more = false;
  for await (const document of cursor) {
    left -= documentBytes(document);
    more = found.length === plan.limit || (left < 0 && found.length > 0);
    if (more) break;
    found.push(document);
  }
  return {
    rows: await rowsFromDocuments(snapshot, found, plan.contents),
    more,
    ...(plan.after !== undefined && more && { next: keysetToken(found.at(-1) ?? {}) }),
  };
};

/**
 * Cursor behind a record: its place in the order does not depend on the filter, the run and the
 * window of the search.
 */
export const cursorOf = async (
  snapshot: Snapshot,
  plan: SearchPlan,
  id: string,
): Promise<string | null> => {
  const member = await sortMember(snapshot, plan);
  const { project, population, sort, templates, limit } = plan;
  const anywhere = { run: null, from: null, to: null, kinds: null, filter: null, offset: 0 };
  const all: SearchPlan = { project, population, sort, templates, limit, ...anywhere };
  const found = await snapshot.rows
    .aggregate(
      [
        { $match: { id: { $eq: id } } },
        ...searchStages(snapshot, all, member),
        { $project: { at: 1, id: 1, ...keysetMembers(member) } },
      ],
      { hint: 'id', maxTimeMS: queryTimeoutMs },
    )
    .toArray();
  const last = found.at(-1);
  return last === undefined ? null : keysetToken(last);
};

/**
 * Stages of a page plus one row. The default order is that of the indexes; in another, missing
 * values sort last in both directions (contract 3.8), where the server would put them first when
 * ascending.
 */
const searchStages = (
  { visible }: Pick<Snapshot, 'visible'>,
  plan: SearchPlan,
  member: string | null,
): readonly Document[] => {
  const isUp = plan.sort?.ascending === true;
  const order = orderMember(member);
  const isIndexed = order === member;
  const set = {
    ...(isUp ? { missing: { $lte: [`$${member}`, null] } } : {}),
    ...(member === null || isIndexed ? {} : { order: comparedPrefix(member) }),
  };
  return [
    { $match: scopeMatch(withKeysetWindow(plan, member), visible) },
    ...(member === null || Object.keys(set).length === 0 ? [] : [{ $set: set }]),
    ...(plan.after == null ? [] : [{ $match: afterKeyset(plan.after, member, isUp) }]),
    ...(member !== null && isUp
      ? [{ $sort: { missing: 1, [order]: 1, ...without(tieOrder, order) } }]
      : []),
    ...(member !== null && !isUp ? [{ $sort: { [order]: -1, ...without(tieOrder, order) } }] : []),
    ...(member === null ? [{ $sort: tieOrder }] : []),
    ...(plan.offset > 0 ? [{ $skip: plan.offset }] : []),
    { $limit: plan.limit + 1 },
  ];
};

const without = (order: Readonly<Record<string, number>>, member: string) =>
  Object.fromEntries(Object.entries(order).filter(([name]) => name !== member));

/** Member to sort by; null: tie-breakers only, also when no record can have the value. */
const sortMember = async (
  snapshot: Snapshot,
  { sort, project, templates }: SearchPlan,
): Promise<string | null> => {
  const place = sort === null ? null : parseColumnId(sort.column);
  if (place?.in === 'annotations') {
    const type = ratingTypeOf(templates, place.template);
    return type === null ? null : ratingMember(place.template, type);
  }
  return sort === null ? null : memberOfColumn(snapshot, project, sort);
};

const memberOfColumn = async (
  snapshot: Snapshot,
  project: string,
  { column }: Pick<SortOrder, 'column'>,
): Promise<string | null> => {
  const place = parseColumnId(column);
  if (place === null || place.in === 'annotations') return null;
  if (place.in === 'standard') return columnMember(column);
  if (place.in === 'user_metadata') return metadataMember(place.key);
  const type = await metricType(snapshot, project, place.metric);
  return type === null ? null : metricMember(place.metric, type);
};

export const count = async ({ rows, visible }: Snapshot, scope: RecordScope): Promise<number> =>
  rows.countDocuments(scopeMatch(scope, visible), {
    hint: scopeIndex(scope),
    maxTimeMS: queryTimeoutMs,
  });

/** Rows by group, ordered by ordinal. */
export const rowsByGroup = async (
  snapshot: Snapshot,
  names: readonly StreamName[],
): Promise<ReadonlyMap<StreamName, readonly RecordRow[]>> => {
  const found = new Map<StreamName, RecordRow[]>();
  for (let from = 0; from < names.length; from += groupsAtOnce) {
    const some = names.slice(from, from + groupsAtOnce);
    const stored = await snapshot.rows
      .find({ group: { $in: some }, ordinal: { $gte: 0 }, ...snapshot.visible })
      .project(rowMembers)
      .maxTimeMS(bulkTimeoutMs)
      .toArray();
    for (const row of await rowsFromDocuments(snapshot, stored)) {
      const known = found.get(row.group);
      if (known === undefined) found.set(row.group, [row]);
      else known.push(row);
    }
  }
  for (const rows of found.values()) rows.sort((one, other) => one.ordinal - other.ordinal);
  return found;
};

/** Decodes documents to rows, with the parts of long ones. */
export const rowsFromDocuments = async (
  { rows, visible }: Snapshot,
  stored: readonly Document[],
  contents?: WantedContents,
): Promise<readonly RecordRow[]> => {
  const long = stored.filter((row) => (row as StoredRow).parts > 0) as unknown as StoredRow[];
  const parts = new Map<string, string>();
  if (long.length > 0) {
    const places = long.map(({ group, ordinal }) => ({ group, partOf: ordinal }));
    const cursor = rows
      .find({ $and: [{ $or: places }, visible] })
      .sort({ group: 1, partOf: 1, part: 1 })
      .maxTimeMS(bulkTimeoutMs);
    for await (const { group, partOf, text } of cursor) {
      const key = partKey({ group: group as StreamName, ordinal: Number(partOf) });
      parts.set(key, `${parts.get(key) ?? ''}${String(text)}`);
    }
  }
  return stored.map((row) => rowFromDocument(row, parts, contents));
};

export const findGroup = async (
  { rows, visible }: Snapshot,
  project: string,
  population: Population,
  id: string,
): Promise<StreamName | null> => {
  const place = { project: { $eq: project }, population, id: { $eq: id } };
  const row = await rows.findOne(
    { ...place, ...visible },
    { hint: 'id', projection: { group: 1 }, maxTimeMS: queryTimeoutMs },
  );
  return row === null ? null : (row as unknown as StoredRow).group;
};

export const runCounts = async (
  { rows, visible }: Snapshot,
  project: string,
  runs: readonly string[],
): Promise<ReadonlyMap<string, RunCounts>> => {
  const counted = await rows
    .aggregate(
      [
        {
          $match: {
            $and: [
              {
                project: { $eq: project },
                run: { $in: [...runs] },
                population: { $in: ['session', 'trace'] },
              },
              visible,
            ],
          },
        },
        {
          $group: {
            _id: { run: '$run', population: '$population' },
            count: { $sum: 1 },
            spans: { $sum: '$spans' },
          },
        },
      ],
      { hint: 'run', maxTimeMS: queryTimeoutMs },
    )
    .toArray();
  const counts = new Map(runs.map((run) => [run, { traces: 0, spans: 0, sessions: 0 }]));
  for (const { _id, count, spans } of counted) {
    const { run, population } = _id as {
      readonly run: string;
      readonly population: 'session' | 'trace';
    };
    const of = counts.get(run);
    if (of === undefined) continue;
    of[`${population}s`] = Number(count);
    of.spans += Number(spans);
  }
  return counts;
};

/** Type of a metric; null when it is outside the registry and never had a value. */
export const metricType = async (
  snapshot: Snapshot,
  project: string,
  metric: string,
): Promise<MetricType | null> =>
  registryType(metric) ?? (await metricTypes(snapshot, project, [metric])).get(metric) ?? null;

/** Types by contract 3.4, rule 2: two index look-ups per name, whatever the project holds. */
export const metricTypes = async (
  { rows, visible }: Snapshot,
  project: string,
  names: readonly string[],
): Promise<ReadonlyMap<string, MetricType>> => {
  const earliest = (metric: string, fraction: boolean) =>
    rows.findOne<StoredFirst>(
      { project: { $eq: project }, metric: { $eq: metric }, fraction, ...visible },
      { hint: 'first', sort: { first: 1 }, maxTimeMS: queryTimeoutMs },
    );
  const typeOf = async (metric: string): Promise<[string, MetricType][]> => {
    const [whole, broken] = await Promise.all([earliest(metric, false), earliest(metric, true)]);
    const isBrokenFirst = broken !== null && (whole === null || broken.first < whole.first);
    const type = (isBrokenFirst ? broken : whole)?.type as MetricType | undefined;
    if (type === undefined) return [];
    return [[metric, type === 'integer' && broken !== null ? 'floating_point' : type]];
  };
  const wanted = [...new Set(names)].filter((metric) => registryType(metric) === null);
  const types: [string, MetricType][] = [];
  for (let from = 0; from < wanted.length; from += namesAtOnce) {
    const some = await Promise.all(wanted.slice(from, from + namesAtOnce).map(typeOf));
    types.push(...some.flat());
  }
  return new Map(types);
};
/**
 * Concurrency limit, two look-ups per name: a thousand names at once would take all connections.
 */
const namesAtOnce = 8;
