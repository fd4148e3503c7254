import { setMaxListeners } from 'node:events';
import type { MessagePort } from 'node:worker_threads';
import { throwIfAborted, cancellationFault } from '../../kernel/query-context.js';
import { Fault, redactedReason, type Complaint, type FaultCode } from '../../kernel/fault.js';
import type { QueryContext } from '../../kernel/ports.js';

/**
 * Port with asynchronous methods; values are copied between the threads (structured clone), except
 * bytes in a response: their buffers are transferred, so the method must not keep them.
 */
type CallTarget = object;
type Method = (...values: readonly unknown[]) => unknown;

type CallRequest =
  | { readonly call: number; readonly method: string; readonly values: readonly unknown[] }
  /** Requests the next items of an iterable that call `next` returned. */
  | { readonly next: number }
  | { readonly end: number }
  /** Cancels a call: its response is no longer needed. */
  | { readonly abort: number };
type CallReply =
  | { readonly reply: number; readonly value: unknown }
  | { readonly reply: number; readonly error: PackedError }
  /** Call `reply` returned an iterable: it is read by `next`. */
  | { readonly reply: number; readonly iterable: true }
  | { readonly items: number; readonly values: readonly unknown[]; readonly done: boolean }
  | { readonly items: number; readonly error: PackedError }
  /**
   * A function among the values of call `reply` was called; the other side does not wait for it.
   */
  | { readonly progress: number; readonly at: number; readonly values: readonly unknown[] };
type PackedError = {
  readonly message: string;
  /** Cause of the error, for the log: see `reasonOf`. */
  readonly cause: string | null;
  readonly fault: {
    readonly code: FaultCode;
    readonly complaints: readonly Complaint[];
    readonly retryAfterSeconds: number | null;
  } | null;
};
/** Placeholder of a function among the values of a call. */
type CallbackMark = { readonly callbackAt: number };
/** Placeholder of a `QueryContext` among the values of a call: its signal stays here. */
type QueryContextMark = {
  readonly placeholder: 'context';
  readonly traceparent: string | undefined;
};

const pageItemsMax = 500;

/**
 * RPC server: responds to calls on the port with the methods of `target`, until the port closes.
 */
export const serveCalls = (port: MessagePort, target: CallTarget): void => {
  const iterators = new Map<number, AsyncIterator<unknown>>();
  const controllers = new Map<number, AbortController>();
  const send = (reply: CallReply): void => port.postMessage(reply);
  const give = (call: number, value: unknown): void =>
    port.postMessage({ reply: call, value } satisfies CallReply, buffersOf(value));
  const answer = async ({ call, method, values }: Extract<CallRequest, { call: number }>) => {
    try {
      const found = ownMethod(target, method);
      const received = values.map((value, at) => {
        if (isQueryContextMark(value)) {
          return { signal: signalOf(call), traceparent: value.traceparent };
        }
        return isCallback(value)
          ? (...passed: readonly unknown[]) => send({ progress: call, at, values: passed })
          : value;
      });
      const result = found(...received);
      if (isIterable(result)) {
        iterators.set(call, result[Symbol.asyncIterator]());
        send({ reply: call, iterable: true });
      } else give(call, await result);
    } catch (error) {
      send({ reply: call, error: packError(error) });
    } finally {
      controllers.delete(call);
    }
  };
  const signalOf = (call: number): AbortSignal => {
    const controller = new AbortController();
    // One listener per query of the call.
    setMaxListeners(0, controller.signal);
    controllers.set(call, controller);
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
    else if ('abort' in message) controllers.get(message.abort)?.abort(cancellationFault());
    else void end(message.end).catch(() => null);
  });
  port.on('close', () => {
    for (const call of iterators.keys()) void end(call).catch(() => null);
    for (const controller of controllers.values()) controller.abort(cancellationFault());
  });
};

/** Throws TypeError for a name that is not one of the target's own methods. */
const ownMethod = (target: CallTarget, name: string): Method => {
  const found: unknown = Object.hasOwn(target, name)
    ? (target as Readonly<Record<string, unknown>>)[name]
    : undefined;
  if (typeof found !== 'function') throw new TypeError(`no method is called ${name}`);
  return found as Method;
};

type PendingCall = {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
  readonly values: readonly unknown[];
};

/**
 * RPC client of a port that another thread serves. Responses arrive in any order; a Fault arrives
 * as a Fault with its code and complaints, any other error as an Error with its message, both with
 * their cause as text. When the port closes, pending and later calls throw Fault `unavailable`. A
 * method may take functions among its values, which are called without waiting for them, and a
 * `QueryContext`, whose cancellation reaches the other side. A cancelled call is rejected only when
 * its work has ended there, so that counts of running work are right. `streams` names the methods
 * that return an async iterable instead of a promise.
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
      if (isQueryContext(value)) {
        return {
          placeholder: 'context',
          traceparent: value.traceparent,
        } satisfies QueryContextMark;
      }
      return typeof value === 'function' ? ({ callbackAt: at } satisfies CallbackMark) : value;
    });
    const answer = withAbort(
      values.find(isQueryContext) ?? {},
      () => replies.answer({ call: id, method, values: sent }, values),
      () => replies.post({ abort: id }),
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
      if (!ended) replies.post({ end: id });
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

/** Sends messages through the port and matches replies to pending calls. */
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
    const pending = known.get(id);
    known.delete(id);
    if (pending === undefined) return;
    if ('error' in message) pending.reject(unpackError(message.error));
    else if ('items' in message) pending.resolve(message);
    else pending.resolve('value' in message ? message.value : undefined);
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
    /** `values`: as passed by the caller, with the functions among them. */
    answer: (message: CallMessage, values: readonly unknown[]) =>
      send(answers, message.call, values, message),
    page: (call: number) => send(pages, call, [], { next: call }) as Promise<ItemsPage>,
    post: (message: CallRequest): void => {
      if (open) port.postMessage(message);
    },
  };
};

/**
 * Buffers to transfer, for a response of bytes in pieces; a view of a part of some buffer is
 * copied.
 */
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

/**
 * Cancels through `end` when the caller aborts; the work runs on until the other side has ended it.
 */
const withAbort = async (
  context: QueryContext,
  work: () => Promise<unknown>,
  end: () => void,
): Promise<unknown> => {
  throwIfAborted(context);
  const { signal } = context;
  signal?.addEventListener('abort', end, { once: true });
  try {
    return await work();
  } catch (error) {
    // The other side reports only that it was cancelled; the reason is known here.
    throwIfAborted(context);
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
  typeof value === 'object' && value !== null && 'placeholder' in value;

const isQueryContext = (value: unknown): value is QueryContext =>
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

const unpackError = ({ message, cause, fault }: PackedError): Error => {
  const behind = cause === null ? {} : { cause: new Error(cause) };
  if (fault === null) return new Error(message, behind);
  const { code, complaints, retryAfterSeconds } = fault;
  return new Fault(code, message, {
    ...behind,
    complaints,
    ...(retryAfterSeconds !== null && { retryAfterSeconds }),
  });
};
