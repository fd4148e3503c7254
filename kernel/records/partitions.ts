import type { DumpItem, Shadow } from '../documents.js';
import { recordStreamProject } from '../backpressured-log.js';
import type { Position, StoredEvent, StreamName } from '../ports.js';
import type { Records, RecordWrites } from './records.js';

/**
 * Partition: one of `count` parts in which the records of all projects are folded; `index` from 1.
 */
export type Partition = { readonly index: number; readonly count: number };

/** Text form in commands and notifications. */
export const partitionText = ({ index, count }: Partition): string => `${index}/${count}`;

/**
 * Index of a project's partition, from 1. Project ids are random, so their first bits distribute
 * them.
 */
export const partitionOf = (project: string, count: number): number =>
  (Number.parseInt(project.slice(0, 8), 16) % count) + 1;

/** Predicate of events that a partition folds; events without a project go to all partitions. */
export const partitionPredicate = ({ index, count }: Partition) => {
  return ({ stream }: Pick<StoredEvent, 'stream'>): boolean => {
    const project = recordStreamProject(stream);
    return project === null || partitionOf(project, count) === index;
  };
};

/**
 * Records composed of partitions, the first of `count` at index 0. A query goes to the partition of
 * its project; the checkpoint is the least of all. `apply` splits the writes: repeated after a
 * failure, partitions that have theirs already take nothing.
 */
export const partitionedRecords = (parts: readonly Records[]): Records => {
  const [first] = parts;
  if (first === undefined || parts.length === 1)
    throw new RangeError('partitioned records need at least two parts');
  const of = (project: string): Records => parts[partitionOf(project, parts.length) - 1] ?? first;
  const ofGroup = (group: StreamName): Records => of(recordStreamProject(group) ?? '0');
  const all = <T>(query: (part: Records) => Promise<T>): Promise<readonly T[]> =>
    Promise.all(parts.map(query));
  const split = <T>(items: readonly T[], partOf: (item: T) => Records) =>
    parts.map((part) => [part, items.filter((item) => partOf(item) === part)] as const);
  const merged = async <T>(
    names: readonly StreamName[],
    query: (part: Records, some: readonly StreamName[]) => Promise<ReadonlyMap<StreamName, T>>,
  ): Promise<ReadonlyMap<StreamName, T>> => {
    const wanted = split(names, ofGroup).filter(([, some]) => some.length > 0);
    const found = await Promise.all(wanted.map(([part, some]) => query(part, some)));
    return new Map(found.flatMap((one) => [...one]));
  };
  return {
    checkpoint: async () => leastPosition(await all((part) => part.checkpoint())),
    prefetch: () => Promise.resolve(),
    apply: async (writes, checkpoint) => {
      const own = split(writes.groups, ({ group }) => ofGroup(group));
      await Promise.all(
        own.map(([part, groups]) =>
          part.apply({ ...writes, groups } satisfies RecordWrites, checkpoint),
        ),
      );
    },
    firstRows: (names) => merged(names, (part, some) => part.firstRows(some)),
    spanOutlines: (names) => merged(names, (part, some) => part.spanOutlines(some)),
    rowsByGroup: (names, context) => merged(names, (part, some) => part.rowsByGroup(some, context)),
    groupBytes: (names, context) => merged(names, (part, some) => part.groupBytes(some, context)),
    rowsByOrdinal: async (places) => {
      const own = split(places, ({ group }) => ofGroup(group));
      return (await Promise.all(own.map(([part, some]) => part.rowsByOrdinal(some)))).flat();
    },
    sessionsWithTraces: async (sessions) => {
      const own = split(sessions, ({ project }) => of(project));
      return (await Promise.all(own.map(([part, some]) => part.sessionsWithTraces(some)))).flat();
    },
    traceOutlines: (session, part) => of(session.project).traceOutlines(session, part),
    tracesOfSessions: (project, ...rest) => of(project).tracesOfSessions(project, ...rest),
    recordsWithEntry: (plan, context) => of(plan.project).recordsWithEntry(plan, context),
    sessionPage: (plan, context) => of(plan.project).sessionPage(plan, context),
    findGroup: (project, ...rest) => of(project).findGroup(project, ...rest),
    groupRows: (plan, context) => of(plan.project).groupRows(plan, context),
    search: (plan, context) => of(plan.project).search(plan, context),
    cursorOf: (plan, ...rest) => of(plan.project).cursorOf(plan, ...rest),
    count: (scope, context) => of(scope.project).count(scope, context),
    aggregate: (plan, context) => of(plan.project).aggregate(plan, context),
    columns: (scope, context) => of(scope.project).columns(scope, context),
    metricTypes: (project, ...rest) => of(project).metricTypes(project, ...rest),
    runCounts: (project, ...rest) => of(project).runCounts(project, ...rest),
    ratings: (project, ...rest) => of(project).ratings(project, ...rest),
    runMeasures: (project, ...rest) => of(project).runMeasures(project, ...rest),
    runAverages: (project, ...rest) => of(project).runAverages(project, ...rest),
    runRows: (plan, context) => of(plan.project).runRows(plan, context),
    changedRuns: (project, token) => of(project).changedRuns(project, token),
    dump: () => mergeDumps(parts.map((part) => part.dump())),
    shadow: async (copying) => partitionedShadow(await all((part) => part.shadow(copying))),
    resume: async (id) => {
      const ids = id.split(' ');
      const copies = await Promise.all(parts.map((part, at) => part.resume(ids[at] ?? '')));
      return resumedShadow(copies);
    },
    close: async () => void (await all((part) => part.close())),
  };
};

const leastPosition = (positions: readonly Position[]): Position =>
  positions.reduce((low, one) => (one < low ? one : low));

/** Null where the shadow of a partition is gone. */
const resumedShadow = (copies: readonly (Shadow<Records> | null)[]): Shadow<Records> | null => {
  const found = copies.filter((copy) => copy !== null);
  return found.length < copies.length ? null : partitionedShadow(found);
};

const partitionedShadow = (copies: readonly Shadow<Records>[]): Shadow<Records> => {
  const each = (work: (copy: Shadow<Records>) => Promise<void>) => async (): Promise<void> => {
    await Promise.all(copies.map(work));
  };
  return {
    id: copies.map(({ id }) => id).join(' '),
    model: partitionedRecords(copies.map(({ model }) => model)),
    promote: each((copy) => copy.promote()),
    discard: each((copy) => copy.discard()),
    detach: each((copy) => copy.detach()),
  };
};

/** Merges the dumps of all partitions by key. */
async function* mergeDumps(dumps: readonly AsyncIterable<DumpItem>[]): AsyncIterable<DumpItem> {
  const running = dumps.map((dump) => dump[Symbol.asyncIterator]());
  const next = await Promise.all(running.map((one) => one.next()));
  for (;;) {
    let low = -1;
    for (const [at, { done, value }] of next.entries()) {
      const key = done === true ? null : value.key;
      const before = next[low];
      if (key !== null && (before === undefined || key < (before.value as DumpItem).key)) low = at;
    }
    const found = next[low];
    if (found === undefined) return;
    yield found.value as DumpItem;
    next[low] = (await running[low]?.next()) ?? { done: true, value: undefined };
  }
}
