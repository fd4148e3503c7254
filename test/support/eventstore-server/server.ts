import { randomUUID } from 'node:crypto';
import features from '@eventstore/db-client/generated/serverfeatures_pb.js';
import featureServices from '@eventstore/db-client/generated/serverfeatures_grpc_pb.js';
import gossip from '@eventstore/db-client/generated/gossip_pb.js';
import gossipServices from '@eventstore/db-client/generated/gossip_grpc_pb.js';
import shared from '@eventstore/db-client/generated/shared_pb.js';
import streamServices from '@eventstore/db-client/generated/streams_grpc_pb.js';
import {
  Server,
  ServerCredentials,
  status,
  type sendUnaryData,
  type ServiceDefinition,
  type UntypedServiceImplementation,
} from '@grpc/grpc-js';
import { openAppends } from './appends.js';
import { openFaults } from './faults.js';
import { openReads } from './reads.js';
import { openStore } from './store.js';
import { statusWithException } from './grpc-messages.js';

type Options = {
  readonly dir: string;
  /** 0 takes a free one. */
  readonly port?: number;
  /** Distance of the events' positions, which are offsets in a file. */
  readonly bytesPerPosition?: bigint;
  /** True if it lists its methods and appends in batches, like servers from 21.10 on. */
  readonly listsFeatures?: boolean;
  readonly tls?: { readonly key: Buffer; readonly certificate: Buffer };
  /** Required credentials; without them every caller is accepted. */
  readonly credentials?: { readonly username: string; readonly password: string };
  /** Answered to gossip: ports on the loopback interface, the leader first. */
  readonly members?: () => readonly number[];
};

const messageBytesMax = 17 * 1024 * 1024;
const host = '127.0.0.1';

/**
 * An EventStoreDB as far as the wire goes: the client's own service definitions in front of the
 * embedded log, behaving as a real 22.10.5 was seen to. It listens on the loopback interface when
 * this resolves.
 */
export const startEventStoreServer = async (options: Options) => {
  const { dir, port = 0, listsFeatures = true, tls, members, bytesPerPosition = 97n } = options;
  const store = await openStore(dir, bytesPerPosition);
  const faults = openFaults();
  const reads = openReads(store, faults);
  const appends = openAppends(store, faults);
  const server = new Server({
    'grpc.max_receive_message_length': messageBytesMax,
    'grpc.max_send_message_length': messageBytesMax,
  });
  const offer = (definition: unknown, implementation: Readonly<Record<string, unknown>>): void =>
    server.addService(
      definition as ServiceDefinition,
      withAuthentication(options, implementation) as UntypedServiceImplementation,
    );
  offer(streamServices.StreamsService, {
    read: reads.read,
    append: appends.append,
    ...(listsFeatures && { batchAppend: appends.batchAppend }),
    delete: appends.delete,
    tombstone: appends.tombstone,
  });
  if (listsFeatures) {
    offer(featureServices.ServerFeaturesService, {
      getSupportedMethods: (_call: unknown, answer: sendUnaryData<features.SupportedMethods>) =>
        answer(null, supported()),
    });
  }
  offer(gossipServices.GossipService, {
    read: (_call: unknown, answer: sendUnaryData<gossip.ClusterInfo>) =>
      answer(null, cluster(members?.() ?? [bound])),
  });
  const bound = await new Promise<number>((resolve, reject) => {
    const credentials =
      tls === undefined
        ? ServerCredentials.createInsecure()
        : ServerCredentials.createSsl(null, [
            { private_key: tls.key, cert_chain: tls.certificate },
          ]);
    server.bindAsync(`${host}:${port}`, credentials, (error, taken) =>
      error === null ? resolve(taken) : reject(error),
    );
  });
  return {
    port: bound,
    url: `esdb://${host}:${bound}?tls=${tls !== undefined}`,
    store,
    faults,
    subscribers: reads.subscribers,
    counts: appends.counts,
    batchCalls: appends.batchCalls,
    /** Breaks every connection; what was acknowledged is durable. */
    close: async (): Promise<void> => {
      server.forceShutdown();
      await store.close();
    },
  };
};
export type EventStoreServer = Awaited<ReturnType<typeof startEventStoreServer>>;

type Call = {
  readonly metadata: { readonly get: (name: string) => readonly unknown[] };
  readonly emit: (name: 'error', error: unknown) => void;
};
type Handler = (call: Call, answer?: sendUnaryData<unknown>) => void;

/** Checks credentials if they are required. */
const withAuthentication = (
  { credentials }: Options,
  implementation: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> => {
  if (credentials === undefined) return implementation;
  const { username, password } = credentials;
  const wanted = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
  return Object.fromEntries(
    Object.entries(implementation).map(([name, work]) => [
      name,
      (call: Call, answer?: sendUnaryData<unknown>) => {
        if (call.metadata.get('authorization')[0] === wanted) {
          (work as Handler)(call, answer);
          return;
        }
        const refusal = statusWithException(status.UNAUTHENTICATED, 'Not authenticated');
        if (answer === undefined) call.emit('error', refusal);
        else answer(refusal, null);
      },
    ]),
  );
};

const supported = (): features.SupportedMethods => {
  const service = 'event_store.client.streams.streams';
  const methods = ['append', 'batchappend', 'delete', 'read', 'tombstone'].map((name) =>
    new features.SupportedMethod().setServiceName(service).setMethodName(name),
  );
  return new features.SupportedMethods()
    .setMethodsList(methods)
    .setEventStoreServerVersion('22.10.5');
};

const cluster = (ports: readonly number[]): gossip.ClusterInfo => {
  const { LEADER, FOLLOWER } = gossip.MemberInfo.VNodeState;
  return new gossip.ClusterInfo().setMembersList(
    ports.map((port, index) =>
      new gossip.MemberInfo()
        .setInstanceId(new shared.UUID().setString(randomUUID()))
        .setTimeStamp(String(Date.now()))
        .setState(index === 0 ? LEADER : FOLLOWER)
        .setIsAlive(true)
        .setHttpEndPoint(new gossip.EndPoint().setAddress(host).setPort(port)),
    ),
  );
};
