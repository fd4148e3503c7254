import { start, type Clock, type EventReader, type Position } from '../kernel/ports.js';
import {
  aheadReason,
  emptiedWhenExchanged,
  emptiedWhenForgotten,
  forgottenReason,
  type Ahead,
} from './exchanged-log.js';
import type { Parking } from './parking.js';
import type { ReadModel } from './read-model.js';
import { whenReachable } from './ruled-out.js';
import { batchEventsMax, type Subscription } from './subscription.js';

/** Why a replica is not asked yet, for an operator. */
export const behindReason = 'filled from the log: it lacks what was logged before the start';

export type OpenNeeds = {
  readonly reader: Pick<EventReader, 'head'>;
  readonly sources: readonly ReadModel[];
  readonly parking: Parking;
  readonly clock: Clock;
  /** Told at the start when the log is not the one that was folded (exchanged-log.ts). */
  readonly exchanged?: (ahead: readonly Ahead[]) => void;
  /** What lacks events at the start says so until it has them. */
  readonly wholeFirst?: boolean;
};

/** Each where its store is; what has to be filled first says why, and until where. */
export const openSubscriptions = async (needs: OpenNeeds): Promise<readonly Subscription[]> => {
  const ahead = await emptiedWhenExchanged(needs);
  if (ahead.length > 0) needs.exchanged?.(ahead);
  const forgotten = await emptiedWhenForgotten(needs);
  const lost = new Map(forgotten.map(({ name, until }) => [name, until]));
  const whole = needs.wholeFirst === true ? await headOf(needs) : start;
  return Promise.all(
    needs.sources.map(async (source): Promise<Subscription> => {
      const position = await source.checkpoint();
      return {
        source,
        position,
        paused: false,
        trouble: null,
        anew: anewOf(source, ahead) ?? lostAt(lost.get(source.name)) ?? behindAt(position, whole),
        batchMax: batchEventsMax,
        narrowing: false,
      };
    }),
  );
};

const headOf = ({ clock, reader }: OpenNeeds): Promise<Position> =>
  whenReachable(clock, () => reader.head());

const behindAt = (position: Position, until: Position): Subscription['anew'] =>
  position < until ? { reason: behindReason, until } : null;

const lostAt = (until: Position | undefined): Subscription['anew'] =>
  until === undefined ? null : { reason: forgottenReason, until };

/** When one is ahead, all are built anew. */
const anewOf = ({ name }: ReadModel, ahead: readonly Ahead[]): Subscription['anew'] => {
  const why = ahead.find((one) => one.name === name) ?? ahead[0];
  if (why === undefined) return null;
  const of = why.name === name ? '' : ` (${why.name})`;
  return { reason: `${aheadReason(why)}${of}`, until: why.head };
};
