import type { ErasureEvent } from '../events/erasures.js';
import type { ExperimentEvent } from '../events/experiments.js';
import type { LogStreamEvent } from '../events/log-streams.js';
import type { ProjectEvent } from '../events/projects.js';
import type { StoredEvent } from '../kernel/ports.js';

/** Tombstone: a run or a project whose content must not be read any more. */
export type Tombstone = { readonly kind: 'run' | 'project'; readonly id: string };

/**
 * The tombstone that the event sets. Deletions set one, and so do erasures, since the deletion
 * event itself may be erased. Null: none.
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

/** Types of the events that may set a tombstone. */
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
