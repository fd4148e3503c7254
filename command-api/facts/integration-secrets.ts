import type { IntegrationPlace, IntegrationSecretsSealed } from '../../events/integrations.js';
import { Fault } from '../../kernel/fault.js';
import { parseJsonText } from '../../kernel/json-text.js';
import type { OpenConfiguration } from '../../kernel/model-calls.js';
import type { EventReader } from '../../kernel/ports.js';
import type { IntegrationId, JsonObject, SealId } from '../../kernel/schema-types.js';
import type { SealContext, Vault } from '../../kernel/vault.js';
import { sealStream, type Integration } from './integrations.js';

export const sealContext = (
  { organization_id, integration_id, provider }: IntegrationPlace,
  version: number,
): SealContext => ({
  organizationId: organization_id,
  integrationId: integration_id,
  provider,
  version,
});

export const readSeal = async (
  log: EventReader,
  integration: IntegrationId,
  seal: SealId,
): Promise<IntegrationSecretsSealed | null> => {
  const [first] = await log.read(sealStream(integration, seal), { limit: 1 });
  return first === undefined ? null : (first.data as IntegrationSecretsSealed);
};

/**
 * Opens the secrets of an integration for one call. Throws Fault `unavailable` when they cannot be
 * decrypted, `not-found` when they were erased since.
 */
export const openConfiguration = async (
  { log, vault }: { readonly log: EventReader; readonly vault: Pick<Vault, 'open'> },
  { place, settings, sealId }: Integration,
): Promise<OpenConfiguration> => {
  const sealed = await readSeal(log, place.integration_id, sealId);
  if (sealed === null) throw new Fault('not-found', 'Integration not found');
  const text = await vault.open(sealContext(sealed, sealed.seal_version), sealed.sealed);
  return { settings, secrets: parseJsonText(text) as JsonObject };
};
