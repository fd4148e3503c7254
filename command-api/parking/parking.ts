import type { ParkingEvent } from '../../events/parking.js';
import { unreachable, type Decide, type Fold } from '../../kernel/decision.js';

/** What was ruled out in one month, as `<read model>/<stream>@<revision>`. */
export type RuledOut = ReadonlySet<string>;

export const ruledOut: Fold<RuledOut, ParkingEvent> = {
  initial: new Set(),
  evolve: (known, event) => {
    switch (event.type) {
      case 'ParkedEventSkipped':
        return new Set([...known, keyOf(event.data)]);
      case 'ParkedStreamRetried':
        return known;
      default:
        return unreachable(event);
    }
  },
};

type Skipping = Extract<ParkingEvent, { readonly type: 'ParkedEventSkipped' }>['data'];
type Retrying = Extract<ParkingEvent, { readonly type: 'ParkedStreamRetried' }>['data'];

const keyOf = ({ projection, stream, revision }: Omit<Skipping, 'reason' | 'operator'>): string =>
  `${projection}/${stream}@${revision}`;

/** Once is for good. */
export const skip =
  (data: Skipping): Decide<RuledOut, ParkingEvent> =>
  (known) =>
    known.has(keyOf(data)) ? [] : [{ type: 'ParkedEventSkipped', data }];

/** Each time is another attempt, so each is told. */
export const retry =
  (data: Retrying): Decide<RuledOut, ParkingEvent> =>
  () => [{ type: 'ParkedStreamRetried', data }];
