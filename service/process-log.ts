import {
  affectsRights,
  rightsSubject,
  type RightsCache,
} from '../command-api/access/rights-cache.js';
import { payloadCharacters } from '../command-api/traces/event-packing.js';
import { currentQueryContext } from '../engines/koa/request-scope.js';
import type { Metrics } from '../engines/prometheus/metrics.js';
import { withIngestBackpressure } from '../kernel/backpressured-log.js';
import { openIngestBackpressure, type IngestBackpressure } from '../kernel/ingest-backpressure.js';
import { overridePort } from '../kernel/map-methods.js';
import type { NotificationBus, Clock, EventLog, Position } from '../kernel/ports.js';
import { tracedPort, type Tracing } from '../kernel/tracing.js';
import { projections } from '../projections/projection-registry.js';
import type { FreshnessNeeds } from '../projections/freshness.js';
import { openRequiredPositions } from '../projections/required-positions.js';
import { movedSubject, parseMoved } from '../projections/subscription.js';
import { recordsCollection } from '../projections/records/collection.js';

/** Ingest backpressure and read-your-writes of this process: how far its appends are folded. */
export type LogBackpressure = {
  /**
   * Starts backpressure: each project's appends wait while this store lags. No append waits before.
   */
  readonly start: (
    projectedPosition: () => Promise<Position>,
    notifications: Pick<NotificationBus, 'subscribe'>,
  ) => void;
  /** Ends backpressure: no append waits after. */
  readonly stop: () => void;
  /**
   * Needs of `openFreshness`; no `requiredPositions` when other processes append to the log too.
   */
  readonly freshness: Pick<FreshnessNeeds, 'requiredPositions' | 'onLateRead'>;
};

type Needs = {
  readonly clock: Clock;
  readonly bus: NotificationBus;
  readonly metrics: Pick<Metrics, 'append' | 'backpressureWait'>;
  readonly tracing: Tracing;
  readonly rights: Pick<RightsCache, 'invalidate'>;
  /** True if no other process appends to the log. */
  readonly isOnlyProcess: boolean;
};

/**
 * The log as this process appends to it. Stages of an append: ingest backpressure admits it, in
 * parts; the engine makes each part durable, which is traced and timed; cached rights that it may
 * change are dropped, here and in other processes; and its position is recorded for reads that
 * follow (read-your-writes), all before it returns.
 */
export const openProcessLog = async (
  opened: EventLog,
  { clock, bus, metrics, tracing, rights, isOnlyProcess }: Needs,
): Promise<{ readonly log: EventLog; readonly backpressure: LogBackpressure }> => {
  const required = isOnlyProcess ? openRequiredPositions(projections, await opened.head()) : null;
  let ingest: IngestBackpressure | null = null;
  const append: EventLog['append'] = async (batch) => {
    const began = clock.milliseconds();
    const results = await tracing.span('log.append', () => opened.append(batch));
    metrics.append((clock.milliseconds() - began) / 1_000);
    // New streams need no invalidation: absence is not cached.
    if (batch.some(({ stream, expected }) => expected !== 'none' && affectsRights(stream))) {
      rights.invalidate();
      bus.publish(rightsSubject, null);
    }
    for (const [at, result] of results.entries()) {
      const appended = batch[at];
      if (appended !== undefined && result !== 'conflict')
        required?.recordAppend(appended, result.position);
    }
    return results;
  };
  const log = withIngestBackpressure(overridePort(opened, { append }), {
    backpressure: () => ingest,
    currentContext: currentQueryContext,
    weightOf: payloadCharacters,
  });
  return {
    log: tracedPort(tracing, 'log', log, ['read', 'last', 'page', 'streams']),
    backpressure: {
      start: (projectedPosition, notifications) => {
        const onWait = (milliseconds: number): void =>
          metrics.backpressureWait(milliseconds / 1_000);
        const started = openIngestBackpressure({ clock, projectedPosition, onWait });
        ingest = started;
        notifications.subscribe(movedSubject, (message) => {
          if (parseMoved(message)?.name === recordsCollection.name) started.checkProgress();
        });
      },
      stop: () => ingest?.stop(),
      freshness: {
        ...(required !== null && { requiredPositions: required }),
        onLateRead: (project, name) => {
          if (name === recordsCollection.name) ingest?.recordLateRead(project);
        },
      },
    },
  };
};
