// Stored for ever: names, members and versions below are the storage format.
import { Type, type Static } from 'typebox';
import { id, nullable } from '../kernel/shapes.js';

/**
 * Stream `deletion-<deletion>`, its first event: these records are to go, whatever becomes of the
 * request or job that said so. A session is named with all its traces.
 */
export const recordsDeleted = Type.Object({
  deletion_id: id('DeletionId'),
  project_id: id('ProjectId'),
  /** The org job whose step it is, else null. */
  job_id: nullable(id('OrgJobId')),
  session_ids: Type.Array(id('SessionId')),
  trace_ids: Type.Array(id('TraceId')),
  /** Of these traces, all together. */
  spans: Type.Integer(),
});
/**
 * The second event of the stream, before the first content is erased: whoever replays the log while
 * that happens takes these records away here.
 */
export const recordsErased = Type.Object({
  deletion_id: id('DeletionId'),
  project_id: id('ProjectId'),
  session_ids: Type.Array(id('SessionId')),
  trace_ids: Type.Array(id('TraceId')),
});

export type RecordsDeleted = Static<typeof recordsDeleted>;
export type DeletionEvent =
  | { readonly type: 'RecordsDeleted'; readonly data: RecordsDeleted }
  | { readonly type: 'RecordsErased'; readonly data: Static<typeof recordsErased> };
