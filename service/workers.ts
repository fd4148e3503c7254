import { availableParallelism, hostname } from 'node:os';
import type { Config } from '../config.js';
import { datasetUnlinking } from './answers/dataset-use.js';
import type { Freshness } from '../contract/gate.js';
import { startOffboarding } from '../command-api/offboarding/worker.js';
import { startOrgJobs } from '../command-api/org-jobs/worker.js';
import { startErasing } from '../command-api/erasures/worker.js';
import { startForgetting } from '../command-api/idempotency/worker.js';
import { startRunScoring } from '../command-api/run-scoring/worker.js';
import { startScoring } from '../command-api/scorer-tasks/worker.js';
import { startSweepingSeals } from '../command-api/integrations/sweep.js';
import { openOverlaps } from '../engines/overlaps/overlaps.js';
import { diskFiles } from '../engines/node/files.js';
import {
  offboardingFile,
  erasingFile,
  forgettingFile,
  runScoringFile,
  scoringFile,
  type Engines,
} from '../engines/open.js';
import type { Logger } from '../engines/pino/logger.js';
import type { Metrics } from '../engines/prometheus/metrics.js';
import type { Secrets } from '../engines/node/secrets.js';
import type { Records } from '../kernel/records/records.js';
import { pastRecords } from './answers/past-scoring.js';
import { orgJobQuestions } from './answers/org-jobs.js';
import { Fault } from '../kernel/fault.js';
import type { Bus, Clock, EventLog, Ids, Leases } from '../kernel/ports.js';
import type { Documents } from '../kernel/documents.js';
import type { Instant } from '../kernel/shapes.js';
import type { ChainPages, Chains } from '../kernel/history/entries.js';
import type { Sandbox } from '../kernel/sandbox.js';
import type { openDisposers } from './lifecycle.js';
import { measureSandbox } from './measuring.js';
import { sealHistory, type HistorySealing } from './sealing.js';

type Needs = {
  readonly log: EventLog;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly bus: Bus;
  readonly secrets: Pick<Secrets, 'jobValues' | 'sealSeed'>;
  readonly documents: Documents;
  readonly records: Records;
  readonly freshness: Freshness;
  readonly chains: Chains & ChainPages;
  readonly config: Config;
  readonly metrics: Metrics;
  readonly engines: Engines;
  readonly logger: Logger;
  /** Ends each of them with the service. */
  readonly open: ReturnType<typeof openDisposers>;
};

/**
 * Validations in hand, each waiting for its turn in the sandbox: those of four people, so that one
 * with a hundred required scorers keeps nobody else from the line. Each has rows of up to 16 MiB.
 */
const validationsAtOnce = 8;

/**
 * What the role `worker` does beside requests: each follows the log, picks up what a dead process
 * left, and may run twice at once without harm. Answers what readiness reports.
 */
export const startWorkers = async (needs: Needs): Promise<Working> => {
  const { logger } = needs;
  const trouble =
    (what: string) =>
    (error: unknown): void => {
      // A damaged log is told once, by who watches it (lifecycle.ts).
      if (error instanceof Fault && error.code === 'log-damaged') return;
      logger.error({ cause: String(error) }, `${what} failed; it is tried again`);
    };
  const leases = await needs.engines.leases();
  needs.open.add('leases', () => leases.close());
  const worker = `${hostname()} ${process.pid} ${needs.ids.next('ProcessId')}`;
  const sealing = await sealHistory({ ...needs, leases, worker, config: needs.config.seals });
  needs.open.begin('sealing', () => sealing.stop());
  needs.metrics.operating.sealEvery(needs.config.seals.everyMs / 1_000);
  const erasing = startCleaning(needs, trouble);
  return { sandbox: startScorers({ ...needs, leases, worker }, trouble), sealing, erasing };
};

/** What an operator wants to know of the workers. */
export type Working = {
  readonly sandbox: Sandbox;
  readonly sealing: HistorySealing;
  /** When each deletion was asked for whose content is not erased from the log yet. */
  readonly erasing: () => readonly Instant[];
};

type Troubles = (what: string) => (error: unknown) => void;

/** What deletions, removals, repeats and jobs leave to be done; answers the pending deletions. */
const startCleaning = (needs: Needs, trouble: Troubles): Working['erasing'] => {
  const { log, clock, ids, engines, open } = needs;
  const ports = { log, clock, ids, files: diskFiles };
  const erasing = startErasing({
    ...ports,
    path: erasingFile(engines.dir),
    unlinkDataset: datasetUnlinking(log),
    trouble: trouble('erasing what was deleted'),
  });
  open.begin('erasing', () => erasing.stop());
  const forgetting = startForgetting({
    ...ports,
    path: forgettingFile(engines.dir),
    trouble: trouble('erasing answers kept for a repeat'),
  });
  open.begin('forgetting', () => forgetting.stop());
  const sweeping = startSweepingSeals({ ...ports, trouble: trouble('sweeping ciphertexts') });
  open.begin('sweeping ciphertexts', () => sweeping.stop());
  const offboarding = startOffboarding({
    ...ports,
    path: offboardingFile(engines.dir),
    trouble: trouble('an offboarding'),
  });
  open.begin('offboarding', () => offboarding.stop());
  const jobs = startOrgJobs({
    ...ports,
    secrets: needs.secrets,
    ...orgJobQuestions(needs),
    trouble: trouble('working on an org job'),
  });
  open.begin('org jobs', () => jobs.stop());
  return erasing.pending;
};

/** Validations and scores of code scorers, in one sandbox. */
const startScorers = (
  needs: Needs & { readonly leases: Leases; readonly worker: string },
  trouble: Troubles,
): Sandbox => {
  const { log, clock, ids, bus, engines, logger, open, leases, worker } = needs;
  const sandbox = engines.sandbox();
  open.add('the sandbox', () => sandbox.close());
  measureSandbox(needs.metrics, sandbox);
  const overlaps = openOverlaps();
  open.add('overlaps', () => overlaps.close());
  const ports = { log, clock, ids, bus, leases, sandbox, overlaps, files: diskFiles, worker };
  const scoring = startScoring({
    ...ports,
    path: scoringFile(engines.dir),
    atOnce: validationsAtOnce,
    trouble: trouble('scoring'),
  });
  open.begin('scoring', () => scoring.stop());
  const runScoring = startRunScoring({
    ...ports,
    path: runScoringFile(engines.dir),
    atOnce: availableParallelism(),
    past: pastRecords(needs),
    trouble: trouble('scoring runs'),
  });
  open.begin('scoring runs', () => runScoring.stop());
  void sandbox.ready().then((state) => logger.info(state, 'sandbox of code scorers'));
  return sandbox;
};
