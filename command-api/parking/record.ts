import { operationsStream, type ParkingEvent } from '../../events/parking.js';
import type { Decide } from '../../kernel/decision.js';
import type { Clock, EventLog, Ids } from '../../kernel/ports.js';
import { transact } from '../../kernel/transact.js';
import { byItself } from '../work/service-author.js';
import { ruledOut, type RuledOut } from './parking.js';

export type RulingNeeds = {
  readonly log: EventLog;
  readonly clock: Pick<Clock, 'now'>;
  readonly ids: Ids;
};

/**
 * An operator's decision is durable once this resolves. Throws Fault `unavailable` when the log
 * cannot be written.
 */
export const recordRuling = async (
  { log, clock, ids }: RulingNeeds,
  decide: Decide<RuledOut, ParkingEvent>,
): Promise<void> => {
  const requestId = ids.next('RequestId');
  const author = byItself({ clock, ids }, null, requestId, requestId);
  await transact(log, operationsStream(author.at), ruledOut, decide, author);
};
