import { join } from 'node:path';
import type { SealRefusal } from './seals/chain-sealer.js';
import { startSealWorker, type SealWorkerNeeds } from './seals/worker.js';
import type { Freshness } from '../contract/request-ports.js';
import { sha256 } from '../engines/node/digest.js';
import { diskFiles } from '../engines/node/files.js';
import { witnessKey } from '../engines/node/seal-keys.js';
import { sealWitness, parseWitnessAddress } from '../engines/node/seal-witnesses.js';
import type { Secrets } from '../engines/node/secrets.js';
import type { Logger } from '../engines/pino/logger.js';
import type { Metrics } from '../engines/prometheus/metrics.js';
import { Fault, redactedReason } from '../kernel/fault.js';
import type { SealingKey } from './chain/checkpoint.js';
import type { EventLog, Position } from '../kernel/ports.js';
import { declaredChain } from './fold/chain-membership.js';
import { historyCollection } from './collection.js';
import { loadSealKey } from './signing-key.js';
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
 * Seals the history on the configured schedule. Throws Fault `invalid` for a malformed key or
 * witness.
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
      logger.error(refusal, 'a history contradicts its seals: it is no longer sealed');
    },
    onWitnessFailure: (witness, error) => {
      series.unwitnessed(witness);
      logger.warn({ witness, cause: redactedReason(error) }, 'a seal has no cosignature yet');
    },
    onError: (error) => {
      if (error instanceof Fault && error.code === 'log-damaged') return;
      logger.error({ cause: String(error) }, 'sealing the history failed; it is retried');
    },
  });
  metrics.beforeScrape(async () => series.age(sealing.ageSeconds()));
  return {
    stop: sealing.stop,
    refusals: sealing.refusals,
    sealNow: async (waitMs, report) => {
      await untilHistoryFolded(needs, waitMs, report);
      return { sealed: await sealing.sealNow(), refused: sealing.refusals() };
    },
  };
};

/**
 * Resolves once the history is folded up to the log's current head. Throws Fault `unavailable`
 * after `waitMs`, and at once when the log is damaged, which the fold cannot pass.
 */
const untilHistoryFolded = async (
  { log, freshness, clock }: Needs,
  waitMs: number,
  report: (behind: HistoryFoldProgress) => void,
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
    report({ position, head });
  }
};
/** Interval of progress reports while waiting for the fold. */
const pollIntervalMs = 500;

/** The position that the history is folded to, and the position it has to reach. */
export type HistoryFoldProgress = { readonly position: Position; readonly head: Position };

/** Name of the command on the operators' listener. */
export const sealCommand = 'seal';
/** Default wait for the fold: enough for some million events. */
export const sealWaitSeconds = 600;
export type SealResult = { readonly sealed: number; readonly refused: readonly SealRefusal[] };
export type HistorySealing = {
  readonly stop: () => Promise<void>;
  readonly refusals: () => readonly SealRefusal[];
  /**
   * Seals all unsealed entries now, whatever the schedule. Waits up to `waitMs` until the history
   * is folded up to the log's head, reporting progress through `tell`; then throws Fault
   * `unavailable`.
   */
  readonly sealNow: (
    waitMs: number,
    tell: (behind: HistoryFoldProgress) => void,
  ) => Promise<SealResult>;
};

/** Some minutes of hashing at a fifth of a processor, during which other histories are delayed. */
const entriesMax = 1_000_000;

/** The size is zero-padded, so that names sort by it. */
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
