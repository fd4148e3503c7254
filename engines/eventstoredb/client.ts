import { EventStoreDBClient } from '@eventstore/db-client';
import services from '@eventstore/db-client/generated/streams_grpc_pb.js';
import type {
  BatchAppendReq,
  BatchAppendResp,
} from '@eventstore/db-client/generated/streams_pb.js';

/** What is mended of the client, by names that are not part of its types. */
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
 * The client of a connection string, with three habits changed that a server cannot have. The
 * version is pinned; an upgrade that names these things otherwise fails here and not at night.
 *
 * - Its appends are calls of their own, each with a deadline. Its batch append shares one stream
 *   and one map per process: an error rejects every append under way of every client, and an
 *   answer after that is thrown past everyone, which ends the process. `openBatchCall` is ours.
 * - After a failed call it looks whether to connect anew, and nobody waits for that: what goes
 *   wrong in it, such as a cluster that cannot be found, would end the process. The failed call
 *   says so anyway.
 * - A new channel connects at once. Channels share their connections with all others of the process
 *   to the same address, and with these a pause that doubles with each failure up to two minutes,
 *   in which calls fail without a try: far longer than a server takes to be back.
 */
export const openClient = (url: string): EventStoreDBClient => {
  const client = EventStoreDBClient.connectionString(url);
  const { createChannel, handleError } = client as unknown as ClientInternals;
  if (!('supports' in client) || createChannel === undefined || handleError === undefined) {
    throw new TypeError('this version of the EventStoreDB client is not known');
  }
  return Object.assign(client, {
    supports: async () => false,
    handleError: (...call: readonly unknown[]) => handleError(...call).catch(() => undefined),
    createChannel: async () => withOwnConnections(await createChannel()),
  });
};

/** What appends share. Ends with an error at the latest when the client is disposed of. */
export type BatchCall = {
  on(event: 'data', hear: (response: BatchAppendResp) => void): unknown;
  on(event: 'error', hear: (error: Error & { readonly code?: number }) => void): unknown;
  on(event: 'end', hear: () => void): unknown;
  write(request: BatchAppendReq): boolean;
  /** Nothing more is written: the server ends it once it has answered the rest. */
  end(): void;
  /** At once. The client connects anew after that. */
  cancel(): void;
};

/** Without a deadline. When it fails the client looks whether to connect anew. */
export const openBatchCall = async (client: EventStoreDBClient): Promise<BatchCall> => {
  const { callArguments, GRPCStreamCreator } = client as unknown as ClientInternals;
  if (callArguments === undefined || GRPCStreamCreator === undefined) {
    throw new TypeError('this version of the EventStoreDB client is not known');
  }
  const args = callArguments({ requiresLeader: true }, { deadline: Infinity });
  const create = (stub: StreamsStub): BatchCall => stub.batchAppend(...args);
  return GRPCStreamCreator(services.StreamsClient, 'batchAppend', create)();
};

/** Gives the channel connections of its own, before its first call makes one. */
const withOwnConnections = (channel: GrpcChannel): GrpcChannel => {
  const { internalChannel: inside } = channel;
  const Pool = inside?.subchannelPool?.constructor as (new () => object) | undefined;
  if (inside === undefined || Pool === undefined) {
    throw new TypeError('this version of gRPC is not known');
  }
  inside.subchannelPool = new Pool();
  return channel;
};
