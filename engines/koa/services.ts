import type { IncomingMessage } from 'node:http';
import type { Freshness, RequestAuthorizer, Idempotency } from '../../contract/request-ports.js';
import type { Route } from '../../contract/operation.js';
import type { Clock, Ids } from '../../kernel/ports.js';
import type { RequestScopes } from './request-scope.js';
import type { LoadShedder } from './load-shedding.js';
import type { Peer } from './peer.js';
import type { ContractChecker } from './contract-checker.js';

/** What every request is answered with. */
export type HttpServices = {
  readonly authorizer: RequestAuthorizer;
  readonly idempotency: Idempotency;
  readonly freshness: Freshness;
  readonly clock: Clock;
  readonly ids: Ids;
  /** In lower case. */
  readonly keyHeaders: readonly string[];
  readonly peerOf: (message: IncomingMessage) => Peer;
  readonly load: LoadShedder;
  /** Called once per request whose credential is valid. */
  readonly authenticated: (message: IncomingMessage) => void;
  readonly watch: ContractChecker;
  readonly askers: RequestScopes;
  /** How long the handler may take (contract 1.11). */
  readonly answerWithinMs: (route: Route) => number;
  /** Where its requests take so much memory that only a few are worked on at a time. */
  readonly quotaOf: (route: Route) => 'large' | 'tables' | null;
};
