import type { IntegrationFacts } from '../../contract/integrations.js';
import { providers, type Provider } from '../../contract/integration-providers.js';
import type { IntegrationEvent, IntegrationPlace } from '../../events/integrations.js';
import { unreachable, type Fold } from '../../kernel/decision.js';
import { streamNameOf, type EventReader, type StreamName } from '../../kernel/ports.js';
import type {
  Instant,
  IntegrationId,
  JsonObject,
  SealId,
  UserId,
} from '../../kernel/schema-types.js';
import { loadStreamState } from '../../kernel/transact.js';
import type { Fingerprint } from '../../kernel/vault.js';

export const integrationPrefix = 'integration-';
export const integrationStream = (user: UserId, provider: Provider): StreamName =>
  streamNameOf('integration', user, provider);
/** Stream with the ciphertext of one seal, so that it can be erased by itself. */
export const sealStream = (integration: IntegrationId, seal: SealId): StreamName =>
  streamNameOf('sealed-integration', integration, seal);
export const sealPrefix = 'sealed-integration-';

/** State of a user's integration with one provider. */
export type Integration = {
  readonly place: IntegrationPlace;
  /** Members that are not secret, as they were sent. */
  readonly settings: JsonObject;
  readonly fingerprint: Fingerprint;
  readonly sealId: SealId;
  /** Version of its last seal, from 1. */
  readonly sealVersion: number;
  readonly selected: boolean;
  readonly disabled: boolean;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
};
export type IntegrationSlot = {
  /** The integration; null: not configured. */
  readonly integration: Integration | null;
  /** Number of events on the stream. */
  readonly events: number;
  /** ETag: number of events at the last change by its owner. */
  readonly tag: string;
};

export const integrationSlots: Fold<IntegrationSlot, IntegrationEvent> = {
  initial: { integration: null, events: 0, tag: '0' },
  evolve: (slot, event) => {
    const events = slot.events + 1;
    const tag = event.type === 'IntegrationResealed' ? slot.tag : String(events);
    return { integration: integrationAfter(slot.integration, event), events, tag };
  },
};

const integrationAfter = (
  before: Integration | null,
  event: IntegrationEvent,
): Integration | null => {
  const { type, data } = event;
  switch (type) {
    case 'IntegrationConfigured': {
      const { integration_id, organization_id, user_id, provider } = data;
      const kept = before?.place.integration_id === integration_id ? before : null;
      return {
        place: { integration_id, organization_id, user_id, provider },
        settings: data.settings,
        fingerprint: data.fingerprint,
        sealId: data.seal_id,
        sealVersion: data.seal_version,
        // One integration per user and provider, so it is always the first (contract 4.9).
        selected: kept?.selected ?? true,
        disabled: kept?.disabled ?? false,
        createdAt: kept?.createdAt ?? data.at,
        updatedAt: data.at,
      };
    }
    case 'IntegrationResealed':
      return before && { ...before, sealId: data.seal_id, sealVersion: data.seal_version };
    case 'IntegrationSelected':
      return before && { ...before, selected: true, updatedAt: data.at };
    case 'IntegrationDisabled':
      return before && { ...before, disabled: true, updatedAt: data.at };
    case 'IntegrationEnabled':
      return before && { ...before, disabled: false, updatedAt: data.at };
    case 'IntegrationDeleted':
      return null;
    default:
      return unreachable(type);
  }
};

export const integrationFacts = ({ place, ...integration }: Integration): IntegrationFacts => ({
  id: place.integration_id,
  provider: place.provider,
  created_at: integration.createdAt,
  updated_at: integration.updatedAt,
  created_by: place.user_id,
  is_selected: integration.selected,
  is_disabled: integration.disabled,
});

/** The user's integration with this id; null when there is none. */
export const integrationOfUser = async (
  log: EventReader,
  user: UserId,
  id: IntegrationId,
): Promise<Integration | null> => {
  const slots = await Promise.all(
    providers.map((provider) =>
      loadStreamState(log, integrationStream(user, provider), integrationSlots),
    ),
  );
  const found = slots.find(({ state }) => state.integration?.place.integration_id === id);
  return found?.state.integration ?? null;
};
