// Stored for ever: names, members and versions below are the storage format.
import { Type, type Static } from 'typebox';

/**
 * Stream `reservation-<what>-<hash of the name in its scope>`. `holder` is the id of who has the
 * name.
 */
export const nameClaimed = Type.Object({ holder: Type.String() });
export const nameReleased = Type.Object({ holder: Type.String() });

export type ReservationEvent =
  | { readonly type: 'NameClaimed'; readonly data: Static<typeof nameClaimed> }
  | { readonly type: 'NameReleased'; readonly data: Static<typeof nameReleased> };
