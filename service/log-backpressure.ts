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

/** What this process knows of what it appends, and how far that was folded. */
export type LogBackpressure = {
  readonly throttledLog: (log: EventLog) => EventLog;
  /** From now on each project logs as fast as this store follows; before, nobody waits. */
  readonly follow: (
    readable: () => Promise<Position>,
    hints: Pick<NotificationBus, 'subscribe'>,
  ) => void;
  /** Nobody waits from now on. */
  readonly stop: () => void;
  /** For reads; without targets where others append to the log too. */
  readonly freshness: Pick<FreshnessNeeds, 'targets' | 'onLateRead'>;
};

type Needs = {
  readonly clock: Clock;
  /** Nobody else appends to the log. */
  readonly isOnlyProcess: boolean;
  /** Of the log, as it was opened. */
  readonly head: Position;
  readonly metrics: Pick<Metrics, 'backpressureWait'>;
};

export const openLogBackpressure = ({
  clock,
  isOnlyProcess,
  head,
  metrics,
}: Needs): LogBackpressure => {
  const targets = isOnlyProcess ? openRequiredPositions(projections, head) : null;
  let pace: IngestBackpressure | null = null;
  return {
    throttledLog: (log) => {
      const told = targets === null ? log : positionTrackingLog(log, targets);
      return withIngestBackpressure(told, {
        pace: () => pace,
        asker: currentQueryContext,
        weightOf: estimateCharacters,
      });
    },
    follow: (readable, hints) => {
      const waited = (milliseconds: number): void => metrics.backpressureWait(milliseconds / 1_000);
      const followed = openIngestBackpressure({
        clock,
        projectedPosition: readable,
        onWait: waited,
      });
      pace = followed;
      hints.subscribe(movedSubject, (message) => {
        if (parseMoved(message)?.name === recordsCollection.name) followed.checkProgress();
      });
    },
    stop: () => pace?.stop(),
    freshness: {
      ...(targets !== null && { targets }),
      onLateRead: (project, name) => {
        if (name === recordsCollection.name) pace?.recordLateRead(project);
      },
    },
  };
};

/** Whoever is answered after an append finds it noted. */
const positionTrackingLog = (log: EventLog, targets: RequiredPositions): EventLog => ({
  ...log,
  append: async (batch) => {
    const results = await log.append(batch);
    for (const [at, result] of results.entries()) {
      const one = batch[at];
      if (one !== undefined && result !== 'conflict') targets.recordAppend(one, result.position);
    }
    return results;
  },
});
