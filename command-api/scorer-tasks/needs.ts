import type { RequestAuthorizer } from '../../contract/request-ports.js';
import type { NotificationBus, EventLog, Ids } from '../../kernel/ports.js';
import type { KeyedMutex } from '../../kernel/concurrency.js';

export type ScorerTaskNeeds = {
  readonly log: EventLog;
  readonly ids: Pick<Ids, 'derive'>;
  readonly bus: Pick<NotificationBus, 'publish'>;
  readonly keyedMutex: KeyedMutex;
  readonly visibleProject: RequestAuthorizer['visibleProject'];
};
