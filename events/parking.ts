// Stored for ever: names and members below are the storage format; versions are in upcasts.ts.
import { Type } from 'typebox';
import { streamNameOf, type StreamName } from '../kernel/ports.js';
import { nullable, type Instant } from '../kernel/schema-types.js';
import type { Noun } from './noun.js';
import { event, type EventOf } from './schemas.js';

const uuid = Type.Unsafe<string>(Type.String({ format: 'uuid' }));
/** Operator who decided, by their own statement, and the reason. */
const decisionMembers = { reason: Type.String(), operator: Type.String() };

/**
 * Stream `operations-<yyyy-mm>`: operators' decisions about read models (parked events), outside
 * all organisations' histories.
 */
const parkingEvents = {
  /** Poison event: it is skipped for this read model for good, in every replay. */
  ParkedEventSkipped: event('entity update', {
    projection: Type.String(),
    stream: Type.String(),
    revision: Type.Integer(),
    event_id: uuid,
    ...decisionMembers,
  }),
  /** Retry of the stream; its outcome is not recorded here. */
  ParkedStreamRetried: event('entity update', {
    projection: Type.String(),
    /** Null, like `revision`, when the read model was resumed after a pause. */
    stream: nullable(Type.String()),
    revision: nullable(Type.Integer()),
    event_id: nullable(uuid),
    ...decisionMembers,
  }),
};
export const parkingNoun: Noun = {
  stream: { name: 'operations-<month>', subject: 'organization', erasedWith: null },
  events: parkingEvents,
};

export type ParkingEvent = EventOf<typeof parkingEvents>;

/** Stream of the decision; reading by months needs no list of streams. */
export const operationsStream = (at: Instant): StreamName =>
  streamNameOf('operations', at.slice(0, 7));
