import type { DumpItem, Shadow } from '../documents.js';
import { recordStreamProject } from '../backpressured-log.js';
import type { Position, StoredEvent, StreamName } from '../ports.js';
import type { Records, RecordWrites } from './records.js';

/** One of `count` parts that the records of all projects are folded in; `index` from 1. */
export type Partition = { readonly index: number; readonly count: number };

/** As commands and hints write it. */
export const partitionText = ({ index, count }: Partition): string => `${index}/${count}`;

/** From 1. Ids of projects are random, so their first bits spread them. */
export const partitionOf = (project: string, count: number): number =>
  (Number.parseInt(project.slice(0, 8), 16) % count) + 1;

/** Whether who folds the partition needs the event; what is of no one project is for everybody. */
export const partitionPredicate = ({ index, count }: Partition) => {
  return ({ stream }: Pick<StoredEvent, 'stream'>): boolean => {
    const project = recordStreamProject(stream);
    return project === null || partitionOf(project, count) === index;
  };
};

/**
 * Records in parts, the first of `count` at index 0, as one. A question goes to the part of its
 * project; all of them are as far as the one that is least far. `apply` gives each part what is its
 * own: repeated after a failure, those that have it already take nothing.
 */
export const partitionedRecords = (parts: readonly Records[]): Records => {
  const [first] = parts;
  if (first === undefined || parts.length === 1) throw new RangeError('parts are two or more');
  const of = (project: string): Records => parts[partitionOf(project, parts.length) - 1] ?? first;
  const ofGroup = (group: StreamName): Records => of(recordStreamProject(group) ?? '0');
  const all = <T>(ask: (part: Records) => Promise<T>): Promise<readonly T[]> =>
    Promise.all(parts.map(ask));
  const split = <T>(items: readonly T[], partOf: (item: T) => Records) =>
    parts.map((part) => [part, items.filter((item) => partOf(item) === part)] as const);
  const merged = async <T>(
    names: readonly StreamName[],
    ask: (part: Records, some: readonly StreamName[]) => Promise<ReadonlyMap<StreamName, T>>,
  ): Promise<ReadonlyMap<StreamName, T>> => {
    const asked = split(names, ofGroup).filter(([, some]) => some.length > 0);
    const found = await Promise.all(asked.map(([part, some]) => ask(part, some)));
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
    rowsByGroup: (names, asking) => merged(names, (part, some) => part.rowsByGroup(some, asking)),
    groupBytes: (names, asking) => merged(names, (part, some) => part.groupBytes(some, asking)),
    rowsByOrdinal: async (places) => {
      const own = split(places, ({ group }) => ofGroup(group));
      return (await Promise.all(own.map(([part, some]) => part.rowsByOrdinal(some)))).flat();
    },
    sessionsWithTraces: async (sessions) => {
      const own = split(sessions, ({ project }) => of(project));
      return (await Promise.all(own.map(([part, some]) => part.sessionsWithTraces(some)))).flat();
    },
    traceOutlines: (session, part) => of(session.project).traceOutlines(session, part),
    tracesOfSessions: (project, ...asked) => of(project).tracesOfSessions(project, ...asked),
    recordsWithEntry: (plan, asking) => of(plan.project).recordsWithEntry(plan, asking),
    sessionPage: (plan, asking) => of(plan.project).sessionPage(plan, asking),
    findGroup: (project, ...asked) => of(project).findGroup(project, ...asked),
    groupRows: (plan, asking) => of(plan.project).groupRows(plan, asking),
    search: (plan, asking) => of(plan.project).search(plan, asking),
    count: (scope, asking) => of(scope.project).count(scope, asking),
    aggregate: (plan, asking) => of(plan.project).aggregate(plan, asking),
    columns: (scope, asking) => of(scope.project).columns(scope, asking),
    metricTypes: (project, ...asked) => of(project).metricTypes(project, ...asked),
    runCounts: (project, ...asked) => of(project).runCounts(project, ...asked),
    ratings: (project, ...asked) => of(project).ratings(project, ...asked),
    runMeasures: (project, ...asked) => of(project).runMeasures(project, ...asked),
    runAverages: (project, ...asked) => of(project).runAverages(project, ...asked),
    runRows: (plan, asking) => of(plan.project).runRows(plan, asking),
    changedRuns: (project, token) => of(project).changedRuns(project, token),
    dump: () => mergeDumps(parts.map((part) => part.dump())),
    shadow: async (copying) => partitionedShadow(await all((part) => part.shadow(copying))),
    resume: async (id) => {
      const ids = id.split(' ');
      const copies = await Promise.all(parts.map((part, at) => part.resume(ids[at] ?? '')));
      return copies.some((one) => one === null)
        ? null
        : partitionedShadow(copies.filter((one) => one !== null));
    },
    close: async () => void (await all((part) => part.close())),
  };
};

const leastPosition = (positions: readonly Position[]): Position =>
  positions.reduce((low, one) => (one < low ? one : low));

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

/** What each part has by key, as one that has all. */
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
