import type { IndexDescription } from 'mongodb';
import { dumpItem } from '../../kernel/records/record-dump.js';
import { start, type Asking } from '../../kernel/ports.js';
import type { DumpItem, Shadow } from '../../kernel/documents.js';
import type { RecordScope } from '../../kernel/records/questions.js';
import { inPartitions, partitionText } from '../../kernel/records/partitions.js';
import type { Records } from '../../kernel/records/records.js';
import type { RecordRow } from '../../kernel/records/record.js';
import { answeringTo, askedOf } from './asked.js';
import { answering, connect } from './connect.js';
import { aggregate } from './record-aggregate.js';
import { columns } from './record-columns.js';
import {
  heads,
  rowsAt,
  sessionsWithTraces,
  spanOutlines,
  traceOutlines,
} from './record-outlines.js';
import { onOneLevel } from './record-levels.js';
import { ratings } from './record-ratings.js';
import { runRows } from './record-run-rows.js';
import { runAverages, runMeasures, runsChanged } from './record-runs.js';
import { firstGroups } from './record-portions.js';
import { groupOf, weights } from './record-weights.js';
import { openModelStates } from './model-state.js';
import { rowMembers } from './record-rows.js';
import {
  bulkMs,
  count,
  groups,
  locate,
  metricTypes,
  rowsFrom,
  runCounts,
  search,
} from './record-search.js';
import { withEntry } from './record-entries.js';
import { sessionPage, tracesOfSessions } from './record-sessions.js';
import { isNothing, wordsOf, writeBatch } from './record-write.js';
import type { Snapshot } from './snapshot.js';
import { modelOf, type SnapshotModel, type StampedBatch } from './snapshots.js';

/** Another form of the stored rows is another model, which the log fills anew. */
const form = 7;

/**
 * Every question names a project, most a window of time; `until` and `from` decide in the index,
 * and `shape` answers in it.
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
 * Records on MongoDB: one document a record, questions as pipelines that run in the server, batches
 * by snapshots.ts. Any number of processes read and one at a time, under its fence, writes; in
 * partitions one at a time each. Fault `unavailable` while the server does not answer.
 */
export const openMongoRecords = async ({
  url,
  partitions = 1,
  part,
}: MongoRecordsOptions & { readonly url: string }): Promise<Records> => {
  if (part !== undefined && !(part >= 1 && part <= partitions)) {
    throw new RangeError(`there is no partition ${part} of ${partitions}`);
  }
  const { db, close } = await connect(url);
  const states = openModelStates(db);
  const all = Array.from({ length: partitions }, (_, at) => at + 1);
  const models = (part === undefined ? all : [part]).map((index) =>
    modelOf(states, namesOf(index, partitions), indexes),
  );
  try {
    await answering(() => Promise.all(models.map((model) => model.checkIndexes())));
  } catch (error) {
    await close();
    throw error;
  }
  const parts = models.map((model) => recordsOver(model, noClose));
  const [only] = parts;
  return { ...(only !== undefined && parts.length === 1 ? only : inPartitions(parts)), close };
};
const noClose = (): Promise<void> => Promise.resolve();

/** Another count of partitions is other models, which the log fills beside those that are there. */
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
  /** Into how many parts the records of all projects are folded; absent = they are one. */
  readonly partitions?: number;
  /** Of these the only one, from 1; absent = all, as one. */
  readonly part?: number;
};

const copyOf = (copy: Shadow<SnapshotModel>): Shadow<Records> => ({
  ...copy,
  model: recordsOver(copy.model, noClose),
  promote: () => answering(() => copy.promote()),
  discard: () => answering(() => copy.discard()),
});

const recordsOver = (model: SnapshotModel, close: () => Promise<void>): Records => {
  const asks = asksOf(model);
  return {
    ...ofGroups(asks),
    ...ofScopes(asks),
    ...ofRuns(asks),
    checkpoint: () => asks.ask(start, ({ position }) => Promise.resolve(position)),
    prepare: () => Promise.resolve(),
    apply: async (writes, checkpoint) => {
      const words = wordsOf(writes);
      const work = isNothing(writes)
        ? null
        : (batch: StampedBatch) => writeBatch(batch, writes, words);
      await answering(() => model.apply(checkpoint, work));
    },
    dump: () => dump(asks),
    shadow: async () => copyOf(await answering(() => model.copy())),
    resume: async (id) => {
      const found = await answering(() => model.resume(id));
      return found === null ? null : copyOf(found);
    },
    close,
  };
};

type Question<T> = (snapshot: Snapshot) => Promise<T>;
type Asks = {
  /** Answers `none` while nothing was ever written. */
  readonly ask: <T>(none: NoInfer<T>, question: Question<T>, asking?: Asking) => Promise<T>;
  /** For questions whose answer about nothing is more than nothing. */
  readonly askAnyway: <T>(question: Question<T>, asking?: Asking) => Promise<T>;
};

const asksOf = (model: SnapshotModel): Asks => ({
  ask: (none, question, asking = {}) =>
    answeringTo(asking, async () => {
      const snapshot = await model.snapshot();
      return snapshot === null ? none : question(askedOf(snapshot, asking));
    }),
  askAnyway: (question, asking = {}) =>
    answeringTo(asking, async () => question(askedOf(await model.snapshotOrEmpty(), asking))),
});

/** What is asked of groups and of records by name. */
const ofGroups = ({ ask, askAnyway }: Asks) =>
  ({
    heads: (names) => ask(new Map(), (snapshot) => heads(snapshot, names)),
    spanOutlines: (names) => ask(new Map(), (snapshot) => spanOutlines(snapshot, names)),
    rowsAt: (places) => ask([], (snapshot) => rowsAt(snapshot, places)),
    sessionsWithTraces: (sessions) => ask([], (snapshot) => sessionsWithTraces(snapshot, sessions)),
    traceOutlines: (session, part) => ask([], (snapshot) => traceOutlines(snapshot, session, part)),
    groups: (names, asking) => ask(new Map(), (snapshot) => groups(snapshot, names), asking),
    weights: (names, asking) => ask(new Map(), (snapshot) => weights(snapshot, names), asking),
    tracesOfSessions: (project, sessions, tracesMax, asking) =>
      askAnyway((snapshot) => tracesOfSessions(snapshot, { project, sessions, tracesMax }), asking),
    withEntry: (plan, asking) => ask([], (snapshot) => withEntry(snapshot, plan), asking),
    sessionPage: (plan, asking) =>
      ask({ traces: [], more: false }, (snapshot) => sessionPage(snapshot, plan), asking),
    locate: (project, population, id, asking) =>
      ask(null, (snapshot) => locate(snapshot, project, population, id), asking),
    groupOf: (plan, asking) => ask(null, (snapshot) => groupOf(snapshot, plan), asking),
  }) satisfies Partial<Records>;

/** The question about the records of a scope, once its filter is about no others. */
const onLevel =
  <S extends RecordScope, T>(scope: S, ask: (snapshot: Snapshot, scope: S) => Promise<T>) =>
  async (snapshot: Snapshot): Promise<T> =>
    ask(snapshot, await onOneLevel(snapshot, scope));

/** What is asked of all records of a project or run. */
const ofScopes = ({ ask, askAnyway }: Asks) =>
  ({
    search: (plan, asking) => ask({ rows: [], more: false }, onLevel(plan, search), asking),
    count: (scope, asking) => ask(0, onLevel(scope, count), asking),
    aggregate: (plan, asking) => askAnyway(onLevel(plan, aggregate), asking),
    columns: (scope, asking) =>
      ask(
        { present: [], metrics: [], userMetadata: [], templates: [] },
        onLevel(scope, columns),
        asking,
      ),
    metricTypes: (project, names, asking) =>
      ask(new Map(), (snapshot) => metricTypes(snapshot, project, names), asking),
  }) satisfies Partial<Records>;

/** What is asked of runs beside each other. */
const ofRuns = ({ ask, askAnyway }: Asks) =>
  ({
    runCounts: (project, runs, asking) =>
      askAnyway((snapshot) => runCounts(snapshot, project, runs), asking),
    ratings: (project, runs, asking) =>
      ask([], (snapshot) => ratings(snapshot, project, runs), asking),
    runMeasures: (project, runs, asking) =>
      ask(new Map(), (snapshot) => runMeasures(snapshot, project, runs), asking),
    runAverages: (project, metrics, runs, asking) =>
      ask(new Map(), (snapshot) => runAverages(snapshot, project, metrics, runs), asking),
    runRows: (plan, asking) => ask([], (snapshot) => runRows(snapshot, plan), asking),
    runsChanged: (project, token) => askAnyway((snapshot) => runsChanged(snapshot, project, token)),
  }) satisfies Partial<Records>;

// Rows read at a time, fewer when they are large, and more of a group that has more.
const dumpRows = 1_000;

/**
 * One item a row, by group in code point order and by ordinal in it: the key is the group, a space
 * and the ordinal.
 */
async function* dump({ ask }: Asks): AsyncIterable<DumpItem> {
  for (let after = ''; ;) {
    const page: readonly RecordRow[] = await ask([], (snapshot) => dumpPage(snapshot, after));
    yield* page.map(dumpItem);
    const last = page.at(-1);
    if (last === undefined) return;
    after = last.group;
  }
}

/** The index has them in this order: only what is taken is read, and some of the next batch. */
const dumpPage = async (snapshot: Snapshot, after: string): Promise<readonly RecordRow[]> => {
  const { rows, visible } = snapshot;
  const stored = rows
    .find({ $and: [{ group: { $gt: after }, ordinal: { $gte: 0 } }, visible] })
    .project(rowMembers)
    .sort({ group: 1, ordinal: 1 })
    // One more, which tells that a group has ended.
    .batchSize(dumpRows + 1)
    .maxTimeMS(bulkMs);
  return rowsFrom(snapshot, await firstGroups(stored, dumpRows));
};
