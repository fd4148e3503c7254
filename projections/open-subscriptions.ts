import type { Clock, EventReader, Position } from '../kernel/ports.js';
import {
  aheadReason,
  emptiedWhenExchanged,
  emptiedWhenForgotten,
  forgottenReason,
  type Ahead,
} from './exchanged-log.js';
import { wholeAt } from './filling.js';
import type { Parking } from './parking.js';
import type { ReadModel } from './read-model.js';
import { whenReachable } from './ruled-out.js';
import { batchEventsMax, type Subscription } from './subscription.js';

/** Why a read model is not asked yet, for an operator. */
export const behindReason = 'filled from the log: it lacks what was logged before the start';

export type OpenNeeds = {
  readonly reader: Pick<EventReader, 'head' | 'lag'>;
  readonly sources: readonly ReadModel[];
  readonly parking: Parking;
  readonly clock: Clock;
  /** Told at the start when the log is not the one that was folded (exchanged-log.ts). */
  readonly exchanged?: (ahead: readonly Ahead[]) => void;
};

/** Each where its store is; what has to be filled first says why, and until where. */
export const openSubscriptions = async (needs: OpenNeeds): Promise<readonly Subscription[]> => {
  const ahead = await emptiedWhenExchanged(needs);
  if (ahead.length > 0) needs.exchanged?.(ahead);
  const forgotten = await emptiedWhenForgotten(needs);
  const lost = new Map(forgotten.map(({ name, until }) => [name, until]));
  return Promise.all(
    needs.sources.map(async (source): Promise<Subscription> => {
      const position = await source.checkpoint();
      return {
        source,
        position,
        paused: false,
        trouble: null,
        anew:
          anewOf(source, ahead) ??
          lostAt(lost.get(source.name)) ??
          (await behindAt(needs, position)),
        batchMax: batchEventsMax,
        narrowing: false,
      };
    }),
  );
};

const behindAt = async (
  { clock, reader }: OpenNeeds,
  position: Position,
): Promise<Subscription['anew']> => {
  const until = await whenReachable(clock, () => wholeAt(reader, position));
  return until === null ? null : { reason: behindReason, until };
};

const lostAt = (until: Position | undefined): Subscription['anew'] =>
  until === undefined ? null : { reason: forgottenReason, until };

/** When one is ahead, all are built anew. */
const anewOf = ({ name }: ReadModel, ahead: readonly Ahead[]): Subscription['anew'] => {
  const why = ahead.find((one) => one.name === name) ?? ahead[0];
  if (why === undefined) return null;
  const of = why.name === name ? '' : ` (${why.name})`;
  return { reason: `${aheadReason(why)}${of}`, until: why.head };
};
