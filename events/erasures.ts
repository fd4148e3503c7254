// Stored for ever: names and members below are the storage format; versions are in upcasts.ts.
import { Type } from 'typebox';
import { id, instant, nullable, oneOf } from '../kernel/schema-types.js';
import { sealNoun } from './seals.js';
import type { Noun } from './noun.js';
import { event, type DataOf, type EventOf } from './schemas.js';

const uuid = Type.Unsafe<string>(Type.String({ format: 'uuid' }));

export const erasureEvents = {
  /**
   * Stream `erasure-<run or project>`, before the first content is erased. In the end it is all
   * that is left of the deleted run or project and of its deletion, whose own event is erased too.
   * A replay of the log deletes its content here.
   */
  ErasureBegun: event('entity update', {
    deleted: oneOf(['run', 'project']),
    deleted_id: uuid,
    project_id: id('ProjectId'),
    /** Null, like creator and time, if its first event was already erased. */
    organization_id: nullable(id('OrganizationId')),
    created_by: nullable(id('UserId')),
    created_at: nullable(instant),
    /** Envelope of the event that deleted it. */
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
   * Stream `erasure-<run or project>`, before these streams are erased, once or more often. Without
   * it, missing content could have been removed by the log's operator. Records deleted by
   * themselves are named by `RecordsErased`, rows of datasets by `DatasetRowsErased`. `earlier`,
   * stream `erasure-earlier-<project>`: traces and sessions of the project that were erased before
   * this event existed.
   */
  StreamsErased: event('entity delete', {
    deleted: oneOf(['run', 'project', 'earlier']),
    deleted_id: uuid,
    project_id: id('ProjectId'),
    /** At most 1,000. */
    streams: Type.Array(Type.String()),
  }),
  /**
   * Stream `erasure-<run, project or deletion>`. Only the facts of the deletion are left in the
   * log. For a run or a project it follows `ErasureBegun`: without that, only records were erased.
   */
  ErasureCompleted: event('entity update', {
    deleted: oneOf(['run', 'project', 'records']),
    deleted_id: uuid,
    project_id: id('ProjectId'),
    /** Streams erased since the last start of the worker; earlier ones are not counted. */
    streams: Type.Integer(),
  }),
};

const earlierErasureEvents = {
  /**
   * Stream `seals-system-erasures`, once, after the `StreamsErased` of all earlier erasures:
   * content that is missing without an erasure event from here on was removed.
   */
  EarlierErasuresNamed: event('entity update', { streams: Type.Integer() }),
};

export const erasureNoun: Noun = {
  stream: { name: 'erasure-<deleted>', subject: 'erasure', erasedWith: 'nothing' },
  events: erasureEvents,
};

export const earlierErasureNoun: Noun = {
  stream: sealNoun.stream,
  events: earlierErasureEvents,
};

export type ErasureEvent = EventOf<typeof erasureEvents>;
export type EarlierErasureEvent = EventOf<typeof earlierErasureEvents>;

export type ErasureBegun = DataOf<ErasureEvent, 'ErasureBegun'>;
