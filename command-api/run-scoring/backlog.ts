import type { Position, StreamName } from '../../kernel/ports.js';
import type { ProjectId } from '../../kernel/shapes.js';

/**
 * Streams of a project that changed, with a position before the change, in the order of the log.
 */
type Queue = {
  readonly streams: Map<StreamName, Position>;
  /** Changes after this position were not noted: there was no room. Null: all were. */
  behind: Position | null;
};
/** Taken, and not yet done with. */
export type Taken = readonly (readonly [StreamName, Position])[];

/** Streams noted of one project: more than a turn takes. A name and its place take 300 bytes. */
const eachMax = 2_000;
/** Of all projects; beyond it each has one. */
const allMax = 50_000;

/**
 * Which traces changed, project by project, so that none waits for those of another. Of a project
 * with very many only the first are noted, and where in the log the others begin.
 */
export const openBacklog = (most = { each: eachMax, all: allMax }) => {
  const projects = new Map<ProjectId, Queue>();
  const taken = new Map<Taken, ProjectId>();
  let size = 0;
  const queueOf = (project: ProjectId): Queue => {
    const queue = projects.get(project) ?? { streams: new Map(), behind: null };
    projects.set(project, queue);
    return queue;
  };
  /** False: there was no room. */
  const put = ({ streams }: Queue, stream: StreamName, before: Position): boolean => {
    if (streams.has(stream)) return true;
    if (streams.size >= most.each || (size >= most.all && streams.size > 0)) return false;
    streams.set(stream, before);
    size += 1;
    return true;
  };
  const forget = (project: ProjectId): void => {
    const queue = projects.get(project);
    if (queue !== undefined && queue.streams.size === 0 && queue.behind === null) {
      projects.delete(project);
    }
  };
  return {
    note: (project: ProjectId, stream: StreamName, before: Position): void => {
      const queue = queueOf(project);
      if (queue.behind === null && !put(queue, stream, before)) queue.behind = before;
    },
    /** Projects with something to do, who had it first at the front. */
    waiting: (): readonly ProjectId[] =>
      [...projects].flatMap(([project, { streams }]) => (streams.size > 0 ? [project] : [])),
    take: (project: ProjectId, count: number): Taken => {
      const queue = queueOf(project);
      const some: Taken = [...queue.streams].slice(0, count);
      for (const [stream] of some) queue.streams.delete(stream);
      size -= some.length;
      taken.set(some, project);
      forget(project);
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
      const queue = queueOf(project);
      const others = [...queue.streams];
      size -= others.length;
      queue.streams.clear();
      const before = some.filter(([stream]) => first.has(stream));
      const after = some.filter(([stream]) => last.has(stream));
      for (const [stream, position] of [...before, ...others, ...after]) {
        // Of a stream that changed again meanwhile the older position stays.
        const known = queue.streams.get(stream) ?? position;
        queue.streams.set(stream, position < known ? position : known);
      }
      size += queue.streams.size;
      forget(project);
    },
    /** A project whose noted streams are all done with, and from where on its others are. */
    behind: (): readonly [ProjectId, Position] | null => {
      for (const [project, { streams, behind }] of projects) {
        if (behind !== null && streams.size === 0) return [project, behind];
      }
      return null;
    },
    /** The log was looked through for that project up to `to`; `isAll`: there is no more. */
    caughtUp: (project: ProjectId, to: Position, isAll: boolean): void => {
      queueOf(project).behind = isAll ? null : to;
      forget(project);
    },
    /** Notes what was found behind; false: there is no room again. */
    add: (project: ProjectId, stream: StreamName, before: Position): boolean =>
      put(queueOf(project), stream, before),
    size: (): number => size,
    /** The oldest position of anything that is not done with; null: everything is. */
    oldest: (): Position | null => {
      let found: Position | null = null;
      const see = (position: Position | null): void => {
        if (position !== null && (found === null || position < found)) found = position;
      };
      for (const { streams, behind } of projects.values()) {
        see(behind);
        for (const position of streams.values()) see(position);
      }
      for (const some of taken.keys()) for (const [, position] of some) see(position);
      return found;
    },
  };
};
export type Backlog = ReturnType<typeof openBacklog>;
