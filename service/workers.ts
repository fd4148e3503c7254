import { availableParallelism, hostname } from 'node:os';
import type { Config } from '../config.js';
import { unlinkDatasetFrom } from '../named-queries/experiment-datasets.js';
import type { Freshness } from '../contract/request-ports.js';
import { startOffboardingWorker } from '../command-api/offboarding/worker.js';
import { startOrgJobWorker } from '../command-api/org-jobs/worker.js';
import { startErasureWorker } from '../command-api/erasures/worker.js';
import { startResponseExpiry } from '../command-api/idempotency/worker.js';
import { startRunScoringWorker } from '../command-api/run-scoring/worker.js';
import { startValidationWorker } from '../command-api/scorer-tasks/worker.js';
import { startSealSweepWorker } from '../command-api/integrations/seal-sweep.js';
import { openOverlapComputer } from '../engines/overlaps/overlap-computer.js';
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
import type { RecordQueries } from '../kernel/records/record-queries.js';
import { backfillTraces } from '../named-queries/scoring-backfill.js';
import { orgJobQueries } from '../named-queries/org-jobs.js';
import { Fault } from '../kernel/fault.js';
import type { NotificationBus, Clock, EventLog, Ids, Leases } from '../kernel/ports.js';
import type { Documents } from '../kernel/documents.js';
import type { Instant } from '../kernel/schema-types.js';
import type { ChainPages, Chains } from '../ledger/chain/entries.js';
import type { Sandbox } from '../kernel/sandbox.js';
import type { openDisposers } from './lifecycle.js';
import { openPolledLog } from './polled-log.js';
import { registerSandboxGauge } from './metric-gauges.js';
import { startHistorySealing, type HistorySealing } from '../ledger/sealing.js';

type Needs = {
  readonly log: EventLog;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly bus: NotificationBus;
  readonly secrets: Pick<Secrets, 'jobValues' | 'sealSeed'>;
  readonly documents: Documents;
  readonly records: RecordQueries;
  readonly freshness: Freshness;
  readonly chains: Chains & ChainPages;
  readonly config: Config;
  readonly metrics: Metrics;
  readonly engines: Engines;
  readonly logger: Logger;
  /** Ends each of them with the service. */
  readonly disposers: ReturnType<typeof openDisposers>;
};

/**
 * Concurrent validations, which share the sandbox: those of four people, so that one user with a
 * hundred required scorers does not starve others. Each has rows of up to 16 MiB.
 */
const validationsAtOnce = 8;

/**
 * Background jobs of the role `worker`: each follows the log, resumes what a dead process left, and
 * is idempotent (may run twice at once without harm). Answers what readiness reports.
 */
export const startWorkers = async (needs: Needs): Promise<WorkersStatus> => {
  const { logger } = needs;
  const logError =
    (what: string) =>
    (error: unknown): void => {
      // A damaged log is reported once, by the health watch (lifecycle.ts).
      if (error instanceof Fault && error.code === 'log-damaged') return;
      logger.error({ cause: String(error) }, `${what} failed; it is retried`);
    };
  const leases = await needs.engines.leases();
  needs.disposers.add('leases', () => leases.close());
  const worker = `${hostname()} ${process.pid} ${needs.ids.next('ProcessId')}`;
  const sealing = await startHistorySealing({
    ...needs,
    leases,
    worker,
    config: needs.config.seals,
  });
  needs.disposers.begin('sealing', () => sealing.stop());
  needs.metrics.operating.sealEvery(needs.config.seals.everyMs / 1_000);
  const erasing = startCleanupWorkers(needs, logError);
  return {
    sandbox: startScoringWorkers({ ...needs, leases, worker }, logError),
    sealing,
    pendingErasures: erasing,
  };
};

/** Status of the workers for readiness and metrics. */
export type WorkersStatus = {
  readonly sandbox: Sandbox;
  readonly sealing: HistorySealing;
  /** Times of the deletions whose content is not erased from the log yet. */
  readonly pendingErasures: () => readonly Instant[];
};

type ErrorLoggerFor = (what: string) => (error: unknown) => void;

/**
 * Starts the workers that erase deleted content and expired idempotency responses, finish the
 * removal of users, and run org jobs. Returns the times of the pending deletions.
 */
const startCleanupWorkers = (
  needs: Needs,
  logError: ErrorLoggerFor,
): WorkersStatus['pendingErasures'] => {
  const { log, clock, ids, engines, disposers } = needs;
  const ports = { log: openPolledLog(log, clock), clock, ids, files: diskFiles };
  const erasing = startErasureWorker({
    ...ports,
    path: erasingFile(engines.dir),
    unlinkDataset: unlinkDatasetFrom(log),
    onError: logError('erasing deleted content'),
  });
  disposers.begin('erasing', () => erasing.stop());
  const forgetting = startResponseExpiry({
    ...ports,
    path: forgettingFile(engines.dir),
    onError: logError('erasing expired idempotency responses'),
  });
  disposers.begin('forgetting', () => forgetting.stop());
  const sweeping = startSealSweepWorker({ ...ports, onError: logError('sweeping ciphertexts') });
  disposers.begin('sweeping ciphertexts', () => sweeping.stop());
  const offboarding = startOffboardingWorker({
    ...ports,
    path: offboardingFile(engines.dir),
    onError: logError('offboarding of a user'),
  });
  disposers.begin('offboarding', () => offboarding.stop());
  const jobs = startOrgJobWorker({
    ...ports,
    secrets: needs.secrets,
    ...orgJobQueries(needs),
    onError: logError('an org job'),
  });
  disposers.begin('org jobs', () => jobs.stop());
  return erasing.pending;
};

/** Workers that run code scorers, for validations and scores, in one sandbox. */
const startScoringWorkers = (
  needs: Needs & { readonly leases: Leases; readonly worker: string },
  logError: ErrorLoggerFor,
): Sandbox => {
  const { log, clock, ids, bus, engines, logger, disposers, leases, worker } = needs;
  const sandbox = engines.sandbox();
  disposers.add('the sandbox', () => sandbox.close());
  registerSandboxGauge(needs.metrics, sandbox);
  const overlaps = openOverlapComputer();
  disposers.add('overlaps', () => overlaps.close());
  const ports = { log, clock, ids, bus, leases, sandbox, overlaps, files: diskFiles, worker };
  const scoring = startValidationWorker({
    ...ports,
    path: scoringFile(engines.dir),
    atOnce: validationsAtOnce,
    onError: logError('a scorer validation'),
  });
  disposers.begin('scoring', () => scoring.stop());
  const runScoring = startRunScoringWorker({
    ...ports,
    path: runScoringFile(engines.dir),
    atOnce: availableParallelism(),
    backfillTraces: backfillTraces(needs),
    onError: logError('scoring of runs'),
  });
  disposers.begin('scoring runs', () => runScoring.stop());
  void sandbox.ready().then((state) => logger.info(state, 'sandbox of code scorers'));
  return sandbox;
};
