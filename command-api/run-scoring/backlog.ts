import type { Position, StreamName } from '../../kernel/ports.js';
import type { ProjectId, RunId } from '../../kernel/schema-types.js';

/** A change of a trace: a position before it, and the run where the change says it. */
export type PendingTrace = { readonly before: Position; readonly run: RunId | null };

/** Streams of a project that changed, in the order of the log. */
type ProjectQueue = {
  readonly streams: Map<StreamName, PendingTrace>;
  /** Changes after this position were not noted: there was no room. Null: all were. */
  overflowFrom: Position | null;
};
/** Taken, and not yet done with. */
type PendingBatch = readonly (readonly [StreamName, PendingTrace])[];

/** Streams noted of one project: more than a turn takes. A name and its place take 300 bytes. */
const perProjectMax = 2_000;
/** Of all projects; beyond it each has one. */
const totalMax = 50_000;

type Bounds = { readonly perProject: number; readonly total: number };

/** What is noted of each project, and how much of all. */
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
    /** False: there was no room. */
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
    /** In this order, whatever the bounds: nothing that was noted is lost. */
    refill: ({ streams }: ProjectQueue, all: PendingBatch): void => {
      size -= streams.size;
      streams.clear();
      for (const [stream, noted] of all) {
        // Of a stream that changed again meanwhile the older position stays.
        const { before, run } = streams.get(stream) ?? noted;
        const first = noted.before < before ? noted.before : before;
        streams.set(stream, { before: first, run: run ?? noted.run });
      }
      size += streams.size;
    },
    /** A project with nothing to do. */
    forget: (project: ProjectId): void => {
      const queue = projects.get(project);
      if (queue?.streams.size === 0 && queue.overflowFrom === null) projects.delete(project);
    },
  };
};
type Queues = ReturnType<typeof openQueues>;

/** What was taken, until it is given back. */
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
    /** What was taken is done with, but for these: `first` come next, `last` after the others. */
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
 * Which traces changed, project by project, so that none waits for those of another. Of a project
 * with very many only the first are noted, and where in the log the others begin.
 */
export const openBacklog = (most: Bounds = { perProject: perProjectMax, total: totalMax }) => {
  const queues = openQueues(most);
  const { all: inHand, take, giveBack } = openInFlight(queues);
  return {
    take,
    giveBack,
    size: queues.size,
    note: (project: ProjectId, stream: StreamName, noted: PendingTrace): void => {
      const queue = queues.of(project);
      if (queue.overflowFrom === null && !queues.put(queue, stream, noted))
        queue.overflowFrom = noted.before;
    },
    /** Whether a trace of the run may wait to be taken. */
    holds: (project: ProjectId, run: RunId): boolean => {
      const queue = queues.projects.get(project);
      if (queue === undefined) return false;
      if (queue.overflowFrom !== null) return true;
      for (const noted of queue.streams.values()) {
        if (noted.run === null || noted.run === run) return true;
      }
      return false;
    },
    /** Projects with something to do, who had it first at the front. */
    waiting: (): readonly ProjectId[] =>
      [...queues.projects].flatMap(([project, { streams }]) => (streams.size > 0 ? [project] : [])),
    /** A project whose noted streams are all done with, and from where on its others are. */
    behind: (): readonly [ProjectId, Position] | null => {
      for (const [project, { streams, overflowFrom }] of queues.projects) {
        if (overflowFrom !== null && streams.size === 0) return [project, overflowFrom];
      }
      return null;
    },
    /** The log was looked through for that project up to `to`; `isAll`: there is no more. */
    caughtUp: (project: ProjectId, to: Position, isAll: boolean): void => {
      queues.of(project).overflowFrom = isAll ? null : to;
      queues.forget(project);
    },
    /** Notes what was found behind; false: there is no room again. */
    add: (project: ProjectId, stream: StreamName, noted: PendingTrace): boolean =>
      queues.put(queues.of(project), stream, noted),
    /** The oldest position of anything that is not done with; null: everything is. */
    oldest: (): Position | null => {
      let found: Position | null = null;
      const see = (position: Position | null): void => {
        if (position !== null && (found === null || position < found)) found = position;
      };
      for (const { streams, overflowFrom } of queues.projects.values()) {
        see(overflowFrom);
        for (const { before } of streams.values()) see(before);
      }
      for (const some of inHand()) for (const [, { before }] of some) see(before);
      return found;
    },
  };
};
export type Backlog = ReturnType<typeof openBacklog>;
