import type { ViewFacts } from '../../contract/views.js';
import type { ViewEvent } from '../../events/views.js';
import { unreachable, type Fold } from '../../kernel/decision.js';
import { streamNameOf, type StreamName } from '../../kernel/ports.js';

/** Noun of the streams of saved views. */
export const viewsNoun = 'views';
export const viewsStream = (project: string): StreamName => streamNameOf(viewsNoun, project);

/** The saved views of a project in the order of their first save. */
export type SavedViews = readonly ViewFacts[];

export const savedViews: Fold<SavedViews, ViewEvent> = {
  initial: [],
  evolve: (views, { type, data }) => {
    switch (type) {
      case 'ViewSaved': {
        const { project_id: _, view_id: id, saved_at: updated_at, ...facts } = data;
        const saved = { id, updated_at, ...facts };
        return views.some((view) => view.id === id)
          ? views.map((view) => (view.id === id ? saved : view))
          : [...views, saved];
      }
      case 'ViewDeleted':
        return views.filter(({ id }) => id !== data.view_id);
      default:
        return unreachable(type);
    }
  },
};
