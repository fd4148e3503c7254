import type { DumpItem, Shadow } from '../documents.js';
import { recordStreamProject } from '../backpressured-log.js';
import type { Position, StoredEvent, StreamName } from '../ports.js';
import { wrapMethods } from '../map-methods.js';
import { projectOfQuery, queryNames } from '../query-methods.js';
import { recordQueries } from './record-queries.js';
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
  const queries = wrapMethods(first, queryNames(recordQueries), (call, { name, values }) => {
    if (recordQueries[name].kind !== 'groups') return call(values, of(projectOfQuery(values)));
    const [names, ...rest] = values as readonly [readonly StreamName[], ...unknown[]];
    const found = merged(names, (part, some) => call([some, ...rest], part) as never);
    return found as never;
  });
  return {
    ...queries,
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
    spanOutlines: (names) => merged(names, (part, some) => part.spanOutlines(some)),
    rowsByOrdinal: async (places) => {
      const own = split(places, ({ group }) => ofGroup(group));
      return (await Promise.all(own.map(([part, some]) => part.rowsByOrdinal(some)))).flat();
    },
    sessionsWithTraces: async (sessions) => {
      const own = split(sessions, ({ project }) => of(project));
      return (await Promise.all(own.map(([part, some]) => part.sessionsWithTraces(some)))).flat();
    },
    traceOutlines: (session, part) => of(session.project).traceOutlines(session, part),
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
