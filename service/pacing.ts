import { weightOf } from '../command-api/traces/sizes.js';
import { currentAsking } from '../engines/node/asking.js';
import type { Metrics } from '../engines/prometheus/metrics.js';
import { openPace, type Pace } from '../kernel/pace.js';
import { pacedLog } from '../kernel/paced-log.js';
import type { Bus, Clock, EventLog, Position } from '../kernel/ports.js';
import { projections } from '../projections/all.js';
import type { FreshnessNeeds } from '../projections/freshness.js';
import { openReadTargets, type ReadTargets } from '../projections/read-targets.js';
import { movedSubject, movedTo } from '../projections/subscription.js';
import { recordsCollection } from '../projections/records/collection.js';

/** What this process knows of what it appends, and how far that was folded. */
export type Pacing = {
  readonly paced: (log: EventLog) => EventLog;
  /** From now on each project logs as fast as this store follows; before, nobody waits. */
  readonly follow: (readable: () => Promise<Position>, hints: Pick<Bus, 'subscribe'>) => void;
  /** Nobody waits from now on. */
  readonly stop: () => void;
  /** For reads; without targets where others append to the log too. */
  readonly known: Pick<FreshnessNeeds, 'targets' | 'readIsLate'>;
};

type Needs = {
  readonly clock: Clock;
  /** Nobody else appends to the log. */
  readonly alone: boolean;
  /** Of the log, as it was opened. */
  readonly head: Position;
  readonly metrics: Pick<Metrics, 'pause'>;
};

export const openPacing = ({ clock, alone, head, metrics }: Needs): Pacing => {
  const targets = alone ? openReadTargets(projections, head) : null;
  let pace: Pace | null = null;
  return {
    paced: (log) => {
      const told = targets === null ? log : notedLog(log, targets);
      return pacedLog(told, {
        pace: () => pace,
        asker: currentAsking,
        weightOf,
      });
    },
    follow: (readable, hints) => {
      const waited = (milliseconds: number): void => metrics.pause(milliseconds / 1_000);
      const followed = openPace({ clock, readable, waited });
      pace = followed;
      hints.subscribe(movedSubject, (message) => {
        if (movedTo(message)?.name === recordsCollection.name) followed.moved();
      });
    },
    stop: () => pace?.stop(),
    known: {
      ...(targets !== null && { targets }),
      readIsLate: (project, name) => {
        if (name === recordsCollection.name) pace?.readIsLate(project);
      },
    },
  };
};

/** Whoever is answered after an append finds it noted. */
const notedLog = (log: EventLog, targets: ReadTargets): EventLog => ({
  ...log,
  append: async (batch) => {
    const results = await log.append(batch);
    for (const [at, result] of results.entries()) {
      const one = batch[at];
      if (one !== undefined && result !== 'conflict') targets.note(one, result.position);
    }
    return results;
  },
});
