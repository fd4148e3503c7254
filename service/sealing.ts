import { join } from 'node:path';
import type { SealRefusal } from '../command-api/seals/sealing.js';
import { startSealing, type StartNeeds } from '../command-api/seals/worker.js';
import type { Freshness } from '../contract/gate.js';
import { sha256 } from '../engines/node/digest.js';
import { diskFiles } from '../engines/node/files.js';
import { witnessedKey } from '../engines/node/seal-keys.js';
import { sealWitness, witnessAddress } from '../engines/node/seal-witnesses.js';
import type { Secrets } from '../engines/node/secrets.js';
import type { Logger } from '../engines/pino/logger.js';
import type { Metrics } from '../engines/prometheus/metrics.js';
import { Fault, reasonOf } from '../kernel/fault.js';
import type { SealingKey } from '../kernel/history/checkpoint.js';
import type { EventLog } from '../kernel/ports.js';
import { chainSaid } from '../projections/history/chain.js';
import { historyCollection } from '../projections/history/collection.js';
import { sealKeyOf } from './seal-key.js';
import type { SealSettings } from './seal-settings.js';

type Needs = Pick<StartNeeds, 'chains' | 'clock' | 'ids' | 'leases' | 'worker'> & {
  readonly log: StartNeeds['log'] & Pick<EventLog, 'health'>;
  readonly config: SealSettings;
  readonly freshness: Freshness;
  readonly secrets: Pick<Secrets, 'sealSeed'>;
  readonly logger: Logger;
  readonly metrics: Metrics;
};

/**
 * Seals the history from now on, as it is configured. Throws Fault `invalid` for a key or witness
 * that is none.
 */
export const sealHistory = async (needs: Needs): Promise<HistorySealing> => {
  const { config, logger, metrics } = needs;
  const { dir } = config;
  const series = metrics.seals;
  const sealing = startSealing({
    ...needs,
    sha256,
    files: diskFiles,
    keys: await keysOf(needs),
    installation: config.origin,
    everyMs: config.everyMs,
    entriesMax,
    noteFile: dir === null ? null : (chain, size) => join(dir, noteName(chain, size)),
    witnesses: witnessesOf(config),
    chainOf: chainSaid,
    scrubbed: series.scrubbed,
    mismatched: series.mismatched,
    sealed: series.sealed,
    refused: (refusal) => {
      series.refused();
      logger.error(refusal, 'a history contradicts itself: it is not sealed any more');
    },
    unwitnessed: (witness, error) => {
      series.unwitnessed(witness);
      logger.warn({ witness, cause: reasonOf(error) }, 'a seal has no cosignature yet');
    },
    trouble: (error) => {
      if (error instanceof Fault && error.code === 'log-damaged') return;
      logger.error({ cause: String(error) }, 'sealing the history failed; it is tried again');
    },
  });
  metrics.beforeScrape(async () => series.age(sealing.ageSeconds()));
  return {
    stop: sealing.stop,
    refusals: sealing.refusals,
    sealNow: async () => {
      await foldedHistory(needs);
      return { sealed: await sealing.sealNow(), refused: sealing.refusals() };
    },
  };
};

/** Throws what is wrong with the log rather than how far the fold of a damaged one came. */
const foldedHistory = async ({ log, freshness }: Needs): Promise<void> => {
  try {
    await freshness.reached([historyCollection.name], await log.head());
  } catch (error) {
    const { writable, cause } = log.health();
    throw writable || cause === null ? error : new Fault('unavailable', cause, { cause: error });
  }
};

/** What the operators' listener calls it. */
export const sealCommand = 'seal';
export type SealedNow = { readonly sealed: number; readonly refused: readonly SealRefusal[] };
export type HistorySealing = {
  readonly stop: () => Promise<void>;
  readonly refusals: () => readonly SealRefusal[];
  /** Seals what no seal covers, due or not: an operator asks. */
  readonly sealNow: () => Promise<SealedNow>;
};

/** Some minutes of hashing at a fifth of a processor, which other histories wait for. */
const entriesMax = 1_000_000;

/** By size as text, too. */
const noteName = (chain: string, size: number): string =>
  `${chain}-${String(size).padStart(16, '0')}.note`;

const keysOf = async ({ config, secrets }: Needs): Promise<readonly SealingKey[]> => {
  const key = await sealKeyOf(config, secrets.sealSeed);
  return config.witnesses.length === 0 ? [key] : [key, witnessedKey(key)];
};

const witnessesOf = ({ witnesses }: SealSettings) =>
  witnesses.map((text) => {
    const address = witnessAddress(text);
    if (address !== null) return sealWitness(address);
    throw new Fault('invalid', `ASSAY_SEAL_WITNESSES: ${text} is not <vkey>@<address>`);
  });
