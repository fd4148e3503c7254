import type { IncomingMessage } from 'node:http';
import type { Freshness, Gate, Idempotency } from '../../contract/gate.js';
import type { Route } from '../../contract/operation.js';
import type { Clock, Ids } from '../../kernel/ports.js';
import type { Askers } from './askers.js';
import type { Load } from './load.js';
import type { Peer } from './peer.js';
import type { Watch } from './watch.js';

/** What every request is answered with. */
export type Services = {
  readonly gate: Gate;
  readonly idempotency: Idempotency;
  readonly freshness: Freshness;
  readonly clock: Clock;
  readonly ids: Ids;
  /** In lower case. */
  readonly keyHeaders: readonly string[];
  readonly peerOf: (message: IncomingMessage) => Peer;
  readonly load: Load;
  /** Called once per request whose credential is valid. */
  readonly authenticated: (message: IncomingMessage) => void;
  readonly watch: Watch;
  readonly askers: Askers;
  /** How long the handler may take (contract 1.11). */
  readonly answerWithinMs: (route: Route) => number;
  /** Where its requests take so much memory that only a few are worked on at a time. */
  readonly quotaOf: (route: Route) => 'large' | 'tables' | null;
};
