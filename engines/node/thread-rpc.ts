import { setMaxListeners } from 'node:events';
import type { MessagePort } from 'node:worker_threads';
import { throwIfAborted, cancellationFault } from '../../kernel/query-context.js';
import { Fault, redactedReason, type Complaint, type FaultCode } from '../../kernel/fault.js';
import type { QueryContext } from '../../kernel/ports.js';

/**
 * A port whose methods are asynchronous; what crosses the threads is copied (structured clone), but
 * for an answer of bytes: it is given away, so whoever answered must not keep it.
 */
type CallTarget = object;
type Method = (...values: readonly unknown[]) => unknown;

type CallRequest =
  | { readonly call: number; readonly method: string; readonly values: readonly unknown[] }
  /** Asks for the next items of an iterable that call `next` answered. */
  | { readonly next: number }
  | { readonly end: number }
  /** Nobody waits for the answer of this call any more. */
  | { readonly abort: number };
type CallReply =
  | { readonly reply: number; readonly value: unknown }
  | { readonly reply: number; readonly error: PackedError }
  /** The answer of call `reply` is iterable: it is read by `next`. */
  | { readonly reply: number; readonly iterable: true }
  | { readonly items: number; readonly values: readonly unknown[]; readonly done: boolean }
  | { readonly items: number; readonly error: PackedError }
  /** A function among the values of call `reply` was called; nothing waits for it. */
  | { readonly progress: number; readonly at: number; readonly values: readonly unknown[] };
type PackedError = {
  readonly message: string;
  /** What was behind it, for the log: see `reasonOf`. */
  readonly cause: string | null;
  readonly fault: {
    readonly code: FaultCode;
    readonly complaints: readonly Complaint[];
    readonly retryAfterSeconds: number | null;
  } | null;
};
/** Stands for a function among the values of a call. */
type CallbackMark = { readonly callbackAt: number };
/** Stands for an `Asking` among the values of a call: its signal stays here. */
type QueryContextMark = { readonly askedAs: 'asking' };

const pageItemsMax = 500;

/** Answers calls that arrive at the port with the methods of `target`, until the port closes. */
export const serveCalls = (port: MessagePort, target: CallTarget): void => {
  const iterators = new Map<number, AsyncIterator<unknown>>();
  const asked = new Map<number, AbortController>();
  const send = (reply: CallReply): void => port.postMessage(reply);
  const give = (call: number, value: unknown): void =>
    port.postMessage({ reply: call, value } satisfies CallReply, buffersOf(value));
  const answer = async ({ call, method, values }: Extract<CallRequest, { call: number }>) => {
    try {
      const found: unknown = Object.hasOwn(target, method)
        ? (target as Readonly<Record<string, unknown>>)[method]
        : undefined;
      if (typeof found !== 'function') throw new TypeError(`no method is called ${method}`);
      const received = values.map((value, at) => {
        if (isQueryContextMark(value)) return { signal: signalOf(call) };
        return isCallback(value)
          ? (...passed: readonly unknown[]) => send({ progress: call, at, values: passed })
          : value;
      });
      const result = (found as Method)(...received);
      if (isIterable(result)) {
        iterators.set(call, result[Symbol.asyncIterator]());
        send({ reply: call, iterable: true });
      } else give(call, await result);
    } catch (error) {
      send({ reply: call, error: packError(error) });
    } finally {
      asked.delete(call);
    }
  };
  const signalOf = (call: number): AbortSignal => {
    const controller = new AbortController();
    // As many as the answer asks at a time.
    setMaxListeners(0, controller.signal);
    asked.set(call, controller);
    return controller.signal;
  };
  const advance = async (call: number): Promise<void> => {
    const iterator = iterators.get(call);
    if (iterator === undefined) return;
    try {
      const values: unknown[] = [];
      for (;;) {
        const { value, done } = await iterator.next();
        if (done !== true) values.push(value);
        else iterators.delete(call);
        if (done === true || values.length >= pageItemsMax) {
          return send({ items: call, values, done: done === true });
        }
      }
    } catch (error) {
      iterators.delete(call);
      send({ items: call, error: packError(error) });
    }
  };
  const end = async (call: number): Promise<void> => {
    const iterator = iterators.get(call);
    iterators.delete(call);
    await iterator?.return?.();
  };
  port.on('message', (message: CallRequest) => {
    if ('call' in message) void answer(message);
    else if ('next' in message) void advance(message.next);
    else if ('abort' in message) asked.get(message.abort)?.abort(cancellationFault());
    else void end(message.end).catch(() => null);
  });
  port.on('close', () => {
    for (const call of iterators.keys()) void end(call).catch(() => null);
    for (const controller of asked.values()) controller.abort(cancellationFault());
  });
};

type PendingCall = {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
  readonly values: readonly unknown[];
};

/**
 * The port that another thread serves. Calls are answered in any order; a Fault arrives as a Fault
 * with its code and complaints, any other error as an Error with its message, both with what was
 * behind them as text. When the port closes, calls that wait and later ones throw Fault
 * `unavailable`. A method may take functions among its values: they are called as hints; and an
 * `Asking`, whose signal reaches the other side. The call is rejected when the work has ended
 * there, so that whoever counts what is at work counts right. `streams` names the methods that
 * answer an async iterable instead of a promise.
 */
export const callProxy = <T extends CallTarget>(
  port: MessagePort,
  streams: readonly (keyof T & string)[] = [],
): T => {
  const replies = openReplies(port);
  let calls = 0;
  const call = (
    method: string,
    values: readonly unknown[],
  ): { id: number; answer: Promise<unknown> } => {
    calls += 1;
    const id = calls;
    const sent = values.map((value, at) => {
      if (isQueryContext(value)) return { askedAs: 'asking' } satisfies QueryContextMark;
      return typeof value === 'function' ? ({ callbackAt: at } satisfies CallbackMark) : value;
    });
    const answer = withAbort(
      values.find(isQueryContext) ?? {},
      () => replies.answer({ call: id, method, values: sent }, values),
      () => replies.tell({ abort: id }),
    );
    return { id, answer };
  };
  async function* iterate(method: string, values: readonly unknown[]): AsyncIterable<unknown> {
    const { id, answer } = call(method, values);
    await answer;
    let ended = false;
    try {
      while (!ended) {
        const page = await replies.page(id);
        ended = page.done;
        yield* page.values;
      }
    } finally {
      if (!ended) replies.tell({ end: id });
    }
  }
  const methods = new Map<string, Method>();
  const methodOf = (name: string): Method =>
    (streams as readonly string[]).includes(name)
      ? (...values) => iterate(name, values)
      : (...values) => call(name, values).answer;
  return new Proxy({} as T, {
    get: (_, name) => {
      // A thenable would be called by `await`.
      if (typeof name !== 'string' || name === 'then') return undefined;
      const known = methods.get(name) ?? methodOf(name);
      methods.set(name, known);
      return known;
    },
  });
};

type CallMessage = Extract<CallRequest, { call: number }>;
type ItemsPage = { readonly values: readonly unknown[]; readonly done: boolean };

/** What is sent through the port, and what of it waits for a reply. */
const openReplies = (port: MessagePort) => {
  const answers = new Map<number, PendingCall>();
  const pages = new Map<number, PendingCall>();
  let open = true;
  port.on('message', (message: CallReply) => {
    if ('progress' in message) {
      const callback = answers.get(message.progress)?.values[message.at];
      if (typeof callback === 'function') (callback as Method)(...message.values);
      return;
    }
    const [known, id] = 'items' in message ? [pages, message.items] : [answers, message.reply];
    const one = known.get(id);
    known.delete(id);
    if (one === undefined) return;
    if ('error' in message) one.reject(unpackError(message.error));
    else if ('items' in message) one.resolve(message);
    else one.resolve('value' in message ? message.value : undefined);
  });
  port.on('close', () => {
    open = false;
    for (const one of [...answers.values(), ...pages.values()]) one.reject(stoppingFault());
    answers.clear();
    pages.clear();
  });
  const send = (
    known: Map<number, PendingCall>,
    id: number,
    values: readonly unknown[],
    message: CallRequest,
  ) =>
    new Promise<unknown>((resolve, reject) => {
      if (!open) return reject(stoppingFault());
      known.set(id, { resolve, reject, values });
      port.postMessage(message);
    });
  return {
    /** `values`: as they were given, with the functions among them. */
    answer: (message: CallMessage, values: readonly unknown[]) =>
      send(answers, message.call, values, message),
    page: (call: number) => send(pages, call, [], { next: call }) as Promise<ItemsPage>,
    tell: (message: CallRequest): void => {
      if (open) port.postMessage(message);
    },
  };
};

/** Of an answer of bytes in pieces; a view of a part of some buffer is copied. */
const buffersOf = (value: unknown): ArrayBuffer[] =>
  Array.isArray(value)
    ? value.flatMap((piece: unknown) => {
        const isWhole =
          piece instanceof Uint8Array &&
          piece.buffer instanceof ArrayBuffer &&
          piece.byteLength === piece.buffer.byteLength;
        return isWhole ? [piece.buffer] : [];
      })
    : [];

/** `end` is called when the asker waits no longer; the work goes on until it has heard of that. */
const withAbort = async (
  asking: QueryContext,
  work: () => Promise<unknown>,
  end: () => void,
): Promise<unknown> => {
  throwIfAborted(asking);
  const { signal } = asking;
  signal?.addEventListener('abort', end, { once: true });
  try {
    return await work();
  } catch (error) {
    // What it says on the other side is that it was ended; here is known why.
    throwIfAborted(asking);
    throw error;
  } finally {
    signal?.removeEventListener('abort', end);
  }
};

const stoppingFault = (): Fault =>
  new Fault('unavailable', 'The service is stopping', { retryAfterSeconds: 1 });

const isCallback = (value: unknown): value is CallbackMark =>
  typeof value === 'object' && value !== null && 'callbackAt' in value;

const isQueryContextMark = (value: unknown): value is QueryContextMark =>
  typeof value === 'object' && value !== null && 'askedAs' in value;

const isQueryContext = (value: unknown): value is Required<QueryContext> =>
  typeof value === 'object' &&
  value !== null &&
  'signal' in value &&
  value.signal instanceof AbortSignal;

const isIterable = (value: unknown): value is AsyncIterable<unknown> =>
  typeof value === 'object' && value !== null && Symbol.asyncIterator in value;

const packError = (error: unknown): PackedError => ({
  message: error instanceof Error ? error.message : String(error),
  cause: error instanceof Error && error.cause !== undefined ? redactedReason(error.cause) : null,
  fault:
    error instanceof Fault
      ? {
          code: error.code,
          complaints: error.complaints,
          retryAfterSeconds: error.retryAfterSeconds,
        }
      : null,
});

const unpackError = ({ message, cause: told, fault }: PackedError): Error => {
  const behind = told === null ? {} : { cause: new Error(told) };
  if (fault === null) return new Error(message, behind);
  const { code, complaints, retryAfterSeconds } = fault;
  return new Fault(code, message, {
    ...behind,
    complaints,
    ...(retryAfterSeconds !== null && { retryAfterSeconds }),
  });
};
