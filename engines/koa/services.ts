import type { IncomingMessage } from 'node:http';
import type { Freshness, RequestAuthorizer, Idempotency } from '../../contract/request-ports.js';
import type { Route } from '../../contract/operation.js';
import type { Clock, Ids } from '../../kernel/ports.js';
import type { RequestScopes } from './request-scope.js';
import type { LoadShedder } from './load-shedding.js';
import type { Peer } from './peer.js';
import type { ContractChecker } from './contract-checker.js';

/** Services that request handling uses. */
export type HttpServices = {
  readonly authorizer: RequestAuthorizer;
  readonly idempotency: Idempotency;
  readonly freshness: Freshness;
  readonly clock: Clock;
  readonly ids: Ids;
  /** Lower case. */
  readonly keyHeaders: readonly string[];
  readonly peerOf: (message: IncomingMessage) => Peer;
  readonly load: LoadShedder;
  /** Called once per request with a valid credential. */
  readonly authenticated: (message: IncomingMessage) => void;
  readonly watch: ContractChecker;
  readonly requestScopes: RequestScopes;
  /** Deadline of the handler (contract 1.11). */
  readonly answerWithinMs: (route: Route) => number;
  /**
   * Quota of a route whose requests take so much memory that only a few run at a time; else null.
   */
  readonly quotaOf: (route: Route) => 'largeAnswers' | 'datasetWrites' | null;
};
