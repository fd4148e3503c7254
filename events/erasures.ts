// Stored for ever: names and members below are the storage format; versions are in upcasts.ts.
import { Type } from 'typebox';
import { id, instant, nullable, oneOf } from '../kernel/shapes.js';
import type { DataOf, EventOf } from './schemas.js';

const uuid = Type.Unsafe<string>(Type.String({ format: 'uuid' }));

export const erasureEvents = {
  /**
   * Stream `erasure-<run or project>`, before the first content goes: all that is left in the end
   * of what was deleted, and of its deletion, whose own event goes too. Whoever replays the log
   * takes away here what was in it.
   */
  ErasureBegun: Type.Object({
    deleted: oneOf(['run', 'project']),
    deleted_id: uuid,
    project_id: id('ProjectId'),
    /** Null, like who made it and when: its first event was not there any more. */
    organization_id: nullable(id('OrganizationId')),
    created_by: nullable(id('UserId')),
    created_at: nullable(instant),
    /** The envelope of the event that deleted it. */
    deletion: Type.Object({
      event_id: uuid,
      event_type: oneOf(['LogStreamDeleted', 'ExperimentDeleted', 'ProjectDeleted']),
      actor: Type.Object({
        type: oneOf(['user', 'api_key', 'service']),
        id: Type.String(),
        role: Type.String(),
      }),
      request_id: Type.String(),
      correlation_id: Type.String(),
      at: instant,
    }),
  }),
  /**
   * Stream `erasure-<run, project or deletion>`. Nothing of what was deleted is left in the log but
   * the facts of its deletion. Of a run or a project only after `ErasureBegun`: without it, records
   * alone were erased.
   */
  ErasureCompleted: Type.Object({
    deleted: oneOf(['run', 'project', 'records']),
    deleted_id: uuid,
    project_id: id('ProjectId'),
    /** Streams that were erased after the last start of the worker: more may have been before. */
    streams: Type.Integer(),
  }),
};

export type ErasureEvent = EventOf<typeof erasureEvents>;

export type ErasureBegun = DataOf<ErasureEvent, 'ErasureBegun'>;
