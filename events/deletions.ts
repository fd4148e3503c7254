// Stored for ever: names and members below are the storage format; versions are in upcasts.ts.
import { Type } from 'typebox';
import { id, nullable } from '../kernel/schema-types.js';
import type { DataOf, EventOf } from './schemas.js';

export const deletionEvents = {
  /**
   * Stream `deletion-<deletion>`, its first event: these records will be deleted, whatever becomes
   * of the request or job that asked for it. A session is named with all its traces.
   */
  RecordsDeleted: Type.Object({
    deletion_id: id('DeletionId'),
    project_id: id('ProjectId'),
    /** The org job whose step it is, else null. */
    job_id: nullable(id('OrgJobId')),
    session_ids: Type.Array(id('SessionId')),
    trace_ids: Type.Array(id('TraceId')),
    /** How many all these traces have together. */
    spans: Type.Integer(),
  }),
  /**
   * The second event of the stream, before the first content is erased: a replay of the log during
   * the erasure takes these records away here.
   */
  RecordsErased: Type.Object({
    deletion_id: id('DeletionId'),
    project_id: id('ProjectId'),
    session_ids: Type.Array(id('SessionId')),
    trace_ids: Type.Array(id('TraceId')),
  }),
};

export type DeletionEvent = EventOf<typeof deletionEvents>;

export type RecordsDeleted = DataOf<DeletionEvent, 'RecordsDeleted'>;
