import { Agent, request as plainRequest, type IncomingMessage } from 'node:http';
import { Agent as SecureAgent, request as secureRequest } from 'node:https';
import { text as textOf } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { parseJsonText } from '../kernel/json-text.js';
import { Fault } from '../kernel/fault.js';
import { escapeControls } from './terminal/terminal-escape.js';

/** Access of a command to a service, through its API like any client. */
export type ServiceAccess = {
  readonly url: string;
  readonly apiKey: string | null;
  /** Retry limit while the service is unreachable or overloaded; after it the command fails. */
  readonly retryForMs: number;
  /** True to retry also before the service was ever reached. */
  readonly waitsForFirstContact: boolean;
};

type ApiRequest = {
  readonly method: 'GET' | 'POST';
  /** From the root: `/v2/projects`. */
  readonly path: string;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
};

export type ApiResponse = {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  /** Parsed when it is JSON, else the text. */
  readonly body: unknown;
  /** Number of attempts. Above 1, an earlier one may have had its effect. */
  readonly tries: number;
};

export type ApiClient = {
  readonly url: string;
  /** Retries transient statuses with backoff; answers with any other status. */
  readonly request: (ask: ApiRequest) => Promise<ApiResponse>;
  /** The unread body of a 200; any other status throws Fault `unavailable`. */
  readonly open: (ask: ApiRequest) => Promise<IncomingMessage>;
  readonly close: () => void;
};

type RetryTiming = {
  readonly pause: (ms: number) => Promise<void>;
  readonly now: () => number;
  /** Called before each retry with its reason. */
  readonly onRetry: (why: string) => void;
};

/** Longer than a service works at any request (contract 1.11), so that a dead one is noticed. */
const responseTimeoutMs = 120_000;
const firstBackoffMs = 200;
const backoffMaxMs = 15_000;
/** Limit for `Retry-After`, which may be unreasonably long. */
const retryAfterMaxMs = 60_000;
const connections = 8;

/**
 * A client of the HTTP contract. Retries 429, 503 and `idempotency_in_progress` after `Retry-After`
 * if given (contract 1.5), and broken connections with exponential backoff: writes passed to it
 * must be idempotent. A service that was never reached is retried only with `waitsForFirstContact`,
 * since a wrong address is more likely. Throws Fault `unavailable` after `retryForMs`.
 */
export const openApiClient = (
  { url, apiKey, retryForMs, waitsForFirstContact }: ServiceAccess,
  { pause, now, onRetry }: RetryTiming,
): ApiClient => {
  if (!/^https?:/.test(url) || !URL.canParse(url)) {
    throw new Fault('invalid', `--url takes an address like http://localhost:8080, not ${url}`);
  }
  const base = serviceRoot(url);
  let reached = waitsForFirstContact;

  const { tried, close } = openConnection(base, apiKey);
  /** `unread`: the body of a 200 is left to the caller. */
  const answered = async (
    ask: ApiRequest,
    tries: number,
    unread: boolean,
  ): Promise<ApiResponse> => {
    const incoming = await tried(ask);
    const { statusCode: status = 0, headers } = incoming;
    const body = unread && status === 200 ? incoming : await bodyOf(incoming);
    reached = true;
    return { status, headers, body, tries };
  };

  const waitedFor = async (ask: ApiRequest, unread: boolean): Promise<ApiResponse> => {
    const began = now();
    for (let tries = 1; ; tries += 1) {
      const answer = await answered(ask, tries, unread).catch((error: unknown) => {
        if (!reached) throw unreachableFault(base, error);
        return error as Error;
      });
      const isAnswer = !(answer instanceof Error);
      if (isAnswer && !isRetryable(answer)) return answer;
      const why = isAnswer ? `${answer.status} ${problemDetail(answer.body)}` : answer.message;
      const wait = isAnswer ? backoffMs(answer, tries) : exponentialBackoffMs(tries);
      if (now() - began + wait > retryForMs) {
        throw new Fault('unavailable', `${base} was waited for in vain: ${why}`);
      }
      onRetry(why);
      await pause(wait);
    }
  };

  return {
    url: base,
    request: (ask) => waitedFor(ask, false),
    open: async (ask) => {
      const { status, body } = await waitedFor(ask, true);
      if (status === 200) return body as IncomingMessage;
      throw new Fault('unavailable', `${base} answers ${status}: ${problemDetail(body)}`);
    },
    close,
  };
};

/** Strips trailing slashes and the prefix `/v2`, which every path has anyway. */
export const serviceRoot = (url: string): string => url.replace(/\/+$/, '').replace(/\/v2$/, '');

/** Client for commands: reports retries on stderr. */
export const openCommandClient = (access: ServiceAccess): ApiClient =>
  openApiClient(access, {
    pause: (ms) => pause(ms),
    now: () => performance.now(),
    onRetry: (why) =>
      void process.stderr.write(`waiting for the service: ${escapeControls(why)}\n`),
  });

const openConnection = (base: string, apiKey: string | null) => {
  const isSecure = base.startsWith('https:');
  const send = isSecure ? secureRequest : plainRequest;
  const agent = new (isSecure ? SecureAgent : Agent)({ keepAlive: true, maxSockets: connections });
  const tried = ({ method, path, body, headers: further }: ApiRequest): Promise<IncomingMessage> =>
    new Promise((resolve, reject) => {
      const headers = {
        ...(apiKey !== null && { 'Service-API-Key': apiKey }),
        ...(body !== undefined && {
          'Content-Type': 'application/json',
          'Content-Length': String(Buffer.byteLength(body)),
        }),
        ...further,
      };
      const outgoing = send(`${base}${path}`, { agent, method, headers }, resolve);
      outgoing.setTimeout(responseTimeoutMs, () => {
        outgoing.destroy(new Error(`no answer within ${responseTimeoutMs / 1_000} s`));
      });
      outgoing.on('error', reject);
      outgoing.end(body);
    });
  return { tried, close: () => agent.destroy() };
};

const bodyOf = async (incoming: IncomingMessage): Promise<unknown> => {
  const text = await textOf(incoming);
  if (!incoming.complete) throw new Error('the answer was cut off');
  if (!/[/+]json\b/.test(incoming.headers['content-type'] ?? '')) return text;
  return parseJsonText(text);
};

type Problem = { readonly code?: unknown; readonly detail?: unknown };
const problemOf = (body: unknown): Problem =>
  typeof body === 'object' && body !== null ? body : {};

/** False for a damaged log: a 503 that no retry can succeed after (contract 1.5). */
const isRetryable = ({ status, body }: ApiResponse): boolean => {
  const { code } = problemOf(body);
  if (status === 409) return code === 'idempotency_in_progress';
  return status === 429 || (status === 503 && code !== 'log_damaged');
};

const backoffMs = ({ headers }: ApiResponse, tries: number): number => {
  const seconds = Number(headers['retry-after'] ?? '');
  if (!(seconds > 0)) return exponentialBackoffMs(tries);
  return Math.min(Math.max(seconds * 1_000, exponentialBackoffMs(tries)), retryAfterMaxMs);
};
const exponentialBackoffMs = (tries: number): number =>
  Math.min(firstBackoffMs * 2 ** (tries - 1), backoffMaxMs);

type ProblemEntry = { readonly loc?: readonly string[]; readonly msg?: string };

/** Detail of a problem in one line; the first entries of a 422 (contract 1.4, 1.5). */
export const problemDetail = (body: unknown): string => {
  const { detail } = problemOf(body);
  if (typeof detail === 'string') return detail;
  if (!Array.isArray(detail)) return typeof body === 'string' ? firstLine(body) : '';
  const entries = detail as readonly ProblemEntry[];
  const said = entries.slice(0, entriesMax).map(({ loc, msg }) => messageAt(loc ?? [], msg ?? ''));
  const more = entries.length - said.length;
  return more > 0 ? `${said.join('; ')}; and ${more} more` : said.join('; ');
};
const entriesMax = 3;
const firstLine = (text: string): string => text.split('\n', 1)[0]?.slice(0, 200) ?? '';

/**
 * Drops the part of `loc` that names the request body, which means nothing to readers of a file.
 */
export const messageAt = (loc: readonly string[], msg: string): string => {
  const place = loc.join('/').replace(/^body(\/(traces|spans)\/\d+)?\/?/, '');
  return place === '' ? msg : `${place}: ${msg}`;
};

const unreachableFault = (base: string, error: unknown): Fault => {
  const { code, message } = error as NodeJS.ErrnoException;
  const why =
    code === 'ECONNREFUSED'
      ? `no service answers at ${base}: say where it is with --url or ASSAY_URL`
      : `${base} gave no answer: ${code ?? message}`;
  return new Fault('unavailable', why, { cause: error });
};
