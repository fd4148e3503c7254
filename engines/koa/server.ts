import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate as immediate } from 'node:timers/promises';
import Koa, { type Context } from 'koa';
import { Fault } from '../../kernel/fault.js';
import { usualKeyHeaders, type Route } from '../../contract/operation.js';
import { noTracing, type Tracing } from '../../kernel/tracing.js';
import type { Logger } from '../pino/logger.js';
import type { Metrics } from '../prometheus/metrics.js';
import { openLoadShedder, type LoadOverrides } from './load-shedding.js';
import { openRequestScopes, type RequestScopes } from './request-scope.js';
import { usualBodies } from './decode-body.js';
import { answerClientError } from './client-error.js';
import { defaultConnectionLimits, type ConnectionLimits } from './connection-limits.js';
import { openConnections } from './client-connections.js';
import { openRouting, pathOf } from './routing.js';
import { openPeerResolver, proxyMatcher } from './peer.js';
import { serveRequest, tracedRequest } from './serve-request.js';
import { respond, type EncodedAnswer, type ResponseMeta } from './respond.js';
import type { HttpServices } from './services.js';
import { compileRoutes, type CompiledRoute } from './compiled-routes.js';
import { openWebConsole } from './web-console.js';
import { openContractChecker } from './contract-checker.js';

type InternalServices =
  | 'keyHeaders'
  | 'peerOf'
  | 'load'
  | 'authenticated'
  | 'watch'
  | 'requestScopes'
  | 'answerWithinMs'
  | 'quotaOf';
export type ServerOptions = Omit<HttpServices, InternalServices> & {
  readonly routes: readonly Route[];
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** Default: off. */
  readonly tracing?: Tracing;
  readonly host: string;
  /** 0 = any free one. */
  readonly port: number;
  /** Names of headers that may carry an API key; default `usualKeyHeaders`. */
  readonly keyHeaders?: readonly string[];
  /** Addresses of trusted proxies, whose forwarding headers count; default: none. */
  readonly trustedProxies?: readonly string[];
  /** Called for each request with `X-Forwarded-For` from an address outside them. */
  readonly onUndeclaredProxy?: (address: string) => void;
  /**
   * Names of all collections that projections have: a route that reads another one does not start.
   */
  readonly collections?: readonly string[];
  /**
   * Tests: a response that does not match its schema, or an undeclared fault, is a defect (500).
   */
  readonly strict?: boolean;
  /** Tests: smaller limits than the defaults. */
  readonly load?: LoadOverrides & Partial<ConnectionLimits>;
  /**
   * Folder of the browser console; null: it is off, which `/console` says. By default `/console` is
   * an unknown path.
   */
  readonly consoleDir?: URL | null;
  /** The files of the browser console are read at each request; default: false. */
  readonly rereadsConsole?: boolean;
  /** Names of collections whose responses may be large; default: none. */
  readonly largeReads?: readonly string[];
  /** Ids of operations that hold all rows of a dataset; default: none. */
  readonly tableWrites?: readonly string[];
  /** Default: the deadline of queries about records. */
  readonly answerWithinMs?: HttpServices['answerWithinMs'];
  readonly abortAfterMs?: number;
  /** Called when running requests are aborted: their later calls may be refused. */
  readonly onStopping?: () => void;
};
export type RunningServer = {
  readonly port: number;
  /**
   * Accepts no more connections and lets running requests end for 2 s; then they are answered 503,
   * and connections are cut after 4 s. Resolves when all handlers ended, after 5 s at most.
   */
  readonly close: () => Promise<void>;
};
export type RunningApi = RunningServer & {
  /** Prepares what the first requests would otherwise wait for; call it right after the start. */
  readonly warm: () => Promise<void>;
};

/** A slow head is cut after 10 s, checked each second: no well-behaved client takes longer. */
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
 * Share of the 10 s of a shutdown: the threads, which end their work, and the engines need the
 * rest.
 */
const closeWithinMs = 4_000;
/** Time for handlers after their connections closed; then the engines refuse them. */
const handlersWithinMs = 1_000;
/** Time after which running requests are answered 503, before connections are cut. */
const defaultAbortAfterMs = 2_000;
/** Deadline of queries about records (contract 1.11). */
const defaultAnswerMs = 20_000;

/**
 * Serves the routes; resolves when the port is open. Rejects when a route's declared input cannot
 * be guarded.
 */
export const startServer = async (options: ServerOptions): Promise<RunningApi> => {
  const { logger, metrics, tracing = noTracing, strict = false } = options;
  const table = compileRoutes(options.routes, options.collections ?? null);
  const find = openRouting(table);
  const watch = openContractChecker(strict, logger, metrics);
  const load = openLoadShedder(options.load ?? {}, metrics.loadShed);
  const keyHeaders = (options.keyHeaders ?? usualKeyHeaders).map((name) => name.toLowerCase());
  const { trustedProxies = [], largeReads = [], tableWrites = [] } = options;
  const peerOf = openPeerResolver(trustedProxies, options.onUndeclaredProxy);
  const requestScopes = openRequestScopes();
  const { answerWithinMs = () => defaultAnswerMs } = options;
  const services: HttpServices = {
    ...options,
    keyHeaders,
    peerOf,
    load,
    authenticated: (message) => connections.markAuthenticated(message),
    watch,
    requestScopes,
    answerWithinMs,
    quotaOf: ({ operation, reads }) => {
      if (tableWrites.includes(operation.operationId)) return 'datasetWrites';
      return reads.some((name) => largeReads.includes(name)) ? 'largeAnswers' : null;
    },
  };
  const answerRequest = requestAnswerer(options, (ctx, meta) =>
    tracedRequest(tracing, ctx, meta, () => serveRequest(ctx, find, services, meta)),
  );
  let closing = false;
  const app = new Koa();
  app.use(async (ctx) => {
    const release = await requestScopes.track(() =>
      respond(ctx, options, (meta) => answerRequest(ctx, meta)),
    );
    connections.responseStarted(ctx.req, ctx.res, release);
    // Also for requests that began before: an idle connection would delay the shutdown.
    if (closing) ctx.set('Connection', 'close');
  });
  // Errors that reach koa itself have no client to report to: the connection broke.
  app.on('error', (error: Error) => logger.debug({ cause: error.message }, 'broken connection'));
  const answer = app.callback();
  const server = createServer(serverSettings, (request, response) => {
    if (!connections.requestStarted(request, response)) return;
    load.admit(peerOf(request).address, () => void answer(request, response));
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
      await shutDown(server, requestScopes, options);
      connections.close();
    },
  };
};

type AnswerRequest = (ctx: Context, meta: ResponseMeta) => Promise<EncodedAnswer>;

/** Answers requests below `/console` from its folder, others with `answer`. */
const requestAnswerer = (
  { consoleDir, rereadsConsole = false }: ServerOptions,
  answer: AnswerRequest,
): AnswerRequest => {
  if (consoleDir === undefined) return answer;
  const webConsole = openWebConsole(consoleDir, { rereads: rereadsConsole });
  return async (ctx, meta) => {
    const path = pathOf(ctx);
    if (!webConsole.serves(path)) return answer(ctx, meta);
    meta.operation = 'console';
    return webConsole.answer(ctx, path);
  };
};

/** Graceful shutdown: resolves when no request or handler is left, or its time is up. */
const shutDown = async (
  server: Server,
  requestScopes: RequestScopes,
  { clock, abortAfterMs = defaultAbortAfterMs, onStopping }: ServerOptions,
): Promise<void> => {
  const abortRequests = (): void => {
    requestScopes.abortAll();
    onStopping?.();
  };
  const timer = setTimeout(abortRequests, abortAfterMs);
  await closeServer(server, closeWithinMs);
  clearTimeout(timer);
  // Handlers of disconnected clients are still running.
  abortRequests();
  const handled = new AbortController();
  await Promise.race([
    requestScopes.whenIdle().then(() => handled.abort()),
    clock.wait(handlersWithinMs, handled.signal),
  ]);
};

/**
 * Warms the guards. They are generated on first use, most in a few milliseconds. Those of ingest
 * take a hundred each, so they are generated before a client has to wait for them; loading koa-body
 * takes as long.
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
 * Connections that the kernel completes before the service accepts them; Linux caps it at
 * `somaxconn`, 4,096. With Node's 511 a burst of reconnections makes it drop those of others, whose
 * clients retry only seconds later.
 */
const backlogMax = 4_096;

/** Resolves with the port once the server accepts connections; rejects when it cannot. */
export const listenOn = (
  server: Server,
  host: string,
  port: number,
  variable: 'ASSAY' | 'ASSAY_OPS' = 'ASSAY',
): Promise<number> =>
  new Promise((resolve, reject) => {
    const why: Readonly<Record<string, string>> = {
      EADDRINUSE: `port ${port} of ${host} is taken; choose another one: ${variable}_PORT`,
      EADDRNOTAVAIL: `${host} is not an address of this machine: ${variable}_HOST`,
      ENOTFOUND: `${host} cannot be resolved by this machine: ${variable}_HOST`,
      EACCES: `port ${port} may not be opened by this user: ${variable}_PORT`,
    };
    server.once('error', (error: NodeJS.ErrnoException) => {
      const message = why[error.code ?? ''];
      reject(message === undefined ? error : new Fault('unavailable', message, { cause: error }));
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
