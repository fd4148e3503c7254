import { join } from 'node:path';
import type { SealRefusal } from '../command-api/seals/chain-sealer.js';
import { startSealWorker, type SealWorkerNeeds } from '../command-api/seals/worker.js';
import type { Freshness } from '../contract/request-ports.js';
import { sha256 } from '../engines/node/digest.js';
import { diskFiles } from '../engines/node/files.js';
import { witnessKey } from '../engines/node/seal-keys.js';
import { sealWitness, parseWitnessAddress } from '../engines/node/seal-witnesses.js';
import type { Secrets } from '../engines/node/secrets.js';
import type { Logger } from '../engines/pino/logger.js';
import type { Metrics } from '../engines/prometheus/metrics.js';
import { Fault, redactedReason } from '../kernel/fault.js';
import type { SealingKey } from '../kernel/history/checkpoint.js';
import type { EventLog, Position } from '../kernel/ports.js';
import { declaredChain } from '../projections/history/chain-membership.js';
import { historyCollection } from '../projections/history/collection.js';
import { loadSealKey } from './seal-signing-key.js';
import type { SealSettings } from '../config/seal-settings.js';

type Needs = Pick<SealWorkerNeeds, 'chains' | 'clock' | 'ids' | 'leases' | 'worker'> & {
  readonly log: SealWorkerNeeds['log'] & Pick<EventLog, 'health'>;
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
export const startHistorySealing = async (needs: Needs): Promise<HistorySealing> => {
  const { config, logger, metrics } = needs;
  const { dir } = config;
  const series = metrics.seals;
  const sealing = startSealWorker({
    ...needs,
    sha256,
    files: diskFiles,
    keys: await sealingKeysOf(needs),
    installation: config.origin,
    everyMs: config.everyMs,
    entriesMax,
    noteFile: dir === null ? null : (chain, size) => join(dir, noteName(chain, size)),
    witnesses: witnessesOf(config),
    chainOf: declaredChain,
    onScrubbed: series.scrubbed,
    onMismatch: series.mismatched,
    onSealed: series.sealed,
    onRefused: (refusal) => {
      series.refused();
      logger.error(refusal, 'a history contradicts itself: it is not sealed any more');
    },
    onWitnessFailure: (witness, error) => {
      series.unwitnessed(witness);
      logger.warn({ witness, cause: redactedReason(error) }, 'a seal has no cosignature yet');
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
    sealNow: async (waitMs, tell) => {
      await untilHistoryFolded(needs, waitMs, tell);
      return { sealed: await sealing.sealNow(), refused: sealing.refusals() };
    },
  };
};

/**
 * Resolves once the history has all that the log has now. Throws Fault `unavailable` after
 * `waitMs`, and as soon as something is wrong with the log, which the fold then never passes.
 */
const untilHistoryFolded = async (
  { log, freshness, clock }: Needs,
  waitMs: number,
  tell: (behind: HistoryFoldProgress) => void,
): Promise<void> => {
  const head = await log.head();
  const deadline = clock.milliseconds() + waitMs;
  for (;;) {
    const leftMs = Math.max(0, deadline - clock.milliseconds());
    const atMostMs = Math.min(pollIntervalMs, leftMs);
    const position = await freshness.waitUntilApplied([historyCollection.name], null, { atMostMs });
    if (position >= head) return;
    const { writable, cause } = log.health();
    if (!writable && cause !== null) throw new Fault('unavailable', cause);
    if (leftMs <= pollIntervalMs) {
      const why = `The history is at ${position}, the log at ${head}, after ${waitMs / 1_000} s`;
      throw new Fault('unavailable', `${why}. Nothing was sealed: wait longer, or see /readyz`);
    }
    tell({ position, head });
  }
};
/** Whoever waits for the history is told this often how far it is. */
const pollIntervalMs = 500;

/** How far the history is folded, and how far it has to be. */
export type HistoryFoldProgress = { readonly position: Position; readonly head: Position };

/** What the operators' listener calls it. */
export const sealCommand = 'seal';
/** How long it waits for the history, unless it is told: as long as some million events take. */
export const sealWaitSeconds = 600;
export type SealResult = { readonly sealed: number; readonly refused: readonly SealRefusal[] };
export type HistorySealing = {
  readonly stop: () => Promise<void>;
  readonly refusals: () => readonly SealRefusal[];
  /**
   * Seals what no seal covers, due or not: an operator asks. Waits up to `waitMs` until the history
   * has all that the log has, and tells meanwhile how far it is; then throws Fault `unavailable`.
   */
  readonly sealNow: (
    waitMs: number,
    tell: (behind: HistoryFoldProgress) => void,
  ) => Promise<SealResult>;
};

/** Some minutes of hashing at a fifth of a processor, which other histories wait for. */
const entriesMax = 1_000_000;

/** By size as text, too. */
const noteName = (chain: string, size: number): string =>
  `${chain}-${String(size).padStart(16, '0')}.note`;

const sealingKeysOf = async ({ config, secrets }: Needs): Promise<readonly SealingKey[]> => {
  const key = await loadSealKey(config, secrets.sealSeed);
  return config.witnesses.length === 0 ? [key] : [key, witnessKey(key)];
};

const witnessesOf = ({ witnesses }: SealSettings) =>
  witnesses.map((text) => {
    const address = parseWitnessAddress(text);
    if (address !== null) return sealWitness(address);
    throw new Fault('invalid', `ASSAY_SEAL_WITNESSES: ${text} is not <vkey>@<address>`);
  });
