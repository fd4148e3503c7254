import type { IntegrationFacts } from '../../contract/integrations.js';
import type { Provider } from '../../contract/integration-providers.js';
import type {
  IntegrationConfigured,
  IntegrationEvent,
  IntegrationPlace,
} from '../../events/integrations.js';
import {
  reject,
  unreachable,
  type Decide,
  type Fold,
  type Rejection,
} from '../../kernel/decision.js';
import { streamNameOf, type StreamName } from '../../kernel/ports.js';
import { isIfMatchMet, type IfMatch } from '../../kernel/if-match.js';
import type { Instant, IntegrationId, SealId, UserId } from '../../kernel/schema-types.js';
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

type DecideIntegration = Decide<IntegrationSlot, IntegrationEvent>;

/**
 * True if the configuration is unchanged, so that there is nothing to seal (contract 4.9, rule 2).
 */
export const isConfigured = ({ integration }: IntegrationSlot, fingerprint: Fingerprint): boolean =>
  integration?.fingerprint === fingerprint;

/**
 * Configures or replaces the integration. `seen` is the slot for which the secrets were sealed: the
 * seal is bound to its version, so a changed slot needs another seal (optimistic concurrency).
 */
export const configure =
  (
    configured: IntegrationConfigured,
    seen: IntegrationSlot,
    ifMatch: IfMatch | null,
  ): DecideIntegration =>
  (slot) => {
    const unmet = complaintAbout(slot, ifMatch);
    if (unmet !== null) return unmet;
    if (isConfigured(slot, configured.fingerprint)) return [];
    if (slot.events !== seen.events) return reject('conflict', 'The integration was changed');
    return [{ type: 'IntegrationConfigured', data: configured }];
  };

export const remove =
  (ifMatch: IfMatch | null): DecideIntegration =>
  (slot) => {
    const unmet = complaintAbout(slot, ifMatch);
    if (unmet !== null) return unmet;
    const { integration } = slot;
    return integration === null ? [] : [{ type: 'IntegrationDeleted', data: integration.place }];
  };

export const select =
  (id: IntegrationId, ifMatch: IfMatch | null, at: Instant): DecideIntegration =>
  (slot) => {
    const { integration } = slot;
    if (integration?.place.integration_id !== id) return integrationNotFound();
    const unmet = complaintAbout(slot, ifMatch);
    if (unmet !== null) return unmet;
    return integration.selected
      ? []
      : [{ type: 'IntegrationSelected', data: { ...integration.place, at } }];
  };

export const disable =
  (disabled: boolean, at: Instant): DecideIntegration =>
  ({ integration }) => {
    if (integration === null) return integrationNotFound();
    if (integration.disabled === disabled) return [];
    const data = { ...integration.place, at };
    return [
      disabled ? { type: 'IntegrationDisabled', data } : { type: 'IntegrationEnabled', data },
    ];
  };

/** Replaces the seal of unchanged secrets; no effect when the slot changed since `seen`. */
export const reseal =
  (
    seen: IntegrationSlot,
    seal: { readonly seal_id: SealId; readonly seal_version: number },
  ): DecideIntegration =>
  ({ integration, events }) =>
    integration === null || integration.sealId === seal.seal_id || events !== seen.events
      ? []
      : [{ type: 'IntegrationResealed', data: { ...integration.place, ...seal } }];

const complaintAbout = (slot: IntegrationSlot, ifMatch: IfMatch | null): Rejection | null =>
  isIfMatchMet(ifMatch, slot.integration === null ? null : slot.tag)
    ? null
    : reject('precondition-failed', 'The integration was changed meanwhile');

export const integrationNotFound = (): Rejection => reject('not-found', 'Integration not found');

export const factsOf = ({ place, ...integration }: Integration): IntegrationFacts => ({
  id: place.integration_id,
  provider: place.provider,
  created_at: integration.createdAt,
  updated_at: integration.updatedAt,
  created_by: place.user_id,
  is_selected: integration.selected,
  is_disabled: integration.disabled,
});
