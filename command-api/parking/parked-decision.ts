import { operationsStream, type ParkingEvent } from '../../events/parking.js';
import type { Decide } from '../../kernel/decision.js';
import type { Clock, EventLog, Ids } from '../../kernel/ports.js';
import { transact } from '../../kernel/transact.js';
import { serviceAuthorship } from '../work/service-authorship.js';
import { skippedEvents, type SkippedEvents } from './parked-events.js';

export type ParkedDecisionNeeds = {
  readonly log: EventLog;
  readonly clock: Pick<Clock, 'now'>;
  readonly ids: Ids;
};

/**
 * Records an operator's decision on a parked (poison) event; durable once this resolves. Throws
 * Fault `unavailable` when the log cannot be written.
 */
export const recordParkedDecision = async (
  { log, clock, ids }: ParkedDecisionNeeds,
  decide: Decide<SkippedEvents, ParkingEvent>,
): Promise<void> => {
  const requestId = ids.next('RequestId');
  const author = serviceAuthorship({ clock, ids }, null, requestId, requestId);
  await transact(log, operationsStream(author.at), skippedEvents, decide, author);
};
