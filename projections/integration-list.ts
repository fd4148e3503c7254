import type { IntegrationFacts } from '../contract/integrations.js';
import { integrationEvents, type IntegrationEvent } from '../events/integrations.js';
import { omitEvents } from '../events/schemas.js';
import { unreachable } from '../kernel/decision.js';
import type { StoredEvent } from '../kernel/ports.js';
import type { Document } from '../kernel/documents.js';
import type { Projection } from './projection.js';

/** `tag`: entity tag, as the command side computes it. Contains no configuration, sealed or not. */
export type ListedIntegration = { readonly facts: IntegrationFacts; readonly tag: string };

export const integrationKey = (user: string, provider: string): string => `${user}/${provider}`;

const events = omitEvents(integrationEvents, 'IntegrationResealed');

/** Live integrations by user and provider, in the scope of their organisation. */
export const integrationList: Projection<typeof events, ListedIntegration> = {
  collection: {
    name: 'integration_list',
    version: 1,
    fields: { id: 'id', name: 'text', created_by: 'id', created_at: 'date' },
  },
  events,
  keys: ({ data }) => [integrationKey(data.user_id, data.provider)],
  evolve: (document, event) => {
    const facts = factsAfter(document?.body.facts ?? null, event);
    return facts === null
      ? null
      : documentOf(event.data.organization_id, { facts, tag: String(event.revision + 1) });
  },
};

const factsAfter = (
  before: IntegrationFacts | null,
  event: StoredEvent<IntegrationEvent>,
): IntegrationFacts | null => {
  switch (event.type) {
    case 'IntegrationConfigured': {
      const { integration_id: id, provider, user_id: created_by, at: updated_at } = event.data;
      const kept = before?.id === id ? before : null;
      return {
        id,
        provider,
        created_at: kept?.created_at ?? updated_at,
        updated_at,
        created_by,
        is_selected: kept?.is_selected ?? true,
        is_disabled: kept?.is_disabled ?? false,
      };
    }
    case 'IntegrationSelected':
      return before && { ...before, is_selected: true, updated_at: event.data.at };
    case 'IntegrationDisabled':
      return before && { ...before, is_disabled: true, updated_at: event.data.at };
    case 'IntegrationEnabled':
      return before && { ...before, is_disabled: false, updated_at: event.data.at };
    case 'IntegrationResealed':
      return before;
    case 'IntegrationDeleted':
      return null;
    default:
      return unreachable(event);
  }
};

const documentOf = (
  organization: string,
  entry: ListedIntegration,
): Document<ListedIntegration> => ({
  key: integrationKey(entry.facts.created_by, entry.facts.provider),
  scope: organization,
  fields: {
    id: entry.facts.id,
    name: entry.facts.provider,
    created_by: entry.facts.created_by,
    created_at: entry.facts.created_at,
  },
  body: entry,
});
