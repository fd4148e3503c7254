import type { ErasureEvent } from '../events/erasures.js';
import type { ExperimentEvent } from '../events/experiments.js';
import type { LogStreamEvent } from '../events/log-streams.js';
import type { ProjectEvent } from '../events/projects.js';
import type { StoredEvent } from '../kernel/ports.js';

/** A run or a project whose content must not be read any more. */
export type Tombstone = { readonly kind: 'run' | 'project'; readonly id: string };

/**
 * What the event ends. A deletion ends something, and so does an erasure, which may be all that a
 * reader finds of it. Null: nothing ends.
 */
export const tombstoneOf = (event: StoredEvent): Tombstone | null => {
  const { type, data } = event as unknown as TombstoneEvent | OtherEvent;
  switch (type) {
    case 'LogStreamDeleted':
    case 'ExperimentDeleted':
      return { kind: 'run', id: data.run_id };
    case 'ProjectDeleted':
      return { kind: 'project', id: data.project_id };
    case 'ErasureBegun':
    case 'ErasureCompleted':
      return data.deleted === 'records' ? null : { kind: data.deleted, id: data.deleted_id };
    case 'any other':
    default:
      return null;
  }
};

/** Types of the events that may end something. */
export const tombstoneTypes = [
  'LogStreamDeleted',
  'ExperimentDeleted',
  'ProjectDeleted',
  'ErasureBegun',
  'ErasureCompleted',
] as const;

type OtherEvent = { readonly type: 'any other'; readonly data: unknown };
type TombstoneEvent = Extract<
  LogStreamEvent | ExperimentEvent | ProjectEvent | ErasureEvent,
  { readonly type: (typeof tombstoneTypes)[number] }
>;
