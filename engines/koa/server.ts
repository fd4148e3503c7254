import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate as immediate } from 'node:timers/promises';
import Koa from 'koa';
import { Fault } from '../../kernel/fault.js';
import { networkOf } from '../../kernel/networks.js';
import { usualKeyHeaders, type Route } from '../../contract/operation.js';
import type { Logger } from '../pino/logger.js';
import type { Metrics } from '../prometheus/metrics.js';
import { openAdmission } from './admission.js';
import { openAskers, type Askers } from './askers.js';
import { usualBodies } from './body.js';
import { answerClientError } from './client-error.js';
import { usualConnections, type ConnectionLimits } from './connection-limits.js';
import { openConnections } from './connections.js';
import { dispatcher } from './dispatch.js';
import { openLoad, usualLoad, type LoadLimits } from './load.js';
import { openPeers, openProxies } from './peer.js';
import { perform } from './perform.js';
import { respond } from './respond.js';
import type { Services } from './services.js';
import { bound, type Bound } from './table.js';
import { openWatch } from './watch.js';

type Made =
  | 'keyHeaders'
  | 'peerOf'
  | 'load'
  | 'authenticated'
  | 'watch'
  | 'askers'
  | 'answerWithinMs'
  | 'quotaOf';
export type ServerOptions = Omit<Services, Made> & {
  readonly routes: readonly Route[];
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly host: string;
  /** 0 = any free one. */
  readonly port: number;
  /** Names of headers that may carry an API key; default `usualKeyHeaders`. */
  readonly keyHeaders?: readonly string[];
  /** Addresses of the proxies whose word about a client counts; default: none. */
  readonly trustedProxies?: readonly string[];
  /** Called for each request with `X-Forwarded-For` from another address than theirs. */
  readonly undeclaredProxy?: (address: string) => void;
  /**
   * Names of all collections that projections keep: a route that reads another one does not start.
   */
  readonly collections?: readonly string[];
  /**
   * Tests: an answer that is not as its schema promises, or a fault that nobody declared, is a
   * defect (500).
   */
  readonly strict?: boolean;
  /** Tests: smaller bounds than the usual ones. */
  readonly load?: Partial<LoadLimits & ConnectionLimits>;
  /** Names of collections whose answers may be large; default: none. */
  readonly largeReads?: readonly string[];
  /** Ids of operations that hold all rows of a dataset; default: none. */
  readonly tableWrites?: readonly string[];
  /** Default: as long as questions about records have. */
  readonly answerWithinMs?: Services['answerWithinMs'];
  readonly stopAskersMs?: number;
  /** Told when who still waits is: what their handlers ask from then on may be refused. */
  readonly stopping?: () => void;
};
export type RunningServer = {
  readonly port: number;
  /**
   * Takes no more connections and lets running requests end for 2 s; who waits then is answered
   * 503, and connections are cut after 4 s. Resolves when all handlers ended, after 5 s at most.
   */
  readonly close: () => Promise<void>;
};
export type RunningApi = RunningServer & {
  /** Makes what the first requests would else wait for; for the moment after the start. */
  readonly warm: () => Promise<void>;
};

/** A slow head is cut after 10 s, looked at each second: nobody honest sends one for longer. */
const settings = {
  headersTimeout: 10_000,
  /**
   * The largest upload from a line of 1 Mbit/s. Slow bodies are cut before, by their rate
   * (connections.ts).
   */
  requestTimeout: 300_000,
  connectionsCheckingInterval: 1_000,
  /**
   * Longer than proxies and clients keep idle connections, so that they close first and lose no
   * request.
   */
  keepAliveTimeout: 75_000,
  maxHeaderSize: 16_384,
};
/**
 * With the next half of the 10 s that a stop may take: the threads, which end what they are at, and
 * the engines need the rest of it.
 */
const closeWithinMs = 4_000;
/** Whoever still works then is nobody's: its engines refuse it. */
const handlersWithinMs = 1_000;
/** Who still waits then is answered 503 before connections are cut. */
const usualStopAskersMs = 2_000;
/** Contract 1.11: questions about records. */
const usualAnswerMs = 20_000;

/**
 * Serves the routes; resolves when the port is open. Rejects when what a route takes cannot be
 * guarded as it is declared.
 */
export const startServer = async (options: ServerOptions): Promise<RunningApi> => {
  const { logger, metrics, strict = false } = options;
  const table = bound(options.routes, options.collections ?? null);
  const find = dispatcher(table);
  const watch = openWatch(strict, logger, metrics);
  const limits = { ...usualLoad, ...options.load };
  const load = openLoad(limits, metrics.shed);
  const keyHeaders = (options.keyHeaders ?? usualKeyHeaders).map((name) => name.toLowerCase());
  const { trustedProxies = [], largeReads = [], tableWrites = [] } = options;
  const peerOf = openPeers(trustedProxies, options.undeclaredProxy);
  const askers = openAskers();
  const { answerWithinMs = () => usualAnswerMs } = options;
  const services: Services = {
    ...options,
    keyHeaders,
    peerOf,
    load,
    authenticated: (message) => connections.authenticated(message),
    watch,
    askers,
    answerWithinMs,
    quotaOf: ({ operation, reads }) => {
      if (tableWrites.includes(operation.operationId)) return 'tables';
      return reads.some((name) => largeReads.includes(name)) ? 'large' : null;
    },
  };
  let closing = false;
  const app = new Koa();
  app.use(async (ctx) => {
    const release = await askers.during(() =>
      respond(ctx, options, (trail) => perform(ctx, find, services, trail)),
    );
    connections.answered(ctx.req, ctx.res, release);
    // Also for requests that began before: an idle connection would hold up the end.
    if (closing) ctx.set('Connection', 'close');
  });
  // What reaches koa itself has nobody to be told to: the connection broke.
  app.on('error', (error: Error) => logger.debug({ cause: error.message }, 'broken connection'));
  const answer = app.callback();
  const admission = openAdmission(limits.perTurnMax, load.isKnown);
  const server = createServer(settings, (request, response) => {
    if (!connections.begun(request, response)) return;
    admission.admit(networkOf(peerOf(request).address), () => void answer(request, response));
  });
  const connections = openConnections(
    server,
    { ...usualConnections, ...options.load },
    openProxies(trustedProxies),
    metrics.cut,
  );
  server.on('clientError', answerClientError(options.ids));
  const port = await listening(server, options.host, options.port);
  return {
    port,
    warm: () => warmed(table, () => closing),
    close: async () => {
      closing = true;
      await ended(server, askers, options);
      connections.close();
    },
  };
};

/** Resolves when nothing is asked or handled any more, or the time for that is up. */
const ended = async (
  server: Server,
  askers: Askers,
  { clock, stopAskersMs = usualStopAskersMs, stopping }: ServerOptions,
): Promise<void> => {
  const tell = (): void => {
    askers.stop();
    stopping?.();
  };
  const told = setTimeout(tell, stopAskersMs);
  await closed(server, closeWithinMs);
  clearTimeout(told);
  // Handlers whose clients left before go on.
  tell();
  const handled = new AbortController();
  await Promise.race([
    askers.idle().then(() => handled.abort()),
    clock.wait(handlersWithinMs, handled.signal),
  ]);
};

/**
 * Guards are generated when they are first asked, most in a few milliseconds. Those of what is
 * ingested take a hundred each, so they are asked before a client has to wait for it; loading
 * koa-body takes as long.
 */
const warmed = async (table: readonly Bound[], isClosing: () => boolean): Promise<void> => {
  const ingesting = table.filter(({ operation }) => operation.size === 'ingest');
  for (const judge of ingesting.flatMap(({ body }) => [body?.guard, body?.ignored])) {
    await immediate();
    if (isClosing()) return;
    judge?.({});
  }
  if (!isClosing()) await usualBodies.load();
};

/**
 * Connections that the kernel completes before the service takes them; Linux caps it at
 * `somaxconn`, 4,096. With Node's 511 a burst of reconnections makes it drop those of others, whose
 * clients try again only seconds later.
 */
const backlogMax = 4_096;

/** Resolves with the port once the server takes connections; rejects when it cannot. */
export const listening = (
  server: Server,
  host: string,
  port: number,
  variable: 'ASSAY' | 'ASSAY_OPS' = 'ASSAY',
): Promise<number> =>
  new Promise((resolve, reject) => {
    const why: Readonly<Record<string, string>> = {
      EADDRINUSE: `port ${port} of ${host} is taken; choose another one: ${variable}_PORT`,
      EADDRNOTAVAIL: `${host} is no address of this machine: ${variable}_HOST`,
      ENOTFOUND: `${host} is no name that this machine knows: ${variable}_HOST`,
      EACCES: `port ${port} may not be opened by this user: ${variable}_PORT`,
    };
    server.once('error', (error: NodeJS.ErrnoException) => {
      const said = why[error.code ?? ''];
      reject(said === undefined ? error : new Fault('unavailable', said, { cause: error }));
    });
    server.listen({ port, host, backlog: backlogMax }, () => {
      server.removeAllListeners('error');
      resolve((server.address() as AddressInfo).port);
    });
  });

/** Resolves when running requests ended; they are cut after `withinMs`. */
export const closed = (server: Server, withinMs: number): Promise<void> =>
  new Promise((resolve) => {
    const cut = setTimeout(() => server.closeAllConnections(), withinMs);
    server.close(() => {
      clearTimeout(cut);
      resolve();
    });
    server.closeIdleConnections();
  });
