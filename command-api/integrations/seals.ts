import type { Configuration } from '../../contract/integration-providers.js';
import type { IntegrationPlace, IntegrationSecretsSealed } from '../../events/integrations.js';
import { Fault } from '../../kernel/fault.js';
import type { EventLog, StreamName } from '../../kernel/ports.js';
import type { IntegrationId, Json, SealId } from '../../kernel/shapes.js';
import { load, stamped, type Authorship } from '../../kernel/transact.js';
import type { SealedPlace, Vault } from '../../kernel/vault.js';
import { integrationStream, sealPrefix, sealStream, slots, type Slot } from './integrations.js';

/** Seals of one integration that a page of streams can hold: there are one or two. */
const sealsMax = 100;

export type Seal = { readonly seal_id: SealId; readonly seal_version: number };

export const sealedPlace = (
  { organization_id, integration_id, provider }: IntegrationPlace,
  version: number,
): SealedPlace => ({
  organizationId: organization_id,
  integrationId: integration_id,
  provider,
  version,
});

/** The same for the same configuration of the same integration's place, whatever its members' order. */
export const printOf = (
  vault: Vault,
  { organization_id, user_id, provider }: Omit<IntegrationPlace, 'integration_id'>,
  configuration: Configuration,
) => vault.fingerprint(canonical([organization_id, user_id, provider, configuration]));

const canonical = (value: Json): string =>
  JSON.stringify(value, (_, inner: Json) =>
    inner !== null && typeof inner === 'object' && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([one], [other]) => (one < other ? -1 : 1)))
      : inner,
  );

/** Encrypts before any event exists, and records the ciphertext on a stream of its own. */
export const writeSeal = async (
  { log, vault }: { readonly log: EventLog; readonly vault: Vault },
  place: IntegrationPlace,
  seal: Seal,
  text: string,
  cause: Authorship,
): Promise<void> => {
  const sealed = await vault.seal(sealedPlace(place, seal.seal_version), text);
  const stream = sealStream(place.integration_id, seal.seal_id);
  const data: IntegrationSecretsSealed = { ...place, ...seal, sealed };
  const events = stamped(stream, 0, [{ type: 'IntegrationSecretsSealed', data }], cause);
  const [result] = await log.append([{ stream, expected: 'none', events }]);
  if (result === undefined || result === 'conflict') {
    throw new Fault('conflict', 'The secrets could not be sealed; try again');
  }
};

export const readSeal = async (
  log: EventLog,
  integration: IntegrationId,
  seal: SealId,
): Promise<IntegrationSecretsSealed | null> => sealOn(log, sealStream(integration, seal));

const sealOn = async (
  log: EventLog,
  stream: StreamName,
): Promise<IntegrationSecretsSealed | null> => {
  const [first] = await log.read(stream);
  return first === undefined ? null : (first.data as IntegrationSecretsSealed);
};

/**
 * Erases the ciphertexts of an integration that its slot has no use for: all of them once it is
 * gone, else those before the present one. One with a later version is about to be used.
 */
export const eraseStaleSeals = async (
  log: EventLog,
  { integration_id: id, user_id: user, provider }: IntegrationPlace,
): Promise<void> => {
  const { state } = await load(log, integrationStream(user, provider), slots);
  const names = await log.streams(sealPrefix(id), null, sealsMax);
  const seals = await Promise.all(
    names.map(async (name) => ({ name, seal: await sealOn(log, name) })),
  );
  const stale = seals.filter(({ seal }) => seal !== null && isStale(state, seal));
  await Promise.all(stale.map(({ name }) => log.erase(name)));
};

const isStale = (
  { integration }: Slot,
  seal: Pick<IntegrationSecretsSealed, 'integration_id' | 'seal_version'>,
): boolean =>
  integration?.place.integration_id !== seal.integration_id ||
  seal.seal_version < integration.sealVersion;
