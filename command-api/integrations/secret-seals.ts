import type { Configuration } from '../../contract/integration-providers.js';
import type { IntegrationPlace, IntegrationSecretsSealed } from '../../events/integrations.js';
import { canonicalJson } from '../../kernel/canonical-json.js';
import { Fault } from '../../kernel/fault.js';
import type { EventLog } from '../../kernel/ports.js';
import type { IntegrationId, SealId } from '../../kernel/schema-types.js';
import { appendEvents, type Authorship } from '../../kernel/transact.js';
import type { SealContext, Vault } from '../../kernel/vault.js';
import { sealStream, type Integration } from '../facts/integrations.js';

type Seal = { readonly seal_id: SealId; readonly seal_version: number };

export const sealContext = (
  { organization_id, integration_id, provider }: IntegrationPlace,
  version: number,
): SealContext => ({
  organizationId: organization_id,
  integrationId: integration_id,
  provider,
  version,
});

/** Fingerprint of a configuration at its place, independent of the order of members. */
export const configurationFingerprint = (
  vault: Vault,
  { organization_id, user_id, provider }: Omit<IntegrationPlace, 'integration_id'>,
  configuration: Configuration,
) => vault.fingerprint(canonicalJson([organization_id, user_id, provider, configuration]));

/** Encrypts before any event exists, and records the ciphertext on a stream of its own. */
export const writeSeal = async (
  { log, vault }: { readonly log: EventLog; readonly vault: Vault },
  place: IntegrationPlace,
  seal: Seal,
  text: string,
  cause: Authorship,
): Promise<void> => {
  const sealed = await vault.seal(sealContext(place, seal.seal_version), text);
  const stream = sealStream(place.integration_id, seal.seal_id);
  const data: IntegrationSecretsSealed = { ...place, ...seal, sealed };
  const events = [{ type: 'IntegrationSecretsSealed', data }];
  const [result] = await appendEvents(log, [{ stream, events }], cause);
  if (result === undefined || result === 'conflict') {
    throw new Fault('conflict', 'The secrets could not be sealed; try again');
  }
};

export const readSeal = async (
  log: EventLog,
  integration: IntegrationId,
  seal: SealId,
): Promise<IntegrationSecretsSealed | null> => {
  const [first] = await log.read(sealStream(integration, seal), { limit: 1 });
  return first === undefined ? null : (first.data as IntegrationSecretsSealed);
};

/** Erases the ciphertext of a replaced or deleted integration. */
export const eraseSeal = async (log: EventLog, { place, sealId }: Integration): Promise<void> =>
  log.erase(sealStream(place.integration_id, sealId));
