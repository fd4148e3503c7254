import { boundedMap } from '../kernel/bounded-map.js';
import { projectOf } from '../kernel/paced-log.js';
import { later, start, type Position, type StreamAppend } from '../kernel/ports.js';
import { endingTypes } from './endings.js';
import { listenedTypes, type AnyProjection } from './documents-model.js';
import { recordsCollection } from './records/collection.js';

/**
 * How far the log goes for one read model and one project, in a process that makes every append: a
 * read need not wait for events that change nothing of what it reads (contract 1.7).
 */
export type ReadTargets = {
  /** These are durable now, the last of them at `position`. */
  readonly note: (appended: Pick<StreamAppend, 'stream' | 'events'>, position: Position) => void;
  /** The last position noted. */
  readonly head: () => Position;
  /**
   * Where the read model has to be so that nothing is missing that was noted and is in it; of
   * another project than `project`, records may be.
   */
  readonly target: (model: string, project: string | null) => Position;
};

/** Beside the streams of its records, what changes the records of a project. */
const recordTypes: readonly string[] = [...endingTypes, 'RecordsErased', 'OrgJobCompleted'];
/** Projects whose last record is remembered, some 200 bytes each. */
const projectsMax = 20_000;

/** `head`: of the log, before anything is noted. */
export const openReadTargets = (
  projections: readonly AnyProjection[],
  head: Position,
): ReadTargets => {
  const typesOf = new Map<string, readonly string[]>([
    [recordsCollection.name, recordTypes],
    ...projections.map(
      (projection) => [projection.collection.name, listenedTypes(projection)] as const,
    ),
  ]);
  const byType = new Map<string, Position>();
  const byProject = boundedMap<string, Position>(projectsMax);
  let last = head;
  // Of what is not remembered.
  let floor = head;
  const noteRecords = (project: string, position: Position): void => {
    const gone = byProject.set(project, later(byProject.get(project) ?? start, position));
    if (gone !== null) floor = later(floor, gone[1]);
  };
  return {
    note: ({ stream, events }, position) => {
      last = later(last, position);
      const project = projectOf(stream);
      if (project !== null) noteRecords(project, position);
      for (const { type } of events) byType.set(type, later(byType.get(type) ?? start, position));
    },
    head: () => last,
    target: (model, project) => {
      const isOfRecords = model === recordsCollection.name;
      const types = typesOf.get(model);
      if (types === undefined || (isOfRecords && project === null)) return last;
      return types.reduce<Position>(
        (target, type) => later(target, byType.get(type) ?? start),
        isOfRecords ? later(floor, byProject.get(project ?? '') ?? start) : floor,
      );
    },
  };
};
