import type { Position, StreamName } from '../../kernel/ports.js';
import type { ProjectId, RunId } from '../../kernel/shapes.js';

/** A change of a trace: a position before it, and the run where the change says it. */
export type Noted = { readonly before: Position; readonly run: RunId | null };

/** Streams of a project that changed, in the order of the log. */
type Queue = {
  readonly streams: Map<StreamName, Noted>;
  /** Changes after this position were not noted: there was no room. Null: all were. */
  behind: Position | null;
};
/** Taken, and not yet done with. */
export type Taken = readonly (readonly [StreamName, Noted])[];

/** Streams noted of one project: more than a turn takes. A name and its place take 300 bytes. */
const eachMax = 2_000;
/** Of all projects; beyond it each has one. */
const allMax = 50_000;

type Bounds = { readonly each: number; readonly all: number };

/** What is noted of each project, and how much of all. */
const openQueues = (most: Bounds) => {
  const projects = new Map<ProjectId, Queue>();
  let size = 0;
  return {
    projects: projects as ReadonlyMap<ProjectId, Queue>,
    size: (): number => size,
    of: (project: ProjectId): Queue => {
      const queue = projects.get(project) ?? { streams: new Map(), behind: null };
      projects.set(project, queue);
      return queue;
    },
    /** False: there was no room. */
    put: ({ streams }: Queue, stream: StreamName, noted: Noted): boolean => {
      if (streams.has(stream)) return true;
      if (streams.size >= most.each || (size >= most.all && streams.size > 0)) return false;
      streams.set(stream, noted);
      size += 1;
      return true;
    },
    remove: ({ streams }: Queue, some: Taken): void => {
      for (const [stream] of some) if (streams.delete(stream)) size -= 1;
    },
    /** In this order, whatever the bounds: nothing that was noted is lost. */
    refill: ({ streams }: Queue, all: Taken): void => {
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
      if (queue?.streams.size === 0 && queue.behind === null) projects.delete(project);
    },
  };
};
type Queues = ReturnType<typeof openQueues>;

/** What was taken, until it is given back. */
const openInHand = (queues: Queues) => {
  const taken = new Map<Taken, ProjectId>();
  return {
    all: (): Iterable<Taken> => taken.keys(),
    take: (project: ProjectId, count: number): Taken => {
      const queue = queues.of(project);
      const some: Taken = [...queue.streams].slice(0, count);
      queues.remove(queue, some);
      taken.set(some, project);
      queues.forget(project);
      return some;
    },
    /** What was taken is done with, but for these: `first` come next, `last` after the others. */
    giveBack: (
      some: Taken,
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
export const openBacklog = (most: Bounds = { each: eachMax, all: allMax }) => {
  const queues = openQueues(most);
  const { all: inHand, take, giveBack } = openInHand(queues);
  return {
    take,
    giveBack,
    size: queues.size,
    note: (project: ProjectId, stream: StreamName, noted: Noted): void => {
      const queue = queues.of(project);
      if (queue.behind === null && !queues.put(queue, stream, noted)) queue.behind = noted.before;
    },
    /** Whether a trace of the run may wait to be taken. */
    holds: (project: ProjectId, run: RunId): boolean => {
      const queue = queues.projects.get(project);
      if (queue === undefined) return false;
      if (queue.behind !== null) return true;
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
      for (const [project, { streams, behind }] of queues.projects) {
        if (behind !== null && streams.size === 0) return [project, behind];
      }
      return null;
    },
    /** The log was looked through for that project up to `to`; `isAll`: there is no more. */
    caughtUp: (project: ProjectId, to: Position, isAll: boolean): void => {
      queues.of(project).behind = isAll ? null : to;
      queues.forget(project);
    },
    /** Notes what was found behind; false: there is no room again. */
    add: (project: ProjectId, stream: StreamName, noted: Noted): boolean =>
      queues.put(queues.of(project), stream, noted),
    /** The oldest position of anything that is not done with; null: everything is. */
    oldest: (): Position | null => {
      let found: Position | null = null;
      const see = (position: Position | null): void => {
        if (position !== null && (found === null || position < found)) found = position;
      };
      for (const { streams, behind } of queues.projects.values()) {
        see(behind);
        for (const { before } of streams.values()) see(before);
      }
      for (const some of inHand()) for (const [, { before }] of some) see(before);
      return found;
    },
  };
};
export type Backlog = ReturnType<typeof openBacklog>;
