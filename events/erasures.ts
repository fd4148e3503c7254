// Stored for ever: names, members and versions below are the storage format.
import { Type, type Static } from 'typebox';
import { id, oneOf } from '../kernel/shapes.js';

/**
 * Stream `erasure-<run, project or deletion>`. Nothing of what was deleted is left in the log but the facts
 * of its deletion.
 */
export const erasureCompleted = Type.Object({
  deleted: oneOf(['run', 'project', 'records']),
  deleted_id: Type.Unsafe<string>(Type.String({ format: 'uuid' })),
  project_id: id('ProjectId'),
  /** Streams that were erased after the last start of the worker: more may have been before. */
  streams: Type.Integer(),
});

export type ErasureEvent = {
  readonly type: 'ErasureCompleted';
  readonly data: Static<typeof erasureCompleted>;
};
