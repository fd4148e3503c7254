import { hostname } from 'node:os';
import { engineChoiceOf } from '../config.js';
import { systemClock } from '../engines/node/clock.js';
import { randomIds } from '../engines/node/ids.js';
import type { EngineChoice } from '../engines/open.js';
import type { Logger } from '../engines/pino/logger.js';
import { Fault, redactedReason } from '../kernel/fault.js';
import { refusingPort } from '../kernel/map-methods.js';
import type { NotificationBus, Clock, Leases } from '../kernel/ports.js';
import { partitionText, type Partition } from '../kernel/records/partitions.js';
import type { ReadableRecords } from '../kernel/records/records.js';
import type { AheadReadModel } from '../projections/read-model-reset.js';
import type { Projector } from '../projections/projector.js';
import type { RecordAnswers } from '../query-api/records/answers.js';
import { startReadSide, type IncidentHandlers, type ReadSide } from './read-side.js';
import type { StartupContext } from './startup-context.js';

/** The projections of a service as this process sees them. */
export type ProjectionHost = {
  /** Records on DuckDB, owned by the thread that writes them; null on another engine. */
  readonly records: ReadableRecords | null;
  /** Answers made of records, in the thread that owns these; null on another engine. */
  readonly answers: RecordAnswers | null;
  readonly projector: Projector;
  /**
   * State of the projector in this process, `duty` of /readyz. `standby`: another process folds;
   * this one takes over when that one stops.
   */
  readonly projectorState: () => 'folding' | 'standby' | 'elsewhere';
  /** True if this process folds a read model that operators can command. */
  readonly servesOperators: () => boolean;
  /** Notifications inside this process only. */
  readonly notifications: Pick<NotificationBus, 'publish' | 'subscribe'> | null;
  /** Error of the last attempt to fold or to acquire the lease; null after a success. */
  readonly lastError: () => string | null;
  /** Rejects when folding cannot continue in this process. */
  readonly ended: Promise<void>;
  readonly stop: () => Promise<void>;
};

/** Starts the projections as role, engines and lease require. */
export const startProjectionHost = async (
  context: StartupContext,
  notificationSpace: string,
  onSetBack: OnRecordsSetBack,
): Promise<ProjectionHost> => {
  const { config, engines } = context;
  const projectionHost = !config.roles.includes('projections')
    ? noProjectionHost()
    : engines.ports.documents.isRemote
      ? await startLeasedHost(context, notificationSpace)
      : await startLocalHost(
          engineChoiceOf(config),
          notificationSpace,
          incidentHandlersOf(context, onSetBack),
        );
  if (!config.roles.includes('projections')) return projectionHost;
  const { disposers } = context;
  disposers.begin('operators’ works', () => projectionHost.projector.abortWorks());
  disposers.add('the projections', () => projectionHost.stop());
  return projectionHost;
};

/** Called when the records may be at an earlier position: their file was reopened or replaced. */
export type OnRecordsSetBack = () => void;

/** Logs and counts incidents of a thread that owns records. */
export const incidentHandlersOf = (
  { logger, metrics }: Pick<StartupContext, 'logger' | 'metrics'>,
  onSetBack: OnRecordsSetBack,
): IncidentHandlers => ({
  onIncident: (incident) => {
    const { kind, did } = incident;
    metrics.incident(kind, did);
    if (did === 'reopened' || did === 'dropped') onSetBack();
    // The error of a query is logged with its request.
    if (did !== 'nothing') logger.error(incident, incidentSentences[did]);
  },
  onBrokenFile: (broken) =>
    logger.error(broken, 'documents.sqlite was damaged: set aside, rebuilding it'),
  onLogReplaced: logReplacedHandler(logger),
});

const incidentSentences = {
  reopened: 'the records were reopened',
  dropped: 'the records were dropped',
  uncompacted:
    'the file of the records keeps deleted rows, as copying the others failed: ' +
    'remove the cause; a copy is tried again each 10 seconds',
} as const;

const startLeasedHost = async (
  { config, engines, logger, disposers }: StartupContext,
  notificationSpace: string,
): Promise<ProjectionHost> => {
  const leases = await engines.leases();
  disposers.add('leases', () => leases.close());
  return foldUnderLease({
    choice: engineChoiceOf(config),
    partition: config.partition,
    notificationSpace,
    leases,
    holder: `${hostname()} ${process.pid} ${randomIds.next('ProcessId')}`,
    clock: systemClock,
    logger,
  });
};

/** Folds without a lease: the only process. The service ends with the thread. */
const startLocalHost = async (
  choice: EngineChoice,
  notificationSpace: string,
  handlers: IncidentHandlers,
): Promise<ProjectionHost> => {
  const readSide = await startReadSide(choice, { notificationSpace }, handlers);
  return {
    ...readSide,
    projectorState: () => 'folding',
    servesOperators: () => true,
    lastError: () => null,
    notifications: null,
  };
};

/** Logs a replaced log; `/readyz` reports it too while the read models are rebuilt. */
const logReplacedHandler =
  (logger: Logger): NonNullable<IncidentHandlers['onLogReplaced']> =>
  (ahead: readonly AheadReadModel[]) =>
    logger.error(
      { ahead },
      'read models are ahead of the log (log replaced or restored from a backup): rebuilding all',
    );

/** Projections of a process without the role: every command is refused. */
export const noProjectionHost = (): ProjectionHost => ({
  records: null,
  answers: null,
  notifications: null,
  servesOperators: () => false,
  projector: unavailableProjector(
    'this process does not fold; send the command to one with the role projections',
  ),
  ended: new Promise(() => undefined),
  stop: async () => undefined,
  projectorState: () => 'elsewhere',
  lastError: () => null,
});

/** Failover stays below 10 s: lease expiry, one poll and the start of a thread. */
const leaseMs = 5_000;
const renewEveryMs = 1_500;
const leasePollMs = 1_000;
const leaseNameOf = (partition: Partition | null): string =>
  partition === null ? 'projections' : `records ${partitionText(partition)}`;

type Needs = {
  readonly choice: EngineChoice;
  /**
   * Partition of the records, the only read model folded here; null: all that are not partitioned.
   */
  readonly partition?: Partition | null;
  readonly notificationSpace: string;
  readonly leases: Leases;
  /** Unique name of this process as a holder of the lease. */
  readonly holder: string;
  readonly clock: Clock;
  readonly logger: Logger;
};

/**
 * Leader election: folds while this process holds the lease, stands by otherwise. Opening the
 * projector raises the fence of the read models (fencing token), so that the store refuses writes
 * of a process that lost its lease without noticing.
 */
const foldUnderLease = (needs: Needs): ProjectionHost => {
  const { leases, holder, clock, logger, partition = null } = needs;
  const leaseName = leaseNameOf(partition);
  const end = new AbortController();
  let current: ReadSide | null = null;
  let lastError: string | null = null;
  const acquire = () => leases.acquire(leaseName, holder, leaseMs);
  /** True if another process certainly holds the lease; false when the engine cannot say. */
  const isLost = (): Promise<boolean> =>
    acquire().then(
      (fence) => fence === null,
      () => false,
    );

  const fold = async (): Promise<void> => {
    const opening = startLeasedReadSide(needs);
    // Opening the engines may take longer than the lease lasts.
    const ended = opening.then((readSide) => readSide.ended);
    const leaseEnd = untilLeaseEnds({ clock, isLost, ending: end.signal, ended });
    leaseEnd.catch(() => null);
    const readSide = await opening;
    current = readSide;
    lastError = null;
    logger.info({ holder }, 'this process folds the read models: it has the lease');
    try {
      if ((await leaseEnd) === 'lost') {
        logger.warn({ holder }, 'this process stands by: another one has the lease');
      }
    } finally {
      current = null;
      await readSide.stop();
    }
  };
  const loop = async (): Promise<void> => {
    while (!end.signal.aborted) {
      try {
        if ((await acquire()) !== null) await fold();
        lastError = null;
      } catch (error) {
        lastError = redactedReason(error);
        logger.error({ cause: String(error) }, 'folding the read models failed; retrying');
      }
      await clock.wait(leasePollMs, end.signal);
    }
    await leases.release(leaseName, holder).catch(() => null);
  };
  const looping = loop();
  return {
    records: null,
    answers: null,
    notifications: null,
    projector: forwardingProjector(() => current?.projector ?? null, end.signal),
    projectorState: () => (current === null ? 'standby' : 'folding'),
    servesOperators: () => current !== null,
    lastError: () => lastError,
    ended: new Promise(() => undefined),
    stop: async () => {
      end.abort();
      await looping;
    },
  };
};

type HeldLease = {
  readonly clock: Clock;
  readonly isLost: () => Promise<boolean>;
  readonly ending: AbortSignal;
  /** Rejects when the thread dies. */
  readonly ended: Promise<void>;
};

/** Resolves when the lease is lost or the service ends; rejects when the thread dies. */
const untilLeaseEnds = async ({
  clock,
  isLost,
  ending,
  ended,
}: HeldLease): Promise<'lost' | 'ended'> => {
  // Subscribed once, not in each round: a long-lived promise keeps all its reactions.
  const thread = new AbortController();
  const died = ended.finally(() => thread.abort());
  died.catch(() => null);
  const over = AbortSignal.any([ending, thread.signal]);
  for (;;) {
    await clock.wait(renewEveryMs, over);
    if (thread.signal.aborted && !ending.aborted) await died;
    if (over.aborted) return 'ended';
    if (await isLost()) return 'lost';
  }
};

/** Starts the thread. Records folded by replicas or in partitions are excluded. */
const startLeasedReadSide = ({
  choice,
  partition,
  notificationSpace,
  logger,
}: Needs): Promise<ReadSide> => {
  const hasOthers = choice.records === 'replica' || (choice.recordsPartitions ?? 1) > 1;
  const models = partition ?? (hasOthers ? 'lists' : 'all');
  return startReadSide(
    choice,
    { notificationSpace, models },
    { onLogReplaced: logReplacedHandler(logger) },
  );
};

/** Refusal on standby, also of commands that were running when the lease was lost. */
const leasePassedMessage =
  'another process has the lease of the projections; send the command to that process';

const forwardingProjector = (to: () => Projector | null, ending: AbortSignal): Projector => {
  const standby = unavailableProjector(leasePassedMessage);
  const on = async <T>(work: (projector: Projector) => Promise<T>): Promise<T> => {
    const target = to();
    try {
      return await work(target ?? standby);
    } catch (error) {
      if (target === null || target === to() || ending.aborted) throw error;
      throw new Fault('unavailable', leasePassedMessage, { cause: error });
    }
  };
  return {
    status: () => on((projector) => projector.status()),
    parked: () => on((projector) => projector.parked()),
    retry: (name, stream) => on((projector) => projector.retry(name, stream)),
    skip: (name, stream, revision) => on((projector) => projector.skip(name, stream, revision)),
    pause: (name) => on((projector) => projector.pause(name)),
    resume: (name) => on((projector) => projector.resume(name)),
    rebuild: (name, progress, wishes) =>
      on((projector) => projector.rebuild(name, progress, wishes)),
    dryRun: (name) => on((projector) => projector.dryRun(name)),
    verify: (name, progress) => on((projector) => projector.verify(name, progress)),
    abortWorks: () => on((projector) => projector.abortWorks()),
    pendingErasures: () => on((projector) => projector.pendingErasures()),
    stop: () => on((projector) => projector.stop()),
  };
};

const unavailableProjector = (why: string): Projector =>
  refusingPort<Projector>(why, {
    status: async () => [],
    abortWorks: async () => undefined,
    pendingErasures: async () => [],
    stop: async () => undefined,
  });
