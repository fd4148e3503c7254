import type { Descriptions } from './descriptions.js';

/** Saved views (contract 5.16). */
export const viewDescriptions: Descriptions = {
  members: {
    is_shared: 'True shows the view to every reader of the project, false to its creator only.',
  },
  of: [
    {
      components: 'SavedView',
      members: {
        id: 'Id of the view.',
        name: 'Name of the view, unique among those of its page that are shared, or private.',
        page: 'Name of the page that it is a view of.',
        state: 'Text from which the page restores the view; the service does not read it.',
        created_by: 'Id of the user who saved it first.',
        created_at: 'Time when it was saved first.',
        updated_at: 'Time when it was saved last.',
      },
    },
    {
      components: 'CreateView',
      members: {
        name: 'Name of the view, 1 to 255 characters.',
        page: 'Name of the page that it is a view of, 1 to 64 characters.',
        state: 'Text from which the page restores the view, at most 4,096 characters.',
      },
    },
    {
      components: 'ChangeView',
      members: {
        name: 'Name of the view, 1 to 255 characters; null: unchanged.',
        state: 'Text from which the page restores the view; null: unchanged.',
        is_shared: 'True shares the view, false makes it private; null: unchanged.',
      },
    },
  ],
};
