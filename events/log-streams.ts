// Stored for ever: names and members below are the storage format; versions are in upcasts.ts.
import { Type } from 'typebox';
import { id, instant } from '../kernel/schema-types.js';
import type { Noun } from './noun.js';
import type { EventOf } from './schemas.js';

export const logStreamEvents = {
  /** Stream `run-<run>`. */
  LogStreamCreated: Type.Object({
    run_id: id('RunId'),
    project_id: id('ProjectId'),
    organization_id: id('OrganizationId'),
    name: Type.String(),
    created_by: id('UserId'),
    created_at: instant,
  }),
  LogStreamRenamed: Type.Object({
    run_id: id('RunId'),
    project_id: id('ProjectId'),
    name: Type.String(),
  }),
  /** Tombstone: its records answer 404 from here on, and the worker erases them. */
  LogStreamDeleted: Type.Object({ run_id: id('RunId'), project_id: id('ProjectId') }),
};

export const logStreamNoun: Noun<typeof logStreamEvents> = {
  stream: { name: 'run-<run>', subject: 'own run', erasedWith: 'run' },
  events: logStreamEvents,
  activities: {
    LogStreamCreated: 'entity create',
    LogStreamRenamed: 'entity update',
    LogStreamDeleted: 'entity delete',
  },
};

export type LogStreamEvent = EventOf<typeof logStreamEvents>;
