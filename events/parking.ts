// Stored for ever: names and members below are the storage format; versions are in upcasts.ts.
import { Type } from 'typebox';
import { streamNameOf, type StreamName } from '../kernel/ports.js';
import { nullable, type Instant } from '../kernel/schema-types.js';
import type { EventOf } from './schemas.js';

const uuid = Type.Unsafe<string>(Type.String({ format: 'uuid' }));
/** Who decided it, as they say, and why. */
const decisionMembers = { reason: Type.String(), operator: Type.String() };

/** Stream `operations-<yyyy-mm>`: what operators decided about read models, in nobody's history. */
export const parkingEvents = {
  /** The event is ruled out for this read model and for good: every replay passes it over. */
  ParkedEventSkipped: Type.Object({
    projection: Type.String(),
    stream: Type.String(),
    revision: Type.Integer(),
    event_id: uuid,
    ...decisionMembers,
  }),
  /** It was tried again; whether that went well is not said here. */
  ParkedStreamRetried: Type.Object({
    projection: Type.String(),
    /** Null, like the place in it, when the read model was told to go on after a pause. */
    stream: nullable(Type.String()),
    revision: nullable(Type.Integer()),
    event_id: nullable(uuid),
    ...decisionMembers,
  }),
};
export type ParkingEvent = EventOf<typeof parkingEvents>;

/** Where it is kept; one that is read by its months needs no list of streams. */
export const operationsStream = (at: Instant): StreamName =>
  streamNameOf('operations', at.slice(0, 7));
