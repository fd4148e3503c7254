import {
  noModelAccess,
  withLending,
  withoutLending,
  type ModelAccess,
} from '../../contract/model-access.js';
import type { ModelAccessEvent } from '../../events/model-access.js';
import { unreachable, type Fold } from '../../kernel/decision.js';
import { streamNameOf, type StreamName } from '../../kernel/ports.js';

export const modelAccessPrefix = 'model-access-';
export const modelAccessStream = (project: string): StreamName =>
  streamNameOf('model-access', project);

export const modelAccesses: Fold<ModelAccess, ModelAccessEvent> = {
  initial: noModelAccess,
  evolve: (access, { type, data }) => {
    const { lendings, settings } = access;
    const changes = access.changes + 1;
    switch (type) {
      case 'IntegrationLent': {
        const { project_id: _, ...lending } = data;
        return { lendings: withLending(lendings, lending), settings, changes };
      }
      case 'IntegrationLendingEnded':
        return { lendings: withoutLending(lendings, data.integration_id), settings, changes };
      case 'ModelAccessSet': {
        const { project_id: _, ...set } = data;
        return { lendings, settings: set, changes };
      }
      default:
        return unreachable(type);
    }
  },
};
