import type { IntegrationConfigured, IntegrationEvent } from '../../events/integrations.js';
import { reject, type Decide, type Rejection } from '../../kernel/decision.js';
import { isIfMatchMet, type IfMatch } from '../../kernel/if-match.js';
import type { Instant, IntegrationId, SealId } from '../../kernel/schema-types.js';
import type { Fingerprint } from '../../kernel/vault.js';
import type { IntegrationSlot } from '../facts/integrations.js';

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
