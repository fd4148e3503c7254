import { engineChoiceOf } from '../config.js';
import { openEngines, replicaOf } from '../engines/open.js';
import { logStart, type NotificationBus, type Position } from '../kernel/ports.js';
import type { Projector } from '../projections/projector.js';
import { recordsCollection } from '../projections/records/collection.js';
import {
  incidentHandlersOf,
  type OnRecordsSetBack,
  type ProjectionHost,
} from './projection-host.js';
import { movedSubject, parseMoved } from '../projections/subscription.js';
import type { LogBackpressure } from './process-log.js';
import { startReadSide, type ReadSide } from './read-side.js';
import { hasRole, type StartupContext } from './startup-context.js';

/**
 * Replica: this process folds the records for itself when it serves reads of them, and leaves the
 * lists to the one process that folds them for all (D-157). The copy is disposable: lost, it is
 * filled from the log again. Throws Fault `conflict` when another process holds the folder.
 */
export const withReplica = async (
  context: StartupContext,
  lists: ProjectionHost,
  {
    bus,
    setBack: onSetBack,
  }: { readonly bus: Pick<NotificationBus, 'publish'>; readonly setBack: OnRecordsSetBack },
): Promise<ProjectionHost> => {
  const { config, disposers, engineWait, logger } = context;
  if (config.records !== 'replica') return lists;
  if (!hasRole(config, 'query', 'worker')) return lists;
  const choice = replicaOf(engineChoiceOf(config));
  const engines = await openEngines(choice);
  disposers.add('the folder of the replica', engines.lock());
  const notifications = await engines.bus(null);
  disposers.add('notifications of the replica', () => notifications.close());
  notifications.subscribe(movedSubject, (message) => bus.publish(replicaMovedSubject, message));
  const handlers = incidentHandlersOf(context, onSetBack);
  const replica = await engineWait.retryUntilUp('the log', () =>
    startReadSide(choice, { notificationSpace: null, models: 'records' }, handlers),
  );
  disposers.begin('operators’ works on the replica', () => replica.projector.abortWorks());
  disposers.add('the replica', () => replica.stop());
  logger.info({ dir: engines.dir }, 'this process folds its own records');
  return {
    ...lists,
    records: replica.records,
    answers: replica.answers,
    projector: routingProjector(lists, replica.projector),
    servesOperators: () => true,
    notifications,
    ended: whenEitherEnds(lists, replica),
  };
};

/** Notification for processes without records: a replica elsewhere has moved. */
const replicaMovedSubject = 'replica.moved';

/**
 * Repeated with each heartbeat of the read models: a notification may be lost, or come before its
 * subscriber.
 */
export const publishReplicaPosition = (
  bus: Pick<NotificationBus, 'publish'>,
  positions: ReadonlyMap<string, Position>,
): void => {
  const { name } = recordsCollection;
  bus.publish(replicaMovedSubject, { name, position: positions.get(name) ?? logStart });
};

/**
 * Starts the backpressure of a process without records by the position of the furthest replica: a
 * replica that is being filled must not delay writes. Without a bus between the processes no append
 * waits.
 */
export const followReplicas = (
  bus: Pick<NotificationBus, 'subscribe'>,
  backpressure: Pick<LogBackpressure, 'start'>,
): void => {
  let furthest: Position = logStart;
  bus.subscribe(replicaMovedSubject, (message) => {
    const position = parseMoved(message)?.position ?? logStart;
    if (position <= furthest) return;
    const isFirst = furthest === logStart;
    furthest = position;
    if (!isFirst) return;
    const notifications: Pick<NotificationBus, 'subscribe'> = {
      subscribe: (_subject, handler) => bus.subscribe(replicaMovedSubject, handler),
    };
    backpressure.start(async () => furthest, notifications);
  });
};

/**
 * Routes commands about records to the replica here, about lists to the projector that folds them;
 * commands about all go to those in this process.
 */
const routingProjector = (
  { projector: lists, projectorState }: ProjectionHost,
  replica: Projector,
): Projector => {
  const projectorOf = (name: string): Projector =>
    name === recordsCollection.name ? replica : lists;
  const here = (): readonly Projector[] =>
    projectorState() === 'folding' ? [lists, replica] : [replica];
  const targets = (name: string | null): readonly Projector[] =>
    name === null ? here() : [projectorOf(name)];
  return {
    status: async () => (await Promise.all(here().map((projector) => projector.status()))).flat(),
    parked: async () => (await Promise.all(here().map((projector) => projector.parked()))).flat(),
    retry: (name, stream) => projectorOf(name).retry(name, stream),
    skip: (name, stream, revision) => projectorOf(name).skip(name, stream, revision),
    pause: (name) => projectorOf(name).pause(name),
    resume: (name) => projectorOf(name).resume(name),
    rebuild: async (name, progress, wishes) => {
      for (const projector of targets(name)) await projector.rebuild(name, progress, wishes);
    },
    dryRun: (name) => projectorOf(name).dryRun(name),
    verify: async (name, progress) => {
      const verified = [];
      for (const projector of targets(name))
        verified.push(...(await projector.verify(name, progress)));
      return verified;
    },
    pendingErasures: async () =>
      (await Promise.all(here().map((projector) => projector.pendingErasures()))).flat(),
    abortWorks: async () => void (await Promise.all([lists.abortWorks(), replica.abortWorks()])),
    stop: async () => void (await Promise.all([lists.stop(), replica.stop()])),
  };
};

/** Rejects when either thread dies: both end the process. */
const whenEitherEnds = async (lists: ProjectionHost, replica: ReadSide): Promise<void> => {
  await Promise.race([lists.ended, replica.ended]);
};
