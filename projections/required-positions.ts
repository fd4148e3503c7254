import { boundedMap } from '../kernel/bounded-map.js';
import { recordStreamProject } from '../kernel/backpressured-log.js';
import { laterPosition, logStart, type Position, type StreamAppend } from '../kernel/ports.js';
import { tombstoneTypes } from './tombstones.js';
import { subscribedTypes, type AnyProjection } from './documents-model.js';
import { recordsCollection } from './records/collection.js';

/**
 * How far the log goes for one read model and one project, in a process that makes every append: a
 * read need not wait for events that change nothing of what it reads (contract 1.7).
 */
export type RequiredPositions = {
  /** These are durable now, the last of them at `position`. */
  readonly recordAppend: (
    appended: Pick<StreamAppend, 'stream' | 'events'>,
    position: Position,
  ) => void;
  /** The last position noted. */
  readonly head: () => Position;
  /**
   * Where the read model has to be so that nothing is missing that was noted and is in it; of
   * another project than `project`, records may be.
   */
  readonly positionFor: (model: string, project: string | null) => Position;
};

/** Beside the streams of its records, what changes the records of a project. */
const recordTypes: readonly string[] = [...tombstoneTypes, 'RecordsErased', 'OrgJobCompleted'];
/** Projects whose last record is remembered, some 200 bytes each. */
const projectsMax = 20_000;

/** `head`: of the log, before anything is noted. */
export const openRequiredPositions = (
  projections: readonly AnyProjection[],
  head: Position,
): RequiredPositions => {
  const typesOf = new Map<string, readonly string[]>([
    [recordsCollection.name, recordTypes],
    ...projections.map(
      (projection) => [projection.collection.name, subscribedTypes(projection)] as const,
    ),
  ]);
  const byType = new Map<string, Position>();
  const byProject = boundedMap<string, Position>(projectsMax);
  let last = head;
  // Of what is not remembered.
  let floor = head;
  const noteRecords = (project: string, position: Position): void => {
    const gone = byProject.set(
      project,
      laterPosition(byProject.get(project) ?? logStart, position),
    );
    if (gone !== null) floor = laterPosition(floor, gone[1]);
  };
  return {
    recordAppend: ({ stream, events }, position) => {
      last = laterPosition(last, position);
      const project = recordStreamProject(stream);
      if (project !== null) noteRecords(project, position);
      for (const { type } of events)
        byType.set(type, laterPosition(byType.get(type) ?? logStart, position));
    },
    head: () => last,
    positionFor: (model, project) => {
      const isOfRecords = model === recordsCollection.name;
      const types = typesOf.get(model);
      if (types === undefined || (isOfRecords && project === null)) return last;
      return types.reduce<Position>(
        (target, type) => laterPosition(target, byType.get(type) ?? logStart),
        isOfRecords ? laterPosition(floor, byProject.get(project ?? '') ?? logStart) : floor,
      );
    },
  };
};
