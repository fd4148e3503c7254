import { EventStoreDBClient } from '@eventstore/db-client';

/** What is mended of the client, by names that are not part of its types. */
type Inside = {
  readonly createChannel?: () => Promise<Channel>;
  readonly handleError?: (...call: readonly unknown[]) => Promise<void>;
};
type Channel = { readonly internalChannel?: { subchannelPool?: object } };

/**
 * The client of a connection string, with three habits changed that a server cannot have. The
 * version is pinned; an upgrade that names these things otherwise fails here and not at night.
 *
 * - It appends one by one, each call with a deadline of its own. Its batch append shares one stream
 *   and one map per process: an error rejects every append under way, and an answer that comes
 *   after that is thrown past everyone, which ends the process.
 * - After a failed call it looks whether to connect anew, and nobody waits for that: what goes
 *   wrong in it, such as a cluster that cannot be found, would end the process. The failed call
 *   says so anyway.
 * - A new channel connects at once. Channels share their connections with all others of the process
 *   to the same address, and with these a pause that doubles with each failure up to two minutes,
 *   in which calls fail without a try: far longer than a server takes to be back.
 */
export const openClient = (url: string): EventStoreDBClient => {
  const client = EventStoreDBClient.connectionString(url);
  const { createChannel, handleError } = client as unknown as Inside;
  if (!('supports' in client) || createChannel === undefined || handleError === undefined) {
    throw new TypeError('this version of the EventStoreDB client is not known');
  }
  return Object.assign(client, {
    supports: async () => false,
    handleError: (...call: readonly unknown[]) => handleError(...call).catch(() => undefined),
    createChannel: async () => apart(await createChannel()),
  });
};

/** Gives the channel connections of its own, before its first call makes one. */
const apart = (channel: Channel): Channel => {
  const { internalChannel: inside } = channel;
  const Pool = inside?.subchannelPool?.constructor as (new () => object) | undefined;
  if (inside === undefined || Pool === undefined) {
    throw new TypeError('this version of gRPC is not known');
  }
  inside.subchannelPool = new Pool();
  return channel;
};
