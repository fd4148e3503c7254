import { hostname } from 'node:os';
import { engineChoiceOf } from '../config.js';
import { systemClock } from '../engines/node/clock.js';
import { randomIds } from '../engines/node/ids.js';
import type { EngineChoice } from '../engines/open.js';
import type { Logger } from '../engines/pino/logger.js';
import { Fault, redactedReason } from '../kernel/fault.js';
import type { NotificationBus, Clock, Leases } from '../kernel/ports.js';
import { partitionText, type Partition } from '../kernel/records/partitions.js';
import type { Records } from '../kernel/records/records.js';
import type { AheadReadModel } from '../projections/read-model-reset.js';
import type { Projector } from '../projections/projector.js';
import type { RecordAnswers } from '../query-api/records/answers.js';
import { startReadSide, type IncidentHandlers, type ReadSide } from './read-side.js';
import type { StartupContext } from './startup-context.js';

/** The projections of a service as this process sees them. */
export type ProjectionHost = {
  /** Records on DuckDB belong to the thread that writes them; null: another engine has them. */
  readonly records: Records | null;
  /** Where the records are. */
  readonly answers: RecordAnswers | null;
  readonly projector: Projector;
  /** `standby`: another process folds; this one takes over when it stops. */
  readonly duty: () => 'folding' | 'standby' | 'elsewhere';
  /** Whether something is folded here that operators may ask about. */
  readonly servesOperators: () => boolean;
  /** Hints that only this process hears. */
  readonly notifications: Pick<NotificationBus, 'subscribe'> | null;
  /**
   * Why this process could not fold, or not learn whether it may, when it last tried; else null.
   */
  readonly trouble: () => string | null;
  /** Rejects when it cannot go on in this process. */
  readonly ended: Promise<void>;
  readonly stop: () => Promise<void>;
};

/** As the role, the engines and the lease say. */
export const startProjectionHost = async (
  starting: StartupContext,
  hintSpace: string,
  dropped: OnRecordsDropped,
): Promise<ProjectionHost> => {
  const { config, engines } = starting;
  const projecting = !config.roles.includes('projections')
    ? noProjectionHost()
    : engines.names.documents === 'sqlite'
      ? await startLocalHost(
          engineChoiceOf(config),
          hintSpace,
          incidentHandlersOf(starting, dropped),
        )
      : await startLeasedHost(starting, hintSpace);
  if (!config.roles.includes('projections')) return projecting;
  const { disposers } = starting;
  disposers.begin('operators’ works', () => projecting.projector.abortWorks());
  disposers.add('the projections', () => projecting.stop());
  return projecting;
};

/** Told when the file of the records was set aside, and an empty one took its place. */
export type OnRecordsDropped = () => void;

/** What an operator should know of a thread that has records, in the log and in figures. */
export const incidentHandlersOf = (
  { logger, metrics }: Pick<StartupContext, 'logger' | 'metrics'>,
  dropped: OnRecordsDropped,
): IncidentHandlers => ({
  onIncident: (incident) => {
    const { kind, did } = incident;
    metrics.incident(kind, did);
    if (did === 'dropped') dropped();
    // The failure of a question is told with its request.
    if (did !== 'nothing') logger.error(incident, `the records were ${did}`);
  },
  onBrokenFile: (broken) =>
    logger.error(broken, 'documents.sqlite was damaged: set aside, building it anew'),
  onLogReplaced: logReplacedHandler(logger),
});

const startLeasedHost = async (
  { config, engines, logger, disposers }: StartupContext,
  hintSpace: string,
): Promise<ProjectionHost> => {
  const leases = await engines.leases();
  disposers.add('leases', () => leases.close());
  return foldUnderLease({
    choice: engineChoiceOf(config),
    partition: config.partition,
    notificationSpace: hintSpace,
    leases,
    holder: `${hostname()} ${process.pid} ${randomIds.next('ProcessId')}`,
    clock: systemClock,
    logger,
  });
};

/** The only process: it folds from now on, and dies with its thread. */
const startLocalHost = async (
  choice: EngineChoice,
  hintSpace: string,
  heed: IncidentHandlers,
): Promise<ProjectionHost> => {
  const readSide = await startReadSide(choice, { notificationSpace: hintSpace }, heed);
  return {
    ...readSide,
    duty: () => 'folding',
    servesOperators: () => true,
    trouble: () => null,
    notifications: null,
  };
};

/** For the log of the process; `/readyz` says it too while they are built. */
const logReplacedHandler =
  (logger: Logger): NonNullable<IncidentHandlers['onLogReplaced']> =>
  (ahead: readonly AheadReadModel[]) =>
    logger.error({ ahead }, 'the log is not the one that was folded: building read models anew');

/** A process without the role: whoever asks is sent elsewhere. */
export const noProjectionHost = (): ProjectionHost => ({
  records: null,
  answers: null,
  notifications: null,
  servesOperators: () => false,
  projector: unavailableProjector(
    'this process does not fold; ask one that plays the role projections',
  ),
  ended: new Promise(() => undefined),
  stop: async () => undefined,
  duty: () => 'elsewhere',
  trouble: () => null,
});

/** A dead process is replaced after the lease, one look and the start of a thread: below 10 s. */
const leaseMs = 5_000;
const renewEveryMs = 1_500;
const leasePollMs = 1_000;
const leaseNameOf = (partition: Partition | null): string =>
  partition === null ? 'projections' : `records ${partitionText(partition)}`;

type Needs = {
  readonly choice: EngineChoice;
  /** Of the records, that is all this process folds; null: it folds the rest. */
  readonly partition?: Partition | null;
  readonly notificationSpace: string;
  readonly leases: Leases;
  /** Names this process among those who want the lease. */
  readonly holder: string;
  readonly clock: Clock;
  readonly logger: Logger;
};

/**
 * Folds while this process has the lease, stands by while another has it. Opening the projector
 * raises the fence of the read models, so what a process that lost its lease without noticing still
 * writes is refused by the store.
 */
const foldUnderLease = (needs: Needs): ProjectionHost => {
  const { leases, holder, clock, logger, partition = null } = needs;
  const leaseName = leaseNameOf(partition);
  const end = new AbortController();
  let current: ReadSide | null = null;
  let trouble: string | null = null;
  const take = () => leases.acquire(leaseName, holder, leaseMs);
  /** Whether the lease is certainly another's; an engine that cannot say leaves it as it was. */
  const isLost = (): Promise<boolean> =>
    take().then(
      (fence) => fence === null,
      () => false,
    );

  const fold = async (): Promise<void> => {
    const starting = startLeasedReadSide(needs);
    // Opening the engines may take longer than the lease lasts.
    const ended = starting.then((readSide) => readSide.ended);
    const kept = untilLeaseEnds({ clock, isLost, ending: end.signal, ended });
    kept.catch(() => null);
    const readSide = await starting;
    current = readSide;
    trouble = null;
    logger.info({ holder }, 'folding: this process has the lease of the projections');
    try {
      if ((await kept) === 'lost') {
        logger.warn({ holder }, 'standing by: another process has the lease now');
      }
    } finally {
      current = null;
      await readSide.stop();
    }
  };
  const loop = async (): Promise<void> => {
    while (!end.signal.aborted) {
      try {
        if ((await take()) !== null) await fold();
        trouble = null;
      } catch (error) {
        trouble = redactedReason(error);
        logger.error({ cause: String(error) }, 'folding stopped; trying again');
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
    duty: () => (current === null ? 'standby' : 'folding'),
    servesOperators: () => current !== null,
    trouble: () => trouble,
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
  /** Of the thread. */
  readonly ended: Promise<void>;
};

/** Resolves when the lease is lost or the service ends; rejects when the thread dies. */
const untilLeaseEnds = async ({
  clock,
  isLost,
  ending,
  ended,
}: HeldLease): Promise<'lost' | 'ended'> => {
  // Heard once, not with each round: a promise that lasts keeps all who ever waited for it.
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

/** Records that each process folds for itself, or others in partitions, are not folded here. */
const startLeasedReadSide = ({
  choice,
  partition,
  notificationSpace,
  logger,
}: Needs): Promise<ReadSide> => {
  const hasOthers = choice.records === 'replica' || (choice.recordsPartitions ?? 1) > 1;
  const keeps = partition ?? (hasOthers ? 'lists' : 'all');
  return startReadSide(
    choice,
    { notificationSpace, models: keeps },
    { onLogReplaced: logReplacedHandler(logger) },
  );
};

/** Also the end of what was begun here before the lease passed on. */
const leasePassedMessage = 'another process has the lease of the projections; ask that one';

const forwardingProjector = (to: () => Projector | null, ending: AbortSignal): Projector => {
  const standby = unavailableProjector(leasePassedMessage);
  const on = async <T>(work: (projector: Projector) => Promise<T>): Promise<T> => {
    const asked = to();
    try {
      return await work(asked ?? standby);
    } catch (error) {
      if (asked === null || asked === to() || ending.aborted) throw error;
      throw new Fault('unavailable', leasePassedMessage, { cause: error });
    }
  };
  return {
    status: () => on((one) => one.status()),
    parked: () => on((one) => one.parked()),
    retry: (name, stream) => on((one) => one.retry(name, stream)),
    skip: (name, stream, revision) => on((one) => one.skip(name, stream, revision)),
    pause: (name) => on((one) => one.pause(name)),
    resume: (name) => on((one) => one.resume(name)),
    rebuild: (name, progress, wishes) => on((one) => one.rebuild(name, progress, wishes)),
    dryRun: (name) => on((one) => one.dryRun(name)),
    verify: (name, progress) => on((one) => one.verify(name, progress)),
    abortWorks: () => on((one) => one.abortWorks()),
    pendingErasures: () => on((one) => one.pendingErasures()),
    stop: () => on((one) => one.stop()),
  };
};

const unavailableProjector = (why: string): Projector => {
  const refuse = async (): Promise<never> => {
    throw new Fault('unavailable', why);
  };
  return {
    status: async () => [],
    parked: refuse,
    retry: refuse,
    skip: refuse,
    pause: refuse,
    resume: refuse,
    rebuild: refuse,
    dryRun: refuse,
    verify: refuse,
    abortWorks: async () => undefined,
    pendingErasures: async () => [],
    stop: async () => undefined,
  };
};
