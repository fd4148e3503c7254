// Stored for ever: names and members below are the storage format; versions are in upcasts.ts.
import { Type } from 'typebox';
import type { Noun } from './noun.js';
import { event, type EventOf } from './schemas.js';

const reservationEvents = {
  /**
   * Stream `reservation-<what>-<hash of the name in its scope>`. `holder` is the id of the name's
   * holder.
   */
  NameClaimed: event('entity create', { holder: Type.String() }),
  NameReleased: event('entity delete', { holder: Type.String() }),
};

export const reservationNoun: Noun = {
  stream: {
    name: 'reservation-<what>-<hash>',
    subject: 'reservation',
    erasedWith: 'nothing',
    isTechnical: true,
  },
  events: reservationEvents,
};

export type ReservationEvent = EventOf<typeof reservationEvents>;
