import { secretEventTypes } from '../../events/secrets.js';
import { Fault } from '../../kernel/fault.js';
import { start, type EventReader, type Position } from '../../kernel/ports.js';
import type { ProofNeeds } from '../../query-api/history-seals/proof.js';

/** What the log has of an entry's event: its salt and text, unless they are gone or secret. */
export const entryEvidence = (
  log: Pick<EventReader, 'evidence'>,
): Pick<ProofNeeds, 'evidenceOf'> => ({
  evidenceOf: async ({ eventId, type, position }) => {
    const { events } = await log.evidence(placeBefore(position), 1);
    const event = events.find(({ id }) => id === eventId);
    // What should be there and is not is said by `verify` and by the seals' worker.
    if (event === undefined) throw new Fault('unavailable', 'The log does not have this event');
    const { salt, data } = event;
    const erased = data === null;
    return secretEventTypes.has(type) ? { salt: null, data: null, erased } : { salt, data, erased };
  },
});

/** Evidence after it begins with what is at the position. */
export const placeBefore = (position: Position): Position => {
  const number = BigInt(`0x${position}`);
  const text = number === 0n ? start : (number - 1n).toString(16).padStart(start.length, '0');
  return text as Position;
};
