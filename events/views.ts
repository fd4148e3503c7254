// Stored for ever: names and members below are the storage format; versions are in upcasts.ts.
import { Type } from 'typebox';
import { id, instant } from '../kernel/schema-types.js';
import type { Noun } from './noun.js';
import { event, type DataOf, type EventOf } from './schemas.js';

export const viewEvents = {
  /**
   * Stream `views-<project>`: names and numbers are decided for all views of a project at once. The
   * view is whole in each event.
   */
  ViewSaved: event('entity update', {
    project_id: id('ProjectId'),
    view_id: id('ViewId'),
    /** Number of its saves, this one included. */
    version: Type.Integer(),
    name: Type.String(),
    page: Type.String(),
    state: Type.String(),
    is_shared: Type.Boolean(),
    created_by: id('UserId'),
    created_at: instant,
    saved_at: instant,
  }),
  ViewDeleted: event('entity delete', {
    project_id: id('ProjectId'),
    view_id: id('ViewId'),
  }),
};

export const viewNoun: Noun = {
  stream: { name: 'views-<project>', subject: 'project', erasedWith: 'project' },
  events: viewEvents,
};

export type ViewEvent = EventOf<typeof viewEvents>;

export type ViewSaved = DataOf<ViewEvent, 'ViewSaved'>;
