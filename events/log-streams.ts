// Stored for ever: names and members below are the storage format; versions are in upcasts.ts.
import { Type } from 'typebox';
import { id, instant } from '../kernel/schema-types.js';
import type { Noun } from './noun.js';
import { event, type DataOf, type EventOf } from './schemas.js';

export const logStreamEvents = {
  LogStreamCreated: event('entity create', {
    run_id: id('RunId'),
    project_id: id('ProjectId'),
    organization_id: id('OrganizationId'),
    name: Type.String(),
    created_by: id('UserId'),
    created_at: instant,
  }),
  LogStreamRenamed: event('entity update', {
    run_id: id('RunId'),
    project_id: id('ProjectId'),
    name: Type.String(),
  }),
  /** Tombstone: its records answer 404 from here on, and the worker erases them. */
  LogStreamDeleted: event('entity delete', { run_id: id('RunId'), project_id: id('ProjectId') }),
};

export const logStreamNoun: Noun = {
  stream: { name: 'run-<run>', subject: 'own run', erasedWith: 'run' },
  events: logStreamEvents,
};

export type LogStreamEvent = EventOf<typeof logStreamEvents>;
export type LogStreamCreated = DataOf<LogStreamEvent, 'LogStreamCreated'>;
