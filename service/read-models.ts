import { currentQueryContext } from '../engines/node/query-context.js';
import { sha256 } from '../engines/node/digest.js';
import { openTimeSlices } from '../engines/node/event-loop-share.js';
import type { Documents } from '../kernel/documents.js';
import { openFairSemaphore } from '../kernel/fair-semaphore.js';
import { Fault } from '../kernel/fault.js';
import type { NotificationBus, Clock, EventLog, Position } from '../kernel/ports.js';
import type { Records } from '../kernel/records/records.js';
import { tracedPort } from '../kernel/tracing.js';
import { projections } from '../projections/projection-registry.js';
import {
  fillMessage,
  type CheckpointReaders,
  type FillMonitor,
} from '../projections/fill-monitor.js';
import { openFreshness } from '../projections/freshness.js';
import { openChainReader } from '../projections/history/chain-reader.js';
import { historyCollection } from '../projections/history/collection.js';
import { recordsCollection } from '../projections/records/collection.js';
import { recordAnswers } from '../query-api/records/answers.js';
import {
  requestScopedAnswers,
  requestScopedDocuments,
  requestScopedRecords,
} from './request-scope.js';
import type { LogBackpressure } from './log-backpressure.js';
import type { ProjectionHost } from './projection-host.js';
import {
  threadProbeTimeoutMs,
  withCircuitBreaker,
  startHealthProbe,
  probeTimeoutMs,
} from './health-probe.js';
import { tracedAnswers, tracedRecords, withTraceparent } from './tracing.js';
import { publishReplicaPosition, followReplicas } from './replica.js';
import type { StartupContext } from './startup-context.js';

type Needs = {
  readonly log: EventLog;
  readonly bus: NotificationBus;
  readonly clock: Clock;
  readonly pacing: LogBackpressure;
  readonly projecting: ProjectionHost;
  readonly filling: FillMonitor;
  /** Aborts when the service ends. */
  readonly signal: AbortSignal;
};

/** Opens the read models for requests: stores, circuit breakers, scheduling and freshness. */
export const openReadModels = async (
  { config, engines, logger, tracing, disposers, engineWait }: StartupContext,
  { log, bus, clock, pacing, projecting, filling, signal }: Needs,
) => {
  const { retryUntilUp } = engineWait;
  const asked = await retryUntilUp('the read models', () => engines.documents('read'));
  disposers.add('the read models', () => asked.close());
  const isElsewhere = projecting.records === null && config.records === 'replica';
  const rows = isElsewhere
    ? absentRecords
    : (projecting.records ?? (await retryUntilUp('the records', () => engines.records())));
  if (projecting.records === null) disposers.add('the records', () => rows.close());
  const { documents: engine, records: recordsEngine } = engines.names;
  const isRemote = engine === 'mongodb';
  const looked = filling.wrapCheckpoints(checkpointsOf(asked, isElsewhere ? null : rows));
  await retryUntilUp('the read models', () => positionsOf(looked));
  for (const one of filling.allProgress()) logger.warn(one, fillMessage(one));
  const pulse = startHealthProbe(
    { what: 'the read models', clock, signal },
    async () => {
      const damage = asked.damage?.() ?? null;
      if (damage !== null) throw new Fault('unavailable', damage);
      const positions = await positionsOf(looked);
      if (config.records === 'replica' && !isElsewhere) publishReplicaPosition(bus, positions);
      return positions;
    },
    isRemote ? probeTimeoutMs : threadProbeTimeoutMs,
  );
  const readModels = isRemote
    ? withCircuitBreaker(asked, pulse, ['durabilityWarning', 'close'])
    : asked;
  const found = recordsEngine === 'mongodb' ? withCircuitBreaker(rows, pulse, ['close']) : rows;
  const current = tracing.isOn
    ? withTraceparent(tracing, currentQueryContext)
    : currentQueryContext;
  const documents = tracedPort(tracing, 'documents', requestScopedDocuments(readModels, current), [
    'get',
    'load',
    'find',
  ]);
  const share = queryConcurrencyOf(recordsEngine, config.poolThreads);
  const line = openFairSemaphore(share.atOnce, share.ofProject, share.waiting);
  const records = tracedRecords(tracing, 'records', requestScopedRecords(found, current, line));
  const made = projecting.answers ?? recordAnswers({ records: found, inSlices: openTimeSlices() });
  const answers = tracedAnswers(tracing, 'answers', requestScopedAnswers(made, current, line));
  const chains = openChainReader(documents, sha256);
  const checkpoints = filling.wrapCheckpoints(
    checkpointsOf(documents, isElsewhere ? null : records),
  );
  const heard = projecting.notifications === null ? bus : mergedBus(bus, projecting.notifications);
  const waits = openFreshness({
    reader: log,
    checkpoints,
    bus: heard,
    clock,
    fillMonitor: filling,
    ...pacing.freshness,
  });
  const freshness = tracedPort(tracing, 'freshness', waits, ['waitUntilApplied']);
  if (isElsewhere) followReplicas(bus, pacing);
  else pacing.follow(() => records.checkpoint(), heard);
  return { documents, records, answers, chains, freshness, checkpoints, pulse };
};

/** Merges the notifications of this process with those of the bus. */
const mergedBus = (
  bus: NotificationBus,
  hints: Pick<NotificationBus, 'subscribe'>,
): NotificationBus => ({
  ...bus,
  subscribe: (subject, handler) => {
    const ends = [bus, hints].map((one) => one.subscribe(subject, handler));
    return () => ends.forEach((end) => end());
  },
});

/** Records of a process without a replica: every method is refused. */
const absentRecords: Records = new Proxy({} as Records, {
  get: (_target, name) => async (): Promise<void> => {
    if (name === 'close') return;
    throw new Fault('unavailable', 'Records are where the roles query and worker are played');
  },
});

const checkpointsOf = (
  documents: Pick<Documents, 'checkpoint'>,
  records: Pick<Records, 'checkpoint'> | null,
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
    await Promise.all([...checkpoints].map(async ([name, ask]) => [name, await ask()] as const)),
  );

/**
 * Concurrency limits of record queries: running in all, running per project, waiting. DuckDB uses
 * two cores, and each running query holds a thread of the pool that passwords and files share. With
 * node's default of four, one stays free for the projections; with the twelve of `npm start` and
 * the image three projects can use their share at once.
 */
const queryConcurrencyOf = (engine: 'duckdb' | 'mongodb', poolThreads: number) => {
  if (engine === 'mongodb') return { atOnce: 16, ofProject: 4, waiting: 64 };
  return { atOnce: poolThreads < 8 ? 3 : 6, ofProject: 2, waiting: 66 };
};
