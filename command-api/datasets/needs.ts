import type { Gate } from '../../contract/gate.js';
import type { EventLog, Ids } from '../../kernel/ports.js';
import type { InTurn } from '../../kernel/turns.js';
import type { ReadTable } from './upload.js';

export type DatasetNeeds = {
  readonly log: EventLog;
  readonly ids: Ids;
  readonly readTable: ReadTable;
  readonly inTurn: InTurn;
  readonly projectInSight: Gate['projectInSight'];
};
