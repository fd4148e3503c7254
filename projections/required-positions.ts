import { boundedMap } from '../kernel/bounded-map.js';
import { recordStreamProject } from '../kernel/backpressured-log.js';
import { laterPosition, logStart, type Position, type StreamAppend } from '../kernel/ports.js';
import { tombstoneTypes } from './tombstones.js';
import { subscribedTypes, type AnyProjection } from './documents-model.js';
import { recordsCollection } from './records/collection.js';

/**
 * Positions a read model has to reach for reads of one project, in a process that makes every
 * append: a read need not wait for events that change nothing of what it reads (contract 1.7).
 */
export type RequiredPositions = {
  /** Records durable events, the last of them at `position`. */
  readonly recordAppend: (
    appended: Pick<StreamAppend, 'stream' | 'events'>,
    position: Position,
  ) => void;
  /** The last recorded position. */
  readonly head: () => Position;
  /**
   * Position by which the read model has folded every recorded event that it subscribes to; records
   * of other projects than `project` may be missing.
   */
  readonly positionFor: (model: string, project: string | null) => Position;
};

/** Event types outside a project's record streams that change its records. */
const recordTypes: readonly string[] = [...tombstoneTypes, 'RecordsErased', 'OrgJobCompleted'];
/** Number of projects whose last record position is kept, some 200 bytes each. */
const projectsMax = 20_000;

/** `head`: head of the log before anything is recorded. */
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
  // Upper bound for projects that were evicted.
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
