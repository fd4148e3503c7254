import type { ParkingEvent } from '../../events/parking.js';
import { unreachable, type Decide, type Fold } from '../../kernel/decision.js';

/** Poison events skipped in one month, as `<read model>/<stream>@<revision>`. */
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

/** Skips a poison event for good. Idempotent. */
export const skipParkedEvent =
  (data: SkipData): Decide<SkippedEvents, ParkingEvent> =>
  (known) =>
    known.has(keyOf(data)) ? [] : [{ type: 'ParkedEventSkipped', data }];

/** Retries a parked stream; each call is another attempt and is recorded. */
export const retryParkedStream =
  (data: RetryData): Decide<SkippedEvents, ParkingEvent> =>
  () => [{ type: 'ParkedStreamRetried', data }];
