import { AssayFault, faultOf } from './fault.js';

/** Address of the service, and the credential. */
export type Connection = {
  /** Without a slash at the end. */
  readonly url: string;
  readonly apiKey: string | null;
  /** A bearer token, if there is no key. */
  readonly token: string | null;
  readonly fetch: typeof fetch;
};

export type SendAttempt = {
  readonly method: string;
  /** Path with its query, from the root of the service. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | FormData | null;
  readonly timeoutMs: number;
  readonly signal: AbortSignal | undefined;
};

/**
 * Sends once and hands a 2xx to `take`, which may read its body within the time limit. Rejects only
 * with an AssayFault.
 */
export const sendOnce = async <T>(
  connection: Connection,
  asked: SendAttempt,
  take: (answer: Response) => Promise<T>,
): Promise<T> => {
  if (asked.signal?.aborted === true) throw connectionFault(null, asked.signal, null);
  const stop = new AbortController();
  const onAbort = (): void => stop.abort();
  asked.signal?.addEventListener('abort', onAbort);
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    stop.abort();
  }, asked.timeoutMs);
  try {
    const answer = await connection.fetch(`${connection.url}${asked.path}`, {
      method: asked.method,
      headers: asked.headers,
      body: asked.body,
      signal: stop.signal,
      redirect: 'error',
    });
    if (!answer.ok) throw faultOf(answer.status, answer.headers, await answer.text());
    return await take(answer);
  } catch (error) {
    if (error instanceof AssayFault) throw error;
    throw connectionFault(error, asked.signal, isLate ? asked.timeoutMs : null);
  } finally {
    clearTimeout(timer);
    asked.signal?.removeEventListener('abort', onAbort);
  }
};

/** Fault of an incomplete answer; `lateMs`: the time limit, if it was exceeded. */
export const connectionFault = (
  error: unknown,
  signal: AbortSignal | undefined,
  lateMs: number | null,
): AssayFault => {
  if (signal?.aborted === true) {
    return new AssayFault('The call was aborted', { code: 'aborted', cause: signal.reason });
  }
  if (lateMs !== null) {
    return new AssayFault(`No answer within ${lateMs} ms`, { code: 'timeout', cause: error });
  }
  if (error instanceof SyntaxError) {
    return new AssayFault('The answer is not JSON', { code: 'unreadable', cause: error });
  }
  const reason = error instanceof Error ? reasonOf(error) : String(error);
  const message = `The service cannot be reached: ${reason}`;
  return new AssayFault(message, { code: 'unreachable', cause: error });
};

/** The cause's message or code, as `fetch failed` alone says nothing. */
const reasonOf = (error: Error): string => {
  const { code, message } = (error.cause ?? {}) as {
    readonly code?: string;
    readonly message?: string;
  };
  return reasons[code ?? ''] ?? (message || code || error.message);
};
const reasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection reset',
  ENOTFOUND: 'no such host',
};
