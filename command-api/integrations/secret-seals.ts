import type { Configuration } from '../../contract/integration-providers.js';
import type { IntegrationPlace, IntegrationSecretsSealed } from '../../events/integrations.js';
import { canonicalJson } from '../../kernel/canonical-json.js';
import { Fault } from '../../kernel/fault.js';
import type { EventLog } from '../../kernel/ports.js';
import type { SealId } from '../../kernel/schema-types.js';
import { appendEvents, type Authorship } from '../../kernel/transact.js';
import type { Vault } from '../../kernel/vault.js';
import { sealContext } from '../facts/integration-secrets.js';
import { sealStream, type Integration } from '../facts/integrations.js';

type Seal = { readonly seal_id: SealId; readonly seal_version: number };

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

/** Erases the ciphertext of a replaced or deleted integration. */
export const eraseSeal = async (log: EventLog, { place, sealId }: Integration): Promise<void> =>
  log.erase(sealStream(place.integration_id, sealId));
