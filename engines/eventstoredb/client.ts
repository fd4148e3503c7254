import { EventStoreDBClient } from '@eventstore/db-client';
import services from '@eventstore/db-client/generated/streams_grpc_pb.js';
import type {
  BatchAppendReq,
  BatchAppendResp,
} from '@eventstore/db-client/generated/streams_pb.js';

/** Client internals that are patched here; they are not part of its types. */
type ClientInternals = {
  readonly createChannel?: () => Promise<GrpcChannel>;
  readonly handleError?: (...call: readonly unknown[]) => Promise<void>;
  readonly callArguments?: (base: object, call: object) => readonly [object, object];
  readonly GRPCStreamCreator?: (
    service: object,
    name: string,
    create: (stub: StreamsStub) => BatchCall,
  ) => () => Promise<BatchCall>;
};
type StreamsStub = { batchAppend(...args: readonly [object, object]): BatchCall };
type GrpcChannel = { readonly internalChannel?: { subchannelPool?: object } };

/**
 * Client for a connection string, with three behaviours changed that would harm a server process.
 * The version is pinned; an upgrade that renames these internals fails here, at start.
 *
 * - Appends are separate calls, each with a deadline. The client's batch append shares one stream
 *   and one map per process: an error rejects every pending append of every client, and a late
 *   response throws an uncaught error, which ends the process. `openBatchCall` replaces it.
 * - After a failed call the client checks in the background whether to reconnect; a failure of that
 *   check, such as an undiscoverable cluster, would end the process as an unhandled rejection. The
 *   failed call reports it anyway.
 * - A new channel connects at once. Channels share their connections with all others of the process
 *   to the same address, and with these a backoff that doubles with each failure up to two minutes,
 *   in which calls fail without a try: far longer than a server takes to be back.
 */
export const openClient = (url: string): EventStoreDBClient => {
  const client = EventStoreDBClient.connectionString(url);
  const { createChannel, handleError } = client as unknown as ClientInternals;
  if (!('supports' in client) || createChannel === undefined || handleError === undefined) {
    throw new TypeError('unsupported version of the EventStoreDB client');
  }
  return Object.assign(client, {
    supports: async () => false,
    handleError: (...call: readonly unknown[]) => handleError(...call).catch(() => undefined),
    createChannel: async () => withOwnConnections(await createChannel()),
  });
};

/**
 * Batch append call that all appends share. Ends with an error at the latest when the client is
 * disposed of.
 */
export type BatchCall = {
  on(event: 'data', listener: (response: BatchAppendResp) => void): unknown;
  on(event: 'error', listener: (error: Error & { readonly code?: number }) => void): unknown;
  on(event: 'end', listener: () => void): unknown;
  write(request: BatchAppendReq): boolean;
  /** Half-closes: the server ends the call once it has responded to the pending appends. */
  end(): void;
  /** Ends the call at once. The client then reconnects. */
  cancel(): void;
};

/**
 * Opens a batch append call without a deadline. Its failure triggers the client's reconnect check.
 */
export const openBatchCall = async (client: EventStoreDBClient): Promise<BatchCall> => {
  const { callArguments, GRPCStreamCreator } = client as unknown as ClientInternals;
  if (callArguments === undefined || GRPCStreamCreator === undefined) {
    throw new TypeError('unsupported version of the EventStoreDB client');
  }
  const args = callArguments({ requiresLeader: true }, { deadline: Infinity });
  const create = (stub: StreamsStub): BatchCall => stub.batchAppend(...args);
  return GRPCStreamCreator(services.StreamsClient, 'batchAppend', create)();
};

/** Gives the channel connections of its own, before its first call opens one. */
const withOwnConnections = (channel: GrpcChannel): GrpcChannel => {
  const { internalChannel: internals } = channel;
  const Pool = internals?.subchannelPool?.constructor as (new () => object) | undefined;
  if (internals === undefined || Pool === undefined) {
    throw new TypeError('unsupported version of gRPC');
  }
  internals.subchannelPool = new Pool();
  return channel;
};
