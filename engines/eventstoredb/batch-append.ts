import { keyOf, outcomeOf, requestOf, type Append, type Appended } from './batch-wire.js';
import type { BatchCall } from './client.js';
import { troubleOf } from './connection.js';

export type BatchAppends = {
  /**
   * Appends over the call that all share, at exactly the expected revision. Rejects with what the
   * server says, or because the call ended or was silent for `withinMs`: the outcome is unknown
   * then, also of all others that were under way.
   */
  append(order: Append, withinMs: number): Promise<Appended>;
  /** False with a server from before there were such calls. */
  isOffered(): boolean;
};

type Waiting = {
  readonly resolve: (appended: Appended) => void;
  readonly reject: (error: Error) => void;
};
type Lane = {
  readonly call: Promise<BatchCall>;
  readonly waiting: Map<string, Waiting>;
  /** Appends that were given to it and have not ended. */
  underWay: number;
  /** Answers so far. */
  heard: number;
};

/**
 * One call for all appends, answered in any order: a call of its own costs each of them a stream of
 * HTTP/2, headers and a deadline, which is more than the append. After whatever is no plain answer
 * the next append opens another, on the connection that the client has by then.
 */
export const openBatchAppends = (open: () => Promise<BatchCall>): BatchAppends => {
  let current: Lane | null = null;
  let isOffered = true;

  const leave = (lane: Lane): void => {
    if (current === lane) current = null;
  };
  /** A call that nobody uses any more would keep its place on the connection. */
  const endLeft = (lane: Lane): void => {
    if (current === lane || lane.underWay > 0) return;
    lane.call.then(
      (call) => call.end(),
      () => undefined,
    );
  };
  const broken = (lane: Lane, error: Error & { readonly code?: number }): void => {
    leave(lane);
    if (error.code === unimplemented) isOffered = false;
    for (const { reject } of lane.waiting.values()) reject(error);
    lane.waiting.clear();
  };
  const begin = (): Lane => {
    const lane: Lane = { call: open(), waiting: new Map(), underWay: 0, heard: 0 };
    lane.call.then(
      (call) => {
        call.on('data', (response) => {
          lane.heard += 1;
          const one = lane.waiting.get(keyOf(response));
          const outcome = outcomeOf(response);
          if (outcome instanceof Error) one?.reject(outcome);
          else one?.resolve(outcome);
        });
        call.on('error', (error) => broken(lane, error));
        call.on('end', () => broken(lane, new Error('the server ended the appends')));
      },
      () => leave(lane),
    );
    return lane;
  };
  return {
    append: async (order, withinMs) => {
      current ??= begin();
      const lane = current;
      lane.underWay += 1;
      try {
        return await sent(lane, order, withinMs);
      } catch (error) {
        if (!plainAnswers.has(troubleOf(error))) leave(lane);
        throw error;
      } finally {
        lane.underWay -= 1;
        endLeft(lane);
      }
    },
    isOffered: () => isOffered,
  };
};

const sent = async (lane: Lane, order: Append, withinMs: number): Promise<Appended> => {
  const call = await lane.call;
  const { key, request } = requestOf(order, new Date(Date.now() + withinMs));
  const { heard } = lane;
  let timer: NodeJS.Timeout | undefined;
  try {
    return await new Promise<Appended>((resolve, reject) => {
      lane.waiting.set(key, { resolve, reject });
      timer = setTimeout(() => {
        reject(new Error('no answer to an append'));
        // One append that is slow does not end the others; a dead call does.
        if (lane.heard === heard) call.cancel();
      }, withinMs);
      call.write(request);
    });
  } finally {
    clearTimeout(timer);
    lane.waiting.delete(key);
  }
};

const plainAnswers: ReadonlySet<ReturnType<typeof troubleOf>> = new Set([
  'conflict',
  'erased',
  'refused',
]);
/** Of gRPC. */
const unimplemented = 12;
