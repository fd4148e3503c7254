import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate as immediate } from 'node:timers/promises';
import Koa from 'koa';
import { Fault } from '../../kernel/fault.js';
import { networkPrefix } from '../../kernel/network-prefix.js';
import { usualKeyHeaders, type Route } from '../../contract/operation.js';
import type { Logger } from '../pino/logger.js';
import type { Metrics } from '../prometheus/metrics.js';
import { openRequestAdmission } from './admission.js';
import { openRequestScopes, type RequestScopes } from './request-scope.js';
import { usualBodies } from './decode-body.js';
import { answerClientError } from './client-error.js';
import { defaultConnectionLimits, type ConnectionLimits } from './connection-limits.js';
import { openConnections } from './client-connections.js';
import { openRouting } from './routing.js';
import { openLoadShedder, defaultLoadLimits, type LoadLimits } from './load-shedding.js';
import { openPeerResolver, proxyMatcher } from './peer.js';
import { serveRequest } from './serve-request.js';
import { respond } from './respond.js';
import type { HttpServices } from './services.js';
import { compileRoutes, type CompiledRoute } from './compiled-routes.js';
import { openContractChecker } from './contract-checker.js';

type InternalServices =
  | 'keyHeaders'
  | 'peerOf'
  | 'load'
  | 'authenticated'
  | 'watch'
  | 'askers'
  | 'answerWithinMs'
  | 'quotaOf';
export type ServerOptions = Omit<HttpServices, InternalServices> & {
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
  readonly onUndeclaredProxy?: (address: string) => void;
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
  readonly answerWithinMs?: HttpServices['answerWithinMs'];
  readonly abortAfterMs?: number;
  /** Told when who still waits is: what their handlers ask from then on may be refused. */
  readonly onStopping?: () => void;
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
const serverSettings = {
  headersTimeout: 10_000,
  /**
   * The largest upload from a line of 1 Mbit/s. Slow bodies are cut before, by their rate
   * (client-connections.ts).
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
const defaultAbortAfterMs = 2_000;
/** Contract 1.11: questions about records. */
const defaultAnswerMs = 20_000;

/**
 * Serves the routes; resolves when the port is open. Rejects when what a route takes cannot be
 * guarded as it is declared.
 */
export const startServer = async (options: ServerOptions): Promise<RunningApi> => {
  const { logger, metrics, strict = false } = options;
  const table = compileRoutes(options.routes, options.collections ?? null);
  const find = openRouting(table);
  const watch = openContractChecker(strict, logger, metrics);
  const limits = { ...defaultLoadLimits, ...options.load };
  const load = openLoadShedder(limits, metrics.loadShed);
  const keyHeaders = (options.keyHeaders ?? usualKeyHeaders).map((name) => name.toLowerCase());
  const { trustedProxies = [], largeReads = [], tableWrites = [] } = options;
  const peerOf = openPeerResolver(trustedProxies, options.onUndeclaredProxy);
  const askers = openRequestScopes();
  const { answerWithinMs = () => defaultAnswerMs } = options;
  const services: HttpServices = {
    ...options,
    keyHeaders,
    peerOf,
    load,
    authenticated: (message) => connections.markAuthenticated(message),
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
    const release = await askers.track(() =>
      respond(ctx, options, (trail) => serveRequest(ctx, find, services, trail)),
    );
    connections.responseStarted(ctx.req, ctx.res, release);
    // Also for requests that began before: an idle connection would hold up the end.
    if (closing) ctx.set('Connection', 'close');
  });
  // What reaches koa itself has nobody to be told to: the connection broke.
  app.on('error', (error: Error) => logger.debug({ cause: error.message }, 'broken connection'));
  const answer = app.callback();
  const admission = openRequestAdmission(limits.perTurnMax, load.isKnownNetwork);
  const server = createServer(serverSettings, (request, response) => {
    if (!connections.requestStarted(request, response)) return;
    admission.admit(networkPrefix(peerOf(request).address), () => void answer(request, response));
  });
  const connections = openConnections(
    server,
    { ...defaultConnectionLimits, ...options.load },
    proxyMatcher(trustedProxies),
    metrics.connectionCut,
  );
  server.on('clientError', answerClientError(options.ids));
  const port = await listenOn(server, options.host, options.port);
  return {
    port,
    warm: () => warmGuards(table, () => closing),
    close: async () => {
      closing = true;
      await shutDown(server, askers, options);
      connections.close();
    },
  };
};

/** Resolves when nothing is asked or handled any more, or the time for that is up. */
const shutDown = async (
  server: Server,
  askers: RequestScopes,
  { clock, abortAfterMs = defaultAbortAfterMs, onStopping }: ServerOptions,
): Promise<void> => {
  const tell = (): void => {
    askers.abortAll();
    onStopping?.();
  };
  const told = setTimeout(tell, abortAfterMs);
  await closeServer(server, closeWithinMs);
  clearTimeout(told);
  // Handlers whose clients left before go on.
  tell();
  const handled = new AbortController();
  await Promise.race([
    askers.whenIdle().then(() => handled.abort()),
    clock.wait(handlersWithinMs, handled.signal),
  ]);
};

/**
 * Guards are generated when they are first asked, most in a few milliseconds. Those of what is
 * ingested take a hundred each, so they are asked before a client has to wait for it; loading
 * koa-body takes as long.
 */
const warmGuards = async (
  table: readonly CompiledRoute[],
  isClosing: () => boolean,
): Promise<void> => {
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
export const listenOn = (
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
export const closeServer = (server: Server, withinMs: number): Promise<void> =>
  new Promise((resolve) => {
    const cut = setTimeout(() => server.closeAllConnections(), withinMs);
    server.close(() => {
      clearTimeout(cut);
      resolve();
    });
    server.closeIdleConnections();
  });
