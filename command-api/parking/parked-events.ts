import type { ParkingEvent } from '../../events/parking.js';
import { unreachable, type Decide, type Fold } from '../../kernel/decision.js';

/** What was ruled out in one month, as `<read model>/<stream>@<revision>`. */
export type SkippedEvents = ReadonlySet<string>;

export const skippedEvents: Fold<SkippedEvents, ParkingEvent> = {
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

type SkipData = Extract<ParkingEvent, { readonly type: 'ParkedEventSkipped' }>['data'];
type RetryData = Extract<ParkingEvent, { readonly type: 'ParkedStreamRetried' }>['data'];

const keyOf = ({ projection, stream, revision }: Omit<SkipData, 'reason' | 'operator'>): string =>
  `${projection}/${stream}@${revision}`;

/** Once is for good. */
export const skipParkedEvent =
  (data: SkipData): Decide<SkippedEvents, ParkingEvent> =>
  (known) =>
    known.has(keyOf(data)) ? [] : [{ type: 'ParkedEventSkipped', data }];

/** Each time is another attempt, so each is told. */
export const retryParkedStream =
  (data: RetryData): Decide<SkippedEvents, ParkingEvent> =>
  () => [{ type: 'ParkedStreamRetried', data }];
