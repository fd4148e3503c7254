import type { Position, StreamName } from '../../kernel/ports.js';
import type { ProjectId, RunId } from '../../kernel/schema-types.js';

/** A changed trace: a position before the change, and its run if the event names it. */
export type PendingTrace = { readonly before: Position; readonly run: RunId | null };

/** Changed streams of a project, in the order of the log. */
type ProjectQueue = {
  readonly streams: Map<StreamName, PendingTrace>;
  /** Changes after this position were not queued for lack of room. Null: all are queued. */
  overflowFrom: Position | null;
};
/** Streams taken from a queue and not given back yet. */
type PendingBatch = readonly (readonly [StreamName, PendingTrace])[];

/** Queue limit per project: more than a round takes. An entry takes 300 bytes. */
const perProjectMax = 2_000;
/** Queue limit of all projects; beyond it each project has one entry. */
const totalMax = 50_000;

type Bounds = { readonly perProject: number; readonly total: number };

/** Bounded queues, one per project, with their total size. */
const openQueues = (most: Bounds) => {
  const projects = new Map<ProjectId, ProjectQueue>();
  let size = 0;
  return {
    projects: projects as ReadonlyMap<ProjectId, ProjectQueue>,
    size: (): number => size,
    of: (project: ProjectId): ProjectQueue => {
      const queue = projects.get(project) ?? { streams: new Map(), overflowFrom: null };
      projects.set(project, queue);
      return queue;
    },
    /** Returns false if the queue is full. */
    put: ({ streams }: ProjectQueue, stream: StreamName, noted: PendingTrace): boolean => {
      if (streams.has(stream)) return true;
      if (streams.size >= most.perProject || (size >= most.total && streams.size > 0)) return false;
      streams.set(stream, noted);
      size += 1;
      return true;
    },
    remove: ({ streams }: ProjectQueue, some: PendingBatch): void => {
      for (const [stream] of some) if (streams.delete(stream)) size -= 1;
    },
    /**
     * Replaces the queue's content in this order, ignoring the bounds, so that no entry is lost.
     */
    refill: ({ streams }: ProjectQueue, all: PendingBatch): void => {
      size -= streams.size;
      streams.clear();
      for (const [stream, noted] of all) {
        // A stream that changed again keeps the older position.
        const { before, run } = streams.get(stream) ?? noted;
        const first = noted.before < before ? noted.before : before;
        streams.set(stream, { before: first, run: run ?? noted.run });
      }
      size += streams.size;
    },
    /** Drops the queue of an idle project. */
    forget: (project: ProjectId): void => {
      const queue = projects.get(project);
      if (queue?.streams.size === 0 && queue.overflowFrom === null) projects.delete(project);
    },
  };
};
type Queues = ReturnType<typeof openQueues>;

/** Batches taken, until given back. */
const openInFlight = (queues: Queues) => {
  const taken = new Map<PendingBatch, ProjectId>();
  return {
    all: (): Iterable<PendingBatch> => taken.keys(),
    take: (project: ProjectId, count: number): PendingBatch => {
      const queue = queues.of(project);
      const some: PendingBatch = [...queue.streams].slice(0, count);
      queues.remove(queue, some);
      taken.set(some, project);
      queues.forget(project);
      return some;
    },
    /**
     * Completes a batch, except these streams: `first` are queued at the front, `last` at the end.
     */
    giveBack: (
      some: PendingBatch,
      first: ReadonlySet<StreamName>,
      last: ReadonlySet<StreamName>,
    ): void => {
      const project = taken.get(some);
      taken.delete(some);
      if (project === undefined) return;
      const queue = queues.of(project);
      const before = some.filter(([stream]) => first.has(stream));
      const after = some.filter(([stream]) => last.has(stream));
      queues.refill(queue, [...before, ...queue.streams, ...after]);
      queues.forget(project);
    },
  };
};

/**
 * Backlog of changed traces: a bounded queue per project, so that projects do not delay each other.
 * On overflow a project keeps its first streams, and the log position from which to read the
 * others.
 */
export const openBacklog = (most: Bounds = { perProject: perProjectMax, total: totalMax }) => {
  const queues = openQueues(most);
  const { all: batchesInFlight, take, giveBack } = openInFlight(queues);
  return {
    take,
    giveBack,
    size: queues.size,
    note: (project: ProjectId, stream: StreamName, noted: PendingTrace): void => {
      const queue = queues.of(project);
      if (queue.overflowFrom === null && !queues.put(queue, stream, noted))
        queue.overflowFrom = noted.before;
    },
    /** True if a trace of the run may be queued. */
    holds: (project: ProjectId, run: RunId): boolean => {
      const queue = queues.projects.get(project);
      if (queue === undefined) return false;
      if (queue.overflowFrom !== null) return true;
      for (const noted of queue.streams.values()) {
        if (noted.run === null || noted.run === run) return true;
      }
      return false;
    },
    /** Projects with queued streams, longest waiting first. */
    waiting: (): readonly ProjectId[] =>
      [...queues.projects].flatMap(([project, { streams }]) => (streams.size > 0 ? [project] : [])),
    /** A project with an empty queue and an overflow, with the position from which to read on. */
    behind: (): readonly [ProjectId, Position] | null => {
      for (const [project, { streams, overflowFrom }] of queues.projects) {
        if (overflowFrom !== null && streams.size === 0) return [project, overflowFrom];
      }
      return null;
    },
    /** Records that the log was read for the project up to `to`; `isAll`: up to its head. */
    caughtUp: (project: ProjectId, to: Position, isAll: boolean): void => {
      queues.of(project).overflowFrom = isAll ? null : to;
      queues.forget(project);
    },
    /** Queues a stream from the overflow; returns false if the queue is full again. */
    add: (project: ProjectId, stream: StreamName, noted: PendingTrace): boolean =>
      queues.put(queues.of(project), stream, noted),
    /** The oldest position of all unfinished work; null when idle. */
    oldest: (): Position | null => {
      let found: Position | null = null;
      const see = (position: Position | null): void => {
        if (position !== null && (found === null || position < found)) found = position;
      };
      for (const { streams, overflowFrom } of queues.projects.values()) {
        see(overflowFrom);
        for (const { before } of streams.values()) see(before);
      }
      for (const some of batchesInFlight()) for (const [, { before }] of some) see(before);
      return found;
    },
  };
};
export type Backlog = ReturnType<typeof openBacklog>;
