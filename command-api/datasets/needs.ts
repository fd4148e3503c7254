import type { RequestAuthorizer } from '../../contract/request-ports.js';
import type { EventLog, Ids } from '../../kernel/ports.js';
import type { ReadTable } from './upload.js';

export type DatasetNeeds = {
  readonly log: EventLog;
  readonly ids: Ids;
  readonly readTable: ReadTable;
  readonly visibleProject: RequestAuthorizer['visibleProject'];
};
