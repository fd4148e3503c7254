import type { Clock, EventLog, Ids } from '../../kernel/ports.js';
import { loadStreamState, transact, type Authorship } from '../../kernel/transact.js';
import type { DataKeyId, Vault } from '../../kernel/vault.js';
import type { KeyedMutex } from '../../kernel/concurrency.js';
import {
  integrationPrefix,
  integrationSlots,
  integrationStream,
  type Integration,
} from '../facts/integrations.js';
import { reseal } from './integrations.js';
import { readSeal, sealContext } from '../facts/integration-secrets.js';
import { eraseSeal, writeSeal } from './secret-seals.js';
import { serviceAuthorship } from '../work/service-authorship.js';
import { streamNames } from '../work/stream-names.js';

/** Name of the key rotation command on the operators' listener. */
export const rotateCommand = 'rotate-keys';

type RotationNeeds = {
  readonly log: EventLog;
  readonly vault: Vault;
  readonly clock: Pick<Clock, 'now'>;
  readonly ids: Ids;
  readonly keyedMutex: KeyedMutex;
};
export type RotationResult = {
  readonly organizations: number;
  /** Integrations whose secrets are now under a new data key. */
  readonly resealed: number;
  /** Unused data keys that were destroyed. */
  readonly destroyed: number;
  /** Integrations whose secrets cannot be decrypted: their data key is lost. */
  readonly lost: number;
};

/**
 * Batch size: a batch shares the syncs of the log and is small enough not to delay other writes.
 */
const batchMax = 64;

/**
 * Key rotation: a new data key for each organisation that has integrations; their secrets are
 * sealed again and the old ciphertexts erased. A key that was just replaced stays until the next
 * rotation, because a request in flight may have sealed with it. Safe to run again after an
 * interruption.
 */
export const rotateKeys = async (needs: RotationNeeds): Promise<RotationResult> => {
  const { log, vault, clock, ids } = needs;
  const began = clock.now();
  const renewed = new Map<string, DataKeyId>();
  const used = new Map<string, Set<DataKeyId>>();
  const requestId = ids.next('RequestId');
  const cause: Authorship = {
    ...serviceAuthorship({ clock, ids }, null, requestId, requestId),
    at: began,
  };
  let resealed = 0;
  let lost = 0;
  const rotate = async (integration: Integration): Promise<void> => {
    const { organization_id: organization } = integration.place;
    const key = await resealIntegration(needs, integration, {
      ...cause,
      organizationId: organization,
    });
    if (key === 'lost') lost += 1;
    if (key === null || key === 'lost') return;
    used.set(organization, (used.get(organization) ?? new Set()).add(key));
    resealed += 1;
  };
  let batch: Integration[] = [];
  for await (const name of streamNames(log, integrationPrefix)) {
    const { state } = await loadStreamState(log, name, integrationSlots);
    if (state.integration === null) continue;
    const { organization_id: organization } = state.integration.place;
    if (!renewed.has(organization))
      renewed.set(organization, await vault.rotateDataKey(organization));
    if (batch.push(state.integration) < batchMax) continue;
    await Promise.all(batch.map(rotate));
    batch = [];
  }
  await Promise.all(batch.map(rotate));
  let destroyed = 0;
  for (const [organization, key] of renewed) {
    const keys = new Set([...(used.get(organization) ?? []), key]);
    destroyed += await vault.destroyUnused(organization, keys, began);
  }
  return { organizations: renewed.size, resealed, destroyed, lost };
};

/**
 * Seals the secrets again; returns the data key they are under now, or null when the integration is
 * gone.
 */
const resealIntegration = (
  needs: RotationNeeds,
  { place }: Integration,
  cause: Authorship,
): Promise<DataKeyId | 'lost' | null> => {
  const { log, vault, ids, keyedMutex } = needs;
  const stream = integrationStream(place.user_id, place.provider);
  return keyedMutex([stream], async () => {
    const { state: seen } = await loadStreamState(log, stream, integrationSlots);
    const { integration } = seen;
    if (integration === null) return null;
    const { integration_id: id } = integration.place;
    const old = await readSeal(log, id, integration.sealId);
    if (old === null) return null;
    // Secrets that cannot be decrypted must not keep the others from new keys.
    const text = await vault.open(sealContext(old, old.seal_version), old.sealed).catch(() => null);
    if (text === null) return 'lost';
    const seal = { seal_id: ids.next('SealId'), seal_version: integration.sealVersion + 1 };
    await writeSeal(needs, integration.place, seal, text, cause);
    const { state } = await transact(log, stream, integrationSlots, reseal(seen, seal), cause);
    const now = state.integration?.sealId;
    if (now === seal.seal_id) await eraseSeal(log, integration);
    const present = now === undefined ? null : await readSeal(log, id, now);
    return present?.sealed.data_key_id ?? null;
  });
};
