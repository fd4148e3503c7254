import type { IntegrationSecretsSealed } from '../../events/integrations.js';
import type { Clock, EventLog, Ids, StreamName } from '../../kernel/ports.js';
import { loadStreamState, transact } from '../../kernel/transact.js';
import { users, userStream } from '../facts/users.js';
import { integrationSlots, integrationStream, sealPrefix } from '../facts/integrations.js';
import { remove } from './integrations.js';
import { reactionAuthorship } from '../work/service-authorship.js';
import { streamNames } from '../work/stream-names.js';
import { startWorker, type Worker } from '../work/polling-loop.js';

type SealSweepNeeds = {
  readonly log: EventLog;
  readonly clock: Clock;
  readonly ids: Pick<Ids, 'derive'>;
  /** Reports a failed sweep; the next one retries. */
  readonly onError: (error: unknown) => void;
};

/**
 * Interval of the sweep. Ciphertexts are few, one per integration, so that visiting all of them is
 * cheap.
 */
const restMs = 600_000;
/** Longer than a request can last: a younger ciphertext may be about to be used. */
const youngSeconds = 60;

/**
 * Starts a sweep, now and every ten minutes until `stop`, that erases orphaned ciphertexts:
 * replaced, deleted, never used, or of removed users.
 */
export const startSealSweepWorker = (needs: SealSweepNeeds): Worker =>
  startWorker({ ...needs, restMs }, async (signal) => {
    await sweepUnusedSeals(needs, signal);
    return false;
  });

/** Sweeps all ciphertexts once; returns how many were erased. */
export const sweepUnusedSeals = async (
  needs: Omit<SealSweepNeeds, 'onError'>,
  signal: AbortSignal = new AbortController().signal,
): Promise<number> => {
  let erased = 0;
  for await (const name of streamNames(needs.log, sealPrefix)) {
    if (signal.aborted) break;
    if (await sweepStream(needs, name)) erased += 1;
  }
  return erased;
};

const sweepStream = async (
  { log, clock, ids }: Omit<SealSweepNeeds, 'onError'>,
  name: StreamName,
): Promise<boolean> => {
  const [first] = await log.read(name, { limit: 1 });
  if (first === undefined) return false;
  const age = Date.parse(clock.now()) - Date.parse(first.metadata.at);
  if (age < youngSeconds * 1_000) return false;
  const seal = first.data as IntegrationSecretsSealed;
  const stream = integrationStream(seal.user_id, seal.provider);
  const { state: user } = await loadStreamState(log, userStream(seal.user_id), users);
  if (user?.live === false) {
    await transact(
      log,
      stream,
      integrationSlots,
      remove(null),
      reactionAuthorship({ clock, ids }, first),
    );
  }
  const { state } = await loadStreamState(log, stream, integrationSlots);
  if (state.integration?.sealId === seal.seal_id) return false;
  await log.erase(name);
  return true;
};
