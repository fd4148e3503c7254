import type { Clock, EventReader, Position } from '../kernel/ports.js';
import {
  aheadReason,
  resetIfLogReplaced,
  resetIfStateLost,
  stateLostReason,
  type AheadReadModel,
} from './read-model-reset.js';
import { fillTarget } from './fill-monitor.js';
import type { Parking } from './parking.js';
import type { ReadModel } from './read-model.js';
import { retryWhileUnavailable } from './skipped-events.js';
import { batchEventsMax, type Subscription } from './subscription.js';

/** Why a read model is not asked yet, for an operator. */
export const fillReason = 'filled from the log: it lacks what was logged before the start';

export type OpenSubscriptionsNeeds = {
  readonly reader: Pick<EventReader, 'head' | 'lag'>;
  readonly readModels: readonly ReadModel[];
  readonly parking: Parking;
  readonly clock: Clock;
  /** Told at the start when the log is not the one that was folded (read-model-reset.ts). */
  readonly onLogReplaced?: (ahead: readonly AheadReadModel[]) => void;
};

/** Each where its store is; what has to be filled first says why, and until where. */
export const openSubscriptions = async (
  needs: OpenSubscriptionsNeeds,
): Promise<readonly Subscription[]> => {
  const ahead = await resetIfLogReplaced(needs);
  if (ahead.length > 0) needs.onLogReplaced?.(ahead);
  const forgotten = await resetIfStateLost(needs);
  const lost = new Map(forgotten.map(({ name, until }) => [name, until]));
  return Promise.all(
    needs.readModels.map(async (source): Promise<Subscription> => {
      const position = await source.checkpoint();
      return {
        readModel: source,
        position,
        paused: false,
        trouble: null,
        refill:
          logReplacedRefill(source, ahead) ??
          stateLossRefill(lost.get(source.name)) ??
          (await lagRefill(needs, position)),
        batchMax: batchEventsMax,
        isBisecting: false,
      };
    }),
  );
};

const lagRefill = async (
  { clock, reader }: OpenSubscriptionsNeeds,
  position: Position,
): Promise<Subscription['refill']> => {
  const until = await retryWhileUnavailable(clock, () => fillTarget(reader, position));
  return until === null ? null : { reason: fillReason, until };
};

const stateLossRefill = (until: Position | undefined): Subscription['refill'] =>
  until === undefined ? null : { reason: stateLostReason, until };

/** When one is ahead, all are built anew. */
const logReplacedRefill = (
  { name }: ReadModel,
  ahead: readonly AheadReadModel[],
): Subscription['refill'] => {
  const why = ahead.find((one) => one.name === name) ?? ahead[0];
  if (why === undefined) return null;
  const of = why.name === name ? '' : ` (${why.name})`;
  return { reason: `${aheadReason(why)}${of}`, until: why.head };
};
