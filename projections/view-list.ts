import type { ViewFacts } from '../contract/views.js';
import { viewEvents, type ViewEvent } from '../events/views.js';
import { unreachable } from '../kernel/decision.js';
import type { StoredEvent } from '../kernel/ports.js';
import type { Projection } from './projection.js';

/** Saved views by id, in the scope of their project. */
export const viewList: Projection<typeof viewEvents, ViewFacts> = {
  collection: {
    name: 'view_list',
    version: 1,
    fields: { id: 'id', page: 'text', created_by: 'id', is_shared: 'boolean', created_at: 'date' },
  },
  deletedWith: { scope: 'project' },
  events: viewEvents,
  keys: ({ data }) => [data.view_id],
  evolve: (_document, { type, data }: StoredEvent<ViewEvent>) => {
    switch (type) {
      case 'ViewSaved': {
        const { project_id: scope, view_id: id, saved_at: updated_at, ...facts } = data;
        const { page, created_by, is_shared, created_at } = facts;
        return {
          key: id,
          scope,
          fields: { id, page, created_by, is_shared, created_at },
          body: { id, updated_at, ...facts },
        };
      }
      case 'ViewDeleted':
        return null;
      default:
        return unreachable(type);
    }
  },
};
