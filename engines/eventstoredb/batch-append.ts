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
   * Appends over the shared call, at exactly the expected revision (optimistic concurrency).
   * Rejects with the server's error, or when the call ended or was silent for `withinMs`: the
   * outcome is unknown then, also for all other pending appends.
   */
  append(order: AppendRequest, withinMs: number): Promise<AppendReceipt>;
  /** False with a server that predates batch appends. */
  isSupported(): boolean;
};

type PendingOutcome = {
  readonly resolve: (appended: AppendReceipt) => void;
  readonly reject: (error: Error) => void;
};
type SharedCall = {
  readonly call: Promise<BatchCall>;
  readonly waiting: Map<string, PendingOutcome>;
  /** Appends that were sent over this call and have not ended. */
  running: number;
  /** Responses received so far. */
  answerCount: number;
};

/**
 * Multiplexes all appends over one batch call, with responses in any order: a call per append costs
 * an HTTP/2 stream, headers and a deadline, which is more than the append itself. After any outcome
 * other than a plain response the next append opens a new call, on the client's current connection.
 */
export const openBatchAppender = (open: () => Promise<BatchCall>): BatchAppender => {
  let current: SharedCall | null = null;
  let isOffered = true;

  const leave = (lane: SharedCall): void => {
    if (current === lane) current = null;
  };
  /** Ends a replaced call without pending appends: it would keep its stream on the connection. */
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
          const pending = lane.waiting.get(correlationIdOf(response));
          const outcome = parseOutcome(response);
          if (outcome instanceof Error) pending?.reject(outcome);
          else pending?.resolve(outcome);
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
        reject(new Error('no response to an append'));
        // A slow append does not end the others; a dead call does.
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
/** gRPC status code UNIMPLEMENTED. */
const unimplemented = 12;
