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

/** Reason, for operators, for which a read model does not serve reads yet. */
export const fillReason = 'filled from the log: events logged before the start are missing';

export type OpenSubscriptionsNeeds = {
  readonly reader: Pick<EventReader, 'head' | 'lag'>;
  readonly readModels: readonly ReadModel[];
  readonly parking: Parking;
  readonly clock: Clock;
  /** Called at the start when read models are ahead of the log (read-model-reset.ts). */
  readonly onLogReplaced?: (ahead: readonly AheadReadModel[]) => void;
};

/**
 * Opens each read model at the checkpoint of its store; `refill` states why one has to be filled
 * first, and until which position.
 */
export const openSubscriptions = async (
  needs: OpenSubscriptionsNeeds,
): Promise<readonly Subscription[]> => {
  const ahead = await resetIfLogReplaced(needs);
  if (ahead.length > 0) needs.onLogReplaced?.(ahead);
  const resets = await resetIfStateLost(needs);
  const resetUntil = new Map(resets.map(({ name, until }) => [name, until]));
  return Promise.all(
    needs.readModels.map(async (source): Promise<Subscription> => {
      const position = await source.checkpoint();
      return {
        readModel: source,
        position,
        paused: false,
        failure: null,
        refill:
          logReplacedRefill(source, ahead) ??
          stateLossRefill(resetUntil.get(source.name)) ??
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

/** Reason for refilling all read models when at least one is ahead of the log. */
const logReplacedRefill = (
  { name }: ReadModel,
  ahead: readonly AheadReadModel[],
): Subscription['refill'] => {
  const why = ahead.find((one) => one.name === name) ?? ahead[0];
  if (why === undefined) return null;
  const suffix = why.name === name ? '' : ` (${why.name})`;
  return { reason: `${aheadReason(why)}${suffix}`, until: why.head };
};
