import type { Clock, EventLog, Ids } from '../../kernel/ports.js';
import { loadStreamState, transact, type Authorship } from '../../kernel/transact.js';
import type { DataKeyId, Vault } from '../../kernel/vault.js';
import type { KeyedMutex } from '../../kernel/concurrency.js';
import {
  integrationPrefix,
  integrationStream,
  reseal,
  integrationSlots,
  type Integration,
} from './integrations.js';
import { eraseSeal, readSeal, sealContext, writeSeal } from './secret-seals.js';
import { serviceAuthorship } from '../work/service-authorship.js';
import { streamNames } from '../work/stream-names.js';

/** The operators' listener takes the rotation by this name. */
export const rotateCommand = 'rotate-keys';

type RotationNeeds = {
  readonly log: EventLog;
  readonly vault: Vault;
  readonly clock: Pick<Clock, 'now'>;
  readonly ids: Ids;
  readonly inTurn: KeyedMutex;
};
export type RotationResult = {
  readonly organizations: number;
  /** Integrations whose secrets are under a new data key now. */
  readonly resealed: number;
  /** Data keys that nothing needs any more, and that are gone. */
  readonly destroyed: number;
  /** Integrations whose secrets nobody can open: their data key is lost. */
  readonly lost: number;
};

/** Sealed anew together, so that they share the syncs of the log; few enough to let others in. */
const batchMax = 64;

/**
 * A new data key for each organisation that has integrations; what the old ones sealed is sealed
 * anew and its old ciphertext erased. A key that was replaced just now stays until the next
 * rotation, because a request under way may have sealed with it. Interrupted, it is run again.
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
  const rotated = async (integration: Integration): Promise<void> => {
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
  let some: Integration[] = [];
  for await (const name of streamNames(log, integrationPrefix)) {
    const { state } = await loadStreamState(log, name, integrationSlots);
    if (state.integration === null) continue;
    const { organization_id: organization } = state.integration.place;
    if (!renewed.has(organization))
      renewed.set(organization, await vault.rotateDataKey(organization));
    if (some.push(state.integration) < batchMax) continue;
    await Promise.all(some.map(rotated));
    some = [];
  }
  await Promise.all(some.map(rotated));
  let destroyed = 0;
  for (const [organization, key] of renewed) {
    const keys = new Set([...(used.get(organization) ?? []), key]);
    destroyed += await vault.destroyUnused(organization, keys, began);
  }
  return { organizations: renewed.size, resealed, destroyed, lost };
};

/** The data key that its secrets are under now; null when it is gone meanwhile. */
const resealIntegration = (
  needs: RotationNeeds,
  { place }: Integration,
  cause: Authorship,
): Promise<DataKeyId | 'lost' | null> => {
  const { log, vault, ids, inTurn } = needs;
  const stream = integrationStream(place.user_id, place.provider);
  return inTurn([stream], async () => {
    const { state: seen } = await loadStreamState(log, stream, integrationSlots);
    const { integration } = seen;
    if (integration === null) return null;
    const { integration_id: id } = integration.place;
    const old = await readSeal(log, id, integration.sealId);
    if (old === null) return null;
    // One that cannot be opened must not keep the others from new keys.
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
