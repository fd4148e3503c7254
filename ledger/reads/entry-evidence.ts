import { secretEventTypes } from '../../events/secrets.js';
import { Fault } from '../../kernel/fault.js';
import type { EventReader } from '../../kernel/ports.js';
import type { ProofNeeds } from './proof.js';

/** Evidence of an entry's event from the log: its salt and text, unless erased or secret. */
export const entryEvidence = (
  log: Pick<EventReader, 'evidenceAt'>,
): Pick<ProofNeeds, 'evidenceOf'> => ({
  evidenceOf: async ({ eventId, type, position }) => {
    const event = await log.evidenceAt(position);
    // Missing events are reported by `verify` and by the seal worker.
    if (event?.id !== eventId) throw new Fault('unavailable', 'The log does not have this event');
    const { salt, data } = event;
    const erased = data === null;
    return secretEventTypes.has(type) ? { salt: null, data: null, erased } : { salt, data, erased };
  },
});
