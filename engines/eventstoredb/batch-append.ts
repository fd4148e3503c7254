import {
  correlationIdOf,
  parseOutcome,
  toBatchRequest,
  type AppendRequest,
  type AppendReceipt,
} from './batch-messages.js';
import type { BatchCall } from './client.js';
import { failureKindOf } from './connection.js';

export type BatchAppender = {
  /**
   * Appends over the call that all share, at exactly the expected revision. Rejects with what the
   * server says, or because the call ended or was silent for `withinMs`: the outcome is unknown
   * then, also of all others that were under way.
   */
  append(order: AppendRequest, withinMs: number): Promise<AppendReceipt>;
  /** False with a server from before there were such calls. */
  isSupported(): boolean;
};

type PendingOutcome = {
  readonly resolve: (appended: AppendReceipt) => void;
  readonly reject: (error: Error) => void;
};
type SharedCall = {
  readonly call: Promise<BatchCall>;
  readonly waiting: Map<string, PendingOutcome>;
  /** Appends that were given to it and have not ended. */
  running: number;
  /** Answers so far. */
  answerCount: number;
};

/**
 * One call for all appends, answered in any order: a call of its own costs each of them a stream of
 * HTTP/2, headers and a deadline, which is more than the append. After whatever is no plain answer
 * the next append opens another, on the connection that the client has by then.
 */
export const openBatchAppender = (open: () => Promise<BatchCall>): BatchAppender => {
  let current: SharedCall | null = null;
  let isOffered = true;

  const leave = (lane: SharedCall): void => {
    if (current === lane) current = null;
  };
  /** A call that nobody uses any more would keep its place on the connection. */
  const endLeft = (lane: SharedCall): void => {
    if (current === lane || lane.running > 0) return;
    lane.call.then(
      (call) => call.end(),
      () => undefined,
    );
  };
  const broken = (lane: SharedCall, error: Error & { readonly code?: number }): void => {
    leave(lane);
    if (error.code === unimplemented) isOffered = false;
    for (const { reject } of lane.waiting.values()) reject(error);
    lane.waiting.clear();
  };
  const begin = (): SharedCall => {
    const lane: SharedCall = { call: open(), waiting: new Map(), running: 0, answerCount: 0 };
    lane.call.then(
      (call) => {
        call.on('data', (response) => {
          lane.answerCount += 1;
          const one = lane.waiting.get(correlationIdOf(response));
          const outcome = parseOutcome(response);
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
      lane.running += 1;
      try {
        return await sendOn(lane, order, withinMs);
      } catch (error) {
        if (!answeredFailures.has(failureKindOf(error))) leave(lane);
        throw error;
      } finally {
        lane.running -= 1;
        endLeft(lane);
      }
    },
    isSupported: () => isOffered,
  };
};

const sendOn = async (
  lane: SharedCall,
  order: AppendRequest,
  withinMs: number,
): Promise<AppendReceipt> => {
  const call = await lane.call;
  const { key, request } = toBatchRequest(order, new Date(Date.now() + withinMs));
  const { answerCount } = lane;
  let timer: NodeJS.Timeout | undefined;
  try {
    return await new Promise<AppendReceipt>((resolve, reject) => {
      lane.waiting.set(key, { resolve, reject });
      timer = setTimeout(() => {
        reject(new Error('no answer to an append'));
        // One append that is slow does not end the others; a dead call does.
        if (lane.answerCount === answerCount) call.cancel();
      }, withinMs);
      call.write(request);
    });
  } finally {
    clearTimeout(timer);
    lane.waiting.delete(key);
  }
};

const answeredFailures: ReadonlySet<ReturnType<typeof failureKindOf>> = new Set([
  'conflict',
  'erased',
  'refused',
]);
/** Of gRPC. */
const unimplemented = 12;
