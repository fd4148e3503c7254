import messages from '@eventstore/db-client/generated/streams_pb.js';
import {
  status,
  type sendUnaryData,
  type ServerDuplexStream,
  type ServerReadableStream,
  type ServerUnaryCall,
} from '@grpc/grpc-js';
import { isAfterWrite, isSilent, refusalOf, delayOf, type Faults } from './faults.js';
import type { ExpectedRevision, ServerAppendOutcome, ProposedEvent, Store } from './store.js';
import {
  appendAnswer,
  appendBytesMax,
  batchAnswer,
  expectedOf,
  statusWithException,
  nameOf,
  proposedOf,
  streamDeleted,
  wrongVersion,
  type BatchHead,
  type Refusal,
} from './grpc-messages.js';

type AppendCall = ServerReadableStream<messages.AppendReq, messages.AppendResp>;
type BatchCall = ServerDuplexStream<messages.BatchAppendReq, messages.BatchAppendResp>;
type RemoveCall = ServerUnaryCall<
  messages.DeleteReq | messages.TombstoneReq,
  messages.DeleteResp | messages.TombstoneResp
>;
/** Number of calls of each way of appending. */
export type Counts = { append: number; batchAppend: number };

/** Writes: appends one by one and in batches, deletions and tombstones. */
export const openAppends = (store: Store, faults: Faults) => {
  const counts: Counts = { append: 0, batchAppend: 0 };
  const batchCalls = new Set<BatchCall>();

  const appendOne = async (call: AppendCall): Promise<messages.AppendResp | null> => {
    counts.append += 1;
    let head: { readonly name: string; readonly expected: ExpectedRevision } | null = null;
    const proposed: ProposedEvent[] = [];
    for await (const request of call as AsyncIterable<messages.AppendReq>) {
      const options = request.getOptions();
      const message = request.getProposedMessage();
      if (options !== undefined) {
        const name = nameOf(options.getStreamIdentifier());
        head = { name, expected: expectedOf(options, options.getRevision()) };
      }
      if (message !== undefined) proposed.push(proposedOf(message));
    }
    if (head === null) throw statusWithException(status.INVALID_ARGUMENT, 'options are missing');
    if (bytesOf(proposed) > appendBytesMax) {
      throw statusWithException(status.INVALID_ARGUMENT, 'Maximum Append Size Exceeded.', {
        exception: 'maximum-append-size-exceeded',
        'maximum-append-size': String(appendBytesMax),
      });
    }
    const fault = faults.next('append');
    await delayOf(fault);
    if (isSilent(fault)) return null;
    const refusal = refusalOf(fault);
    if (refusal !== null && !isAfterWrite(fault)) throw refusal;
    const outcome = await store.append(head.name, head.expected, proposed);
    if (refusal !== null) throw refusal;
    if (isAfterWrite(fault)) return null;
    if (outcome.kind === 'deleted') throw streamDeleted(head.name);
    return appendAnswer(outcome, head.expected);
  };

  const answerBatch = async (
    call: BatchCall,
    head: BatchHead,
    proposed: readonly ProposedEvent[],
  ): Promise<void> => {
    counts.batchAppend += 1;
    const fault = faults.next('append');
    await delayOf(fault);
    if (isSilent(fault)) return;
    const refusal = refusalOf(fault);
    if (refusal !== null && !isAfterWrite(fault)) {
      call.emit('error', refusal);
      return;
    }
    const outcome: ServerAppendOutcome | Refusal =
      bytesOf(proposed) > appendBytesMax
        ? { kind: 'too-large' }
        : await store.append(head.name, head.expected, proposed);
    if (refusal !== null) call.emit('error', refusal);
    else if (!isAfterWrite(fault)) call.write(batchAnswer(outcome, head));
  };

  const remove = async (call: RemoveCall, isHard: boolean): Promise<ServerAppendOutcome> => {
    const fault = faults.next('delete');
    await delayOf(fault);
    const refusal = refusalOf(fault);
    if (refusal !== null && !isAfterWrite(fault)) throw refusal;
    const options = call.request.getOptions();
    if (options === undefined)
      throw statusWithException(status.INVALID_ARGUMENT, 'options are missing');
    const name = nameOf(options.getStreamIdentifier());
    const expected = expectedOf(options, options.getRevision());
    const outcome = await store.remove(name, expected, isHard);
    if (refusal !== null) throw refusal;
    if (outcome.kind === 'deleted') throw streamDeleted(name);
    if (outcome.kind === 'wrong-version') throw wrongVersion(name, expected, outcome.actual);
    return outcome;
  };

  return {
    counts,
    /** Calls for appends in batches that are open. */
    batchCalls: (): number => batchCalls.size,
    append: (call: AppendCall, answer: sendUnaryData<messages.AppendResp>): void => {
      appendOne(call).then(
        (result) => result !== null && answer(null, result),
        (error: unknown) => answer(error as Error, null),
      );
    },
    batchAppend: (call: BatchCall): void => {
      const open = new Map<string, { head: BatchHead; proposed: ProposedEvent[] }>();
      batchCalls.add(call);
      call.once('close', () => batchCalls.delete(call));
      call.on('data', (request: messages.BatchAppendReq) => {
        const correlation = request.getCorrelationId();
        if (correlation === undefined) return;
        const key = correlation.toString();
        const options = request.getOptions();
        if (options !== undefined) {
          const name = nameOf(options.getStreamIdentifier());
          const expected = expectedOf(options, options.getStreamPosition());
          open.set(key, { head: { correlation, name, expected }, proposed: [] });
        }
        const one = open.get(key);
        one?.proposed.push(...request.getProposedMessagesList().map(proposedOf));
        if (one === undefined || !request.getIsFinal()) return;
        open.delete(key);
        void answerBatch(call, one.head, one.proposed);
      });
      call.on('end', () => call.end());
      call.on('error', () => undefined);
    },
    delete: (call: RemoveCall, answer: sendUnaryData<messages.DeleteResp>): void => {
      remove(call, false).then(
        () => answer(null, new messages.DeleteResp()),
        (error: unknown) => answer(error as Error, null),
      );
    },
    tombstone: (call: RemoveCall, answer: sendUnaryData<messages.TombstoneResp>): void => {
      remove(call, true).then(
        () => answer(null, new messages.TombstoneResp()),
        (error: unknown) => answer(error as Error, null),
      );
    },
  };
};

const bytesOf = (proposed: readonly ProposedEvent[]): number =>
  proposed.reduce((sum, { data }) => sum + data.length, 0);
