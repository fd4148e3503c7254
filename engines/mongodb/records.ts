import type { IndexDescription } from 'mongodb';
import { dumpItem } from '../../kernel/records/record-dump.js';
import { logStart, type QueryContext } from '../../kernel/ports.js';
import type { DumpItem, Shadow } from '../../kernel/documents.js';
import type { RecordScope } from '../../kernel/records/query-plans.js';
import { partitionedRecords, partitionText } from '../../kernel/records/partitions.js';
import { queryNames } from '../../kernel/query-methods.js';
import { recordQueries, type RecordQueries } from '../../kernel/records/record-queries.js';
import type { Records } from '../../kernel/records/records.js';
import type { RecordRow } from '../../kernel/records/record.js';
import { runCancellable, withSignal } from './cancellable-queries.js';
import { mapDriverErrors, connect } from './connect.js';
import { aggregate } from './record-aggregate.js';
import { columnFacts } from './record-column-facts.js';
import {
  firstRows,
  rowsByOrdinal,
  sessionsWithTraces,
  spanOutlines,
  traceOutlines,
} from './record-outlines.js';
import { resolveSemiJoins } from './record-semi-join.js';
import { ratingCounts } from './record-rating-counts.js';
import { runRows } from './record-run-rows.js';
import { runAverages, runMeasures, changedRuns } from './record-run-measures.js';
import { takeWholeGroups } from './record-page-size.js';
import { groupRows, groupBytes } from './record-weights.js';
import { openModelStates } from './model-state.js';
import { rowMembers } from './record-decoding.js';
import {
  bulkTimeoutMs,
  count,
  cursorOf,
  rowsByGroup,
  findGroup,
  metricTypes,
  rowsFromDocuments,
  runCounts,
  search,
} from './record-search.js';
import { recordsWithEntry } from './record-entries.js';
import { sessionPage, tracesOfSessions } from './record-sessions.js';
import { isEmptyWrites, encodeWrites, writeBatch } from './record-write.js';
import type { Snapshot } from './snapshot.js';
import { snapshotModel, type SnapshotModel, type StampedBatch } from './mvcc-model.js';

/** Version of the row format: another version is another model, rebuilt from the log. */
const form = 8;

/**
 * Indexes: every query names a project, most a time window; `until` and `from` filter in the index,
 * and `shape` is covered by it.
 */
const indexes: readonly IndexDescription[] = [
  {
    name: 'window',
    key: { project: 1, population: 1, at: -1, id: -1, until: 1, from: 1, shape: 1 },
    partialFilterExpression: { population: { $exists: true } },
  },
  {
    name: 'run',
    key: { run: 1, project: 1, population: 1, at: -1, id: -1, until: 1, from: 1, shape: 1 },
  },
  { name: 'group', key: { group: 1, ordinal: 1 } },
  {
    name: 'id',
    key: { id: 1 },
    partialFilterExpression: { id: { $exists: true } },
  },
  {
    name: 'session',
    key: { project: 1, session: 1, population: 1, at: 1, id: 1 },
    partialFilterExpression: { session: { $exists: true } },
  },
  {
    name: 'failed',
    key: { project: 1, failed: 1 },
    partialFilterExpression: { failed: { $exists: true } },
  },
  {
    name: 'first',
    key: { project: 1, metric: 1, fraction: 1, first: 1 },
    partialFilterExpression: { metric: { $exists: true } },
  },
  {
    name: 'rated',
    key: { project: 1, run: 1, rated: 1 },
    partialFilterExpression: { rated: { $exists: true } },
  },
  {
    name: 'column',
    key: { project: 1, column: 1 },
    partialFilterExpression: { column: { $exists: true } },
  },
  {
    name: 'entry',
    key: { project: 1, entries: 1 },
    partialFilterExpression: { entries: { $exists: true } },
  },
  { name: 'gone', key: { gone: 1 }, partialFilterExpression: { gone: { $exists: true } } },
];

/**
 * Records on MongoDB: one document per record, queries as server-side pipelines, batches by
 * mvcc-model.ts. Any number of processes read; one at a time, under its fence, writes, and with
 * partitions one per partition. Fault `unavailable` while the server does not answer.
 */
export const openMongoRecords = async ({
  url,
  partitions = 1,
  part,
}: MongoRecordsOptions & { readonly url: string }): Promise<Records> => {
  if (part !== undefined && !(part >= 1 && part <= partitions)) {
    throw new RangeError(`partition ${part} is not within 1 to ${partitions}`);
  }
  const { db, close } = await connect(url);
  const states = openModelStates(db);
  const all = Array.from({ length: partitions }, (_, at) => at + 1);
  const models = (part === undefined ? all : [part]).map((index) =>
    snapshotModel(states, namesOf(index, partitions), indexes),
  );
  try {
    await mapDriverErrors(() => Promise.all(models.map((model) => model.checkIndexes())));
  } catch (error) {
    await close();
    throw error;
  }
  const parts = models.map((model) => recordsOver(model, noClose));
  const [only] = parts;
  return {
    ...(only !== undefined && parts.length === 1 ? only : partitionedRecords(parts)),
    close,
  };
};
const noClose = (): Promise<void> => Promise.resolve();

/**
 * Model names; another number of partitions is other models, rebuilt from the log beside the
 * present ones.
 */
const namesOf = (
  index: number,
  count: number,
): { readonly name: string; readonly label: string } =>
  count === 1
    ? { name: JSON.stringify(['records', form]), label: `records_v${form}` }
    : {
        name: JSON.stringify(['records', form, partitionText({ index, count })]),
        label: `records_v${form}_${index}of${count}`,
      };

type MongoRecordsOptions = {
  /** Number of partitions of all projects' records; absent = one. */
  readonly partitions?: number;
  /** The only partition to open, from 1; absent = all, as one. */
  readonly part?: number;
};

const shadowOf = (copy: Shadow<SnapshotModel>): Shadow<Records> => ({
  ...copy,
  model: recordsOver(copy.model, noClose),
  promote: () => mapDriverErrors(() => copy.promote()),
  discard: () => mapDriverErrors(() => copy.discard()),
});

const recordsOver = (model: SnapshotModel, close: () => Promise<void>): Records => {
  const query = openQueryRunner(model);
  return {
    ...queriesBy(query),
    checkpoint: () => query(logStart, ({ position }) => Promise.resolve(position)),
    prefetch: () => Promise.resolve(),
    apply: async (writes, checkpoint) => {
      const words = encodeWrites(writes);
      const work = isEmptyWrites(writes)
        ? null
        : (batch: StampedBatch) => writeBatch(batch, writes, words);
      await mapDriverErrors(() => model.apply(checkpoint, work));
    },
    spanOutlines: (names) => query(new Map(), (snapshot) => spanOutlines(snapshot, names)),
    rowsByOrdinal: (places) => query([], (snapshot) => rowsByOrdinal(snapshot, places)),
    sessionsWithTraces: (sessions) =>
      query([], (snapshot) => sessionsWithTraces(snapshot, sessions)),
    traceOutlines: (session, part) =>
      query([], (snapshot) => traceOutlines(snapshot, session, part)),
    dump: () => dump(query),
    shadow: async () => shadowOf(await mapDriverErrors(() => model.copy())),
    resume: async (id) => {
      const found = await mapDriverErrors(() => model.resume(id));
      return found === null ? null : shadowOf(found);
    },
    close,
  };
};

/** Result before the first write that is not empty: the query runs on a snapshot without rows. */
const onNoRows = Symbol('on no rows');
/** Runs a query on the current snapshot; before the first write its result is `none`. */
type QueryRunner = <T>(
  none: NoInfer<T> | typeof onNoRows,
  query: (snapshot: Snapshot) => Promise<T>,
  context?: QueryContext,
) => Promise<T>;

const openQueryRunner =
  (model: SnapshotModel): QueryRunner =>
  (none, query, context = {}) =>
    runCancellable(context, async () => {
      const snapshot = none === onNoRows ? await model.snapshotOrEmpty() : await model.snapshot();
      if (snapshot !== null) return query(withSignal(snapshot, context));
      return none as Exclude<typeof none, typeof onNoRows>;
    });

/** A query of the port as a function of a snapshot, and its result before the first write. */
type SnapshotQuery<M> = M extends (...values: infer V) => Promise<infer R>
  ? Required<V> extends readonly [...infer Values, QueryContext]
    ? readonly [R | typeof onNoRows, (snapshot: Snapshot, ...values: Values) => Promise<R>]
    : never
  : never;

/** Query of a scope whose semi-joins are resolved first. */
const withSemiJoins =
  <S extends RecordScope, T>(query: (snapshot: Snapshot, scope: S) => Promise<T>) =>
  async (snapshot: Snapshot, scope: S): Promise<T> =>
    query(snapshot, await resolveSemiJoins(snapshot, scope));

const snapshotQueries: {
  readonly [K in keyof RecordQueries]: SnapshotQuery<RecordQueries[K]>;
} = {
  firstRows: [new Map(), firstRows],
  rowsByGroup: [new Map(), rowsByGroup],
  groupBytes: [new Map(), groupBytes],
  tracesOfSessions: [onNoRows, tracesOfSessions],
  recordsWithEntry: [[], recordsWithEntry],
  sessionPage: [{ traces: [], more: false }, sessionPage],
  findGroup: [null, findGroup],
  groupRows: [null, groupRows],
  search: [{ rows: [], more: false }, withSemiJoins(search)],
  cursorOf: [null, cursorOf],
  count: [0, withSemiJoins(count)],
  aggregate: [onNoRows, withSemiJoins(aggregate)],
  columns: [
    { present: [], metrics: [], userMetadata: [], templates: [] },
    withSemiJoins(columnFacts),
  ],
  metricTypes: [new Map(), metricTypes],
  runCounts: [onNoRows, runCounts],
  ratings: [[], ratingCounts],
  runMeasures: [new Map(), runMeasures],
  runAverages: [new Map(), runAverages],
  runRows: [[], runRows],
  changedRuns: [onNoRows, changedRuns],
};

const queriesBy = (query: QueryRunner): RecordQueries =>
  Object.fromEntries(
    queryNames(recordQueries).map((name) => {
      const [none, ask] = snapshotQueries[name] as readonly [
        unknown,
        (snapshot: Snapshot, ...values: readonly unknown[]) => Promise<unknown>,
      ];
      const { contextAt } = recordQueries[name];
      const ofPort = (...values: readonly unknown[]): Promise<unknown> =>
        query(
          none,
          (snapshot) => ask(snapshot, ...values.slice(0, contextAt)),
          values[contextAt] as QueryContext | undefined,
        );
      return [name, ofPort];
    }),
  ) as unknown as RecordQueries;

// Rows read at a time, fewer when they are large, and more of a group that has more.
const dumpRows = 1_000;

/**
 * Dumps all records, one item per row: groups in code point order, then by ordinal. The key is the
 * group, a space and the ordinal.
 */
async function* dump(query: QueryRunner): AsyncIterable<DumpItem> {
  for (let after = ''; ;) {
    const page: readonly RecordRow[] = await query([], (snapshot) => dumpPage(snapshot, after));
    yield* page.map(dumpItem);
    const last = page.at(-1);
    if (last === undefined) return;
    after = last.group;
  }
}

/** Page of the dump in index order: reads only the page, and part of the next batch. */
const dumpPage = async (snapshot: Snapshot, after: string): Promise<readonly RecordRow[]> => {
  const { rows, visible } = snapshot;
  const stored = rows
    .find({ $and: [{ group: { $gt: after }, ordinal: { $gte: 0 } }, visible] })
    .project(rowMembers)
    .sort({ group: 1, ordinal: 1 })
    // One more, which shows that a group has ended.
    .batchSize(dumpRows + 1)
    .maxTimeMS(bulkTimeoutMs);
  return rowsFromDocuments(snapshot, await takeWholeGroups(stored, dumpRows));
};
