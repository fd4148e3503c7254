import { currentQueryContext } from '../engines/koa/request-scope.js';
import { sha256 } from '../engines/node/digest.js';
import { openTimeSlices } from '../engines/node/event-loop-share.js';
import { documentQueries, type Documents } from '../kernel/documents.js';
import { Fault } from '../kernel/fault.js';
import { openLimiter } from '../kernel/limiter.js';
import { mapMethods, refusingPort, type AsyncMethod } from '../kernel/map-methods.js';
import type { NotificationBus, Clock, EventLog, Position } from '../kernel/ports.js';
import { queryNames, type QueryTraits } from '../kernel/query-methods.js';
import { recordQueries } from '../kernel/records/record-queries.js';
import type { ReadableRecords, RecordFolding } from '../kernel/records/records.js';
import { tracedPort } from '../kernel/tracing.js';
import { projections } from '../projections/projection-registry.js';
import {
  fillMessage,
  type CheckpointReaders,
  type FillMonitor,
} from '../projections/fill-monitor.js';
import { openFreshness } from '../projections/freshness.js';
import type { PositionClock } from '../projections/position-clock.js';
import { openChainReader } from '../ledger/chain-reader.js';
import { historyCollection } from '../ledger/collection.js';
import { recordsCollection } from '../projections/records/collection.js';
import { answerQueries, recordAnswers, type RecordAnswers } from '../query-api/records/answers.js';
import { requestScopedPort } from './request-scope.js';
import type { LogBackpressure } from './process-log.js';
import type { ProjectionHost } from './projection-host.js';
import {
  threadProbeTimeoutMs,
  startHealthProbe,
  probeTimeoutMs,
  type HealthProbe,
} from '../engines/node/health-probe.js';
import { withTraceparent } from './tracing.js';
import { publishReplicaPosition, followReplicas } from './replica.js';
import type { StartupContext } from './startup-context.js';

type Needs = {
  readonly log: EventLog;
  readonly bus: NotificationBus;
  readonly clock: Clock;
  readonly backpressure: LogBackpressure;
  readonly projectionHost: ProjectionHost;
  readonly filling: FillMonitor;
  readonly positionClock: PositionClock;
  /** Aborts when the service ends. */
  readonly signal: AbortSignal;
};

/** Opens the read models for requests: stores, circuit breakers, scheduling and freshness. */
export const openReadModels = async (
  context: StartupContext,
  { log, bus, clock, backpressure, projectionHost: host, filling, positionClock, signal }: Needs,
) => {
  const { config, engines, logger, tracing, disposers } = context;
  const { retryUntilUp } = context.engineWait;
  const documentsEngine = await retryUntilUp('the read models', () => engines.documents('read'));
  disposers.add('the read models', () => documentsEngine.close());
  const hasNoRecords = host.records === null && config.records === 'replica';
  const rows = hasNoRecords
    ? absentRecords
    : (host.records ?? (await retryUntilUp('the records', () => engines.records())));
  if (host.records === null) disposers.add('the records', () => rows.close());
  const { isRemote } = engines.ports.documents;
  const engineCheckpoints = filling.wrapCheckpoints(
    checkpointsOf(documentsEngine, hasNoRecords ? null : rows),
  );
  await retryUntilUp('the read models', () => positionsOf(engineCheckpoints));
  for (const one of filling.allProgress()) logger.warn(one, fillMessage(one));
  const heartbeat = startHealthProbe(
    { what: 'the read models', clock, signal },
    async () => {
      const damage = documentsEngine.damage?.() ?? null;
      if (damage !== null) throw new Fault('unavailable', damage);
      const positions = await positionsOf(engineCheckpoints);
      if (config.records === 'replica' && !hasNoRecords) publishReplicaPosition(bus, positions);
      return positions;
    },
    isRemote ? probeTimeoutMs : threadProbeTimeoutMs,
  );
  const ports = { documents: documentsEngine, records: rows, answers: host.answers };
  const { documents, records, answers } = requestPorts(context, ports, heartbeat);
  const chains = openChainReader(documents, sha256);
  const checkpoints = filling.wrapCheckpoints(
    checkpointsOf(documents, hasNoRecords ? null : records),
  );
  const notifications = host.notifications === null ? bus : mergedBus(bus, host.notifications);
  const untracedFreshness = openFreshness({
    reader: log,
    checkpoints,
    bus: notifications,
    clock,
    fillMonitor: filling,
    positionClock,
    ...backpressure.freshness,
  });
  const freshness = tracedPort(tracing, 'freshness', untracedFreshness, ['waitUntilApplied']);
  if (hasNoRecords) followReplicas(bus, backpressure);
  else backpressure.start(() => records.checkpoint(), notifications);
  return { documents, records, answers, chains, freshness, checkpoints, heartbeat };
};

type QueryPorts = {
  readonly documents: Documents;
  readonly records: ReadableRecords;
  /** Null: made of the records here. */
  readonly answers: RecordAnswers | null;
};

/** Ports of requests: behind a circuit breaker where remote, scoped, scheduled and traced. */
const requestPorts = (
  { config, engines, tracing }: Pick<StartupContext, 'config' | 'engines' | 'tracing'>,
  ports: QueryPorts,
  { runWhileUp }: Pick<HealthProbe<unknown>, 'runWhileUp'>,
) => {
  const guarded = <T extends object>(
    port: T,
    queries: readonly AsyncMethod<T>[],
    isRemote: boolean,
  ): T => (isRemote ? mapMethods(port, queries, runWhileUp) : port);
  const limiter = openLimiter(engines.ports.records.concurrency(config.poolThreads));
  const current = tracing.isOn
    ? withTraceparent(tracing, currentQueryContext)
    : currentQueryContext;
  const scoped = <T extends object, N extends AsyncMethod<T>>(
    name: string,
    port: T,
    queries: Readonly<Record<N, QueryTraits>>,
  ): T => {
    const scopedPort = requestScopedPort(port, queries, current, limiter);
    return tracedPort(tracing, name, scopedPort, queryNames(queries));
  };
  const documentNames = [...queryNames(documentQueries), 'checkpoint'] as const;
  const documents = guarded(ports.documents, documentNames, engines.ports.documents.isRemote);
  const recordNames = [...queryNames(recordQueries), 'checkpoint'] as const;
  const records = guarded(ports.records, recordNames, engines.ports.records.isRemote);
  const answers = ports.answers ?? recordAnswers({ records, inSlices: openTimeSlices() });
  return {
    documents: scoped('documents', documents, documentQueries),
    records: scoped('records', records, recordQueries),
    answers: scoped('answers', answers, answerQueries),
  };
};

/** Merges the notifications of this process with those of the bus. */
const mergedBus = (
  bus: NotificationBus,
  local: Pick<NotificationBus, 'publish' | 'subscribe'>,
): NotificationBus => ({
  ...bus,
  publish: (subject, message) => [bus, local].forEach((one) => one.publish(subject, message)),
  subscribe: (subject, handler) => {
    const ends = [bus, local].map((one) => one.subscribe(subject, handler));
    return () => ends.forEach((end) => end());
  },
});

/** Records of a process without a replica: every method is refused. */
const absentRecords = refusingPort<ReadableRecords>(
  'This process does not serve records; send the request to one with the role query or worker',
  { close: async () => undefined },
);

const checkpointsOf = (
  documents: Pick<Documents, 'checkpoint'>,
  records: Pick<RecordFolding, 'checkpoint'> | null,
): CheckpointReaders => {
  const collections = [...projections.map(({ collection }) => collection), historyCollection];
  return new Map([
    ...collections.map(
      (collection) => [collection.name, () => documents.checkpoint(collection)] as const,
    ),
    ...(records === null ? [] : [[recordsCollection.name, () => records.checkpoint()] as const]),
  ]);
};

/** Checkpoint of each read model, by name. */
const positionsOf = async (
  checkpoints: CheckpointReaders,
): Promise<ReadonlyMap<string, Position>> =>
  new Map(
    await Promise.all(
      [...checkpoints].map(async ([name, checkpoint]) => [name, await checkpoint()] as const),
    ),
  );
