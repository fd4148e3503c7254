// Stored for ever: names and members below are the storage format; versions are in upcasts.ts.
import { Type } from 'typebox';
import type { EventOf } from './schemas.js';

export const reservationEvents = {
  /**
   * Stream `reservation-<what>-<hash of the name in its scope>`. `holder` is the id of the name's
   * holder.
   */
  NameClaimed: Type.Object({ holder: Type.String() }),
  NameReleased: Type.Object({ holder: Type.String() }),
};

export type ReservationEvent = EventOf<typeof reservationEvents>;
