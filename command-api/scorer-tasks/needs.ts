import type { Gate } from '../../contract/gate.js';
import type { Bus, EventLog, Ids } from '../../kernel/ports.js';
import type { InTurn } from '../../kernel/turns.js';

export type ScorerTaskNeeds = {
  readonly log: EventLog;
  readonly ids: Pick<Ids, 'derive'>;
  readonly bus: Pick<Bus, 'publish'>;
  readonly inTurn: InTurn;
  readonly projectInSight: Gate['projectInSight'];
};
