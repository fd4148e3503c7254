import {
  noModelAccess,
  withLending,
  withoutLending,
  type ModelAccess,
} from '../contract/model-access.js';
import { modelAccessEvents, type ModelAccessEvent } from '../events/model-access.js';
import { unreachable } from '../kernel/decision.js';
import type { StoredEvent } from '../kernel/ports.js';
import type { Projection } from './projection.js';

/** Integrations that are lent to a project, and its settings of models; by project. */
export const modelAccess: Projection<typeof modelAccessEvents, ModelAccess> = {
  collection: { name: 'model_access', version: 1, fields: {} },
  deletedWith: { scope: 'project' },
  projectState: {
    member: 'model_access',
    // By provider, so that changed limits are changed members and not a new list.
    show: (access) =>
      access && {
        ...access.settings,
        integrations: Object.fromEntries(
          access.lendings.map(({ provider, ...lending }) => [provider, lending]),
        ),
      },
  },
  events: modelAccessEvents,
  keys: ({ data }) => [data.project_id],
  evolve: (document, event, key) => ({
    key,
    scope: key,
    fields: {},
    body: { ...accessAfter(document?.body ?? noModelAccess, event), changes: event.revision + 1 },
  }),
};

const accessAfter = (
  access: ModelAccess,
  { type, data }: StoredEvent<ModelAccessEvent>,
): ModelAccess => {
  switch (type) {
    case 'IntegrationLent': {
      const { project_id: _, ...lending } = data;
      return { ...access, lendings: withLending(access.lendings, lending) };
    }
    case 'IntegrationLendingEnded':
      return { ...access, lendings: withoutLending(access.lendings, data.integration_id) };
    case 'ModelAccessSet': {
      const { project_id: _, ...settings } = data;
      return { ...access, settings };
    }
    default:
      return unreachable(type);
  }
};
