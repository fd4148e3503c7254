import { estimateCharacters } from '../command-api/traces/event-packing.js';
import { currentQueryContext } from '../engines/node/query-context.js';
import type { Metrics } from '../engines/prometheus/metrics.js';
import { openIngestBackpressure, type IngestBackpressure } from '../kernel/ingest-backpressure.js';
import { withIngestBackpressure } from '../kernel/backpressured-log.js';
import type { NotificationBus, Clock, EventLog, Position } from '../kernel/ports.js';
import { projections } from '../projections/projection-registry.js';
import type { FreshnessNeeds } from '../projections/freshness.js';
import {
  openRequiredPositions,
  type RequiredPositions,
} from '../projections/required-positions.js';
import { movedSubject, parseMoved } from '../projections/subscription.js';
import { recordsCollection } from '../projections/records/collection.js';

/**
 * Ingest backpressure and read-your-writes of this process: its appends, and how far they are
 * folded.
 */
export type LogBackpressure = {
  /** Wraps the log: appends wait for their project's limit. */
  readonly withBackpressure: (log: EventLog) => EventLog;
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
  /** True if no other process appends to the log. */
  readonly isOnlyProcess: boolean;
  /** Head of the log when it was opened. */
  readonly head: Position;
  readonly metrics: Pick<Metrics, 'backpressureWait'>;
};

export const openLogBackpressure = ({
  clock,
  isOnlyProcess,
  head,
  metrics,
}: Needs): LogBackpressure => {
  const requiredPositions = isOnlyProcess ? openRequiredPositions(projections, head) : null;
  let backpressure: IngestBackpressure | null = null;
  return {
    withBackpressure: (log) => {
      const trackedLog =
        requiredPositions === null ? log : positionTrackingLog(log, requiredPositions);
      return withIngestBackpressure(trackedLog, {
        backpressure: () => backpressure,
        currentContext: currentQueryContext,
        weightOf: estimateCharacters,
      });
    },
    start: (projectedPosition, notifications) => {
      const onWait = (milliseconds: number): void => metrics.backpressureWait(milliseconds / 1_000);
      const started = openIngestBackpressure({
        clock,
        projectedPosition,
        onWait,
      });
      backpressure = started;
      notifications.subscribe(movedSubject, (message) => {
        if (parseMoved(message)?.name === recordsCollection.name) started.checkProgress();
      });
    },
    stop: () => backpressure?.stop(),
    freshness: {
      ...(requiredPositions !== null && { requiredPositions }),
      onLateRead: (project, name) => {
        if (name === recordsCollection.name) backpressure?.recordLateRead(project);
      },
    },
  };
};

/** Read-your-writes: records the position of each append before the append returns. */
const positionTrackingLog = (log: EventLog, requiredPositions: RequiredPositions): EventLog => ({
  ...log,
  append: async (batch) => {
    const results = await log.append(batch);
    for (const [at, result] of results.entries()) {
      const streamAppend = batch[at];
      if (streamAppend !== undefined && result !== 'conflict')
        requiredPositions.recordAppend(streamAppend, result.position);
    }
    return results;
  },
});
