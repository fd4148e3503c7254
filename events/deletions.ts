// Stored for ever: names and members below are the storage format; versions are in upcasts.ts.
import { Type } from 'typebox';
import { id, nullable } from '../kernel/schema-types.js';
import type { Noun } from './noun.js';
import { event, type DataOf, type EventOf } from './schemas.js';

export const deletionEvents = {
  /**
   * Stream `deletion-<deletion>`, its first event: these records will be deleted, even if the
   * request or job fails. A session is named with all its traces.
   */
  RecordsDeleted: event('entity delete', {
    deletion_id: id('DeletionId'),
    project_id: id('ProjectId'),
    /** Org job that this is a step of, else null. */
    job_id: nullable(id('OrgJobId')),
    session_ids: Type.Array(id('SessionId')),
    trace_ids: Type.Array(id('TraceId')),
    /** Number of spans of all these traces. */
    spans: Type.Integer(),
  }),
  /**
   * Second event of the stream, before the first content is erased: a replay of the log during the
   * erasure deletes these records here.
   */
  RecordsErased: event('entity delete', {
    deletion_id: id('DeletionId'),
    project_id: id('ProjectId'),
    session_ids: Type.Array(id('SessionId')),
    trace_ids: Type.Array(id('TraceId')),
  }),
};

export const deletionNoun: Noun = {
  stream: { name: 'deletion-<deletion>', subject: 'deletion', erasedWith: 'nothing' },
  events: deletionEvents,
};

export type DeletionEvent = EventOf<typeof deletionEvents>;

export type RecordsDeleted = DataOf<DeletionEvent, 'RecordsDeleted'>;
