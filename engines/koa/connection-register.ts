import type { Socket } from 'node:net';
import type { ConnectionLimits } from './connection-limits.js';

/** Reason why a connection was cut, for the metric. */
export type CutReason = 'slow' | 'crowded' | 'crumbs';

export type ClientConnection = {
  readonly network: string;
  readonly openedAt: number;
  /** Called when the client has received a response, or disconnected. */
  readonly releases: Set<() => void>;
  /** A head has arrived; a request had a valid credential. */
  hasBegun: boolean;
  isAuthenticated: boolean;
  /** Requests without a response yet. */
  requests: number;
  /** Start time of the arriving body; null without one. */
  incompleteSince: number | null;
  /** Arriving bodies, and responses that the client is receiving. */
  arriving: number;
  taking: number;
  /** Bytes of the awaited direction at its last progress, and the time of that. */
  moved: number;
  movedAt: number;
  /** Same, at the start of the current `silentMsMax` interval. */
  measured: number;
  measuredAt: number;
};

type ConnectionRegister = {
  readonly open: ReadonlyMap<Socket, ClientConnection>;
  /** False when there is no room for it. */
  readonly admit: (socket: Socket, network: string, isProxy: boolean) => boolean;
  readonly drop: (socket: Socket, why: CutReason) => void;
  /** Reclassifies a connection after a change of its `requests` or `arriving`. */
  readonly update: (socket: Socket) => void;
};

/**
 * Connections of one network: those without a request, which includes an incomplete head, and those
 * whose request has an incomplete body. Each map has start times in ascending order.
 */
type NetworkConnections = {
  connections: number;
  readonly idle: Map<Socket, number>;
  readonly incomplete: Map<Socket, number>;
};

/**
 * Register of the open connections; decides which one is closed to make room (contract 1.11):
 * always one of the network with the most connections, so that a network never loses one to a
 * larger network. Idle ones go first, then the one whose request has been incomplete for longest.
 * Complete requests are never cut: the new connection is refused instead (load shedding). So are
 * most new ones of the largest network itself: replacing each other without end, they would take
 * the thread that accepts.
 */
export const openConnectionRegister = (
  limits: ConnectionLimits,
  cut: (why: CutReason) => void,
): ConnectionRegister => {
  const open = new Map<Socket, ClientConnection>();
  const networks = new Map<string, NetworkConnections>();
  const networkOf = (name: string): NetworkConnections => {
    const network = networks.get(name) ?? {
      connections: 0,
      idle: new Map(),
      incomplete: new Map(),
    };
    networks.set(name, network);
    return network;
  };
  const gone = (socket: Socket): void => {
    const connection = open.get(socket);
    if (connection === undefined) return;
    open.delete(socket);
    const network = networkOf(connection.network);
    network.connections -= 1;
    network.idle.delete(socket);
    network.incomplete.delete(socket);
    if (network.connections === 0) networks.delete(connection.network);
    // Responses queued behind another one of their connection get no event when it closes.
    for (const release of connection.releases) release();
  };
  const drop = (socket: Socket, why: CutReason): void => {
    gone(socket);
    cut(why);
    socket.destroy();
  };
  const dropped = (socket: Socket | undefined): boolean => {
    if (socket !== undefined) drop(socket, 'crowded');
    return socket !== undefined;
  };
  const replaceable = openRateLimit(limits.replacedPerSecondMax);
  /** True if one more connection of this network has room, after closing another one if needed. */
  const makeRoom = (name: string, isProxy: boolean): boolean => {
    const own = networks.get(name);
    if (own !== undefined && !isProxy && own.connections >= limits.connectionsPerAddressMax) {
      return dropped(oldestSocket([own.idle]));
    }
    if (open.size < limits.connectionsMax) return true;
    return dropped(connectionToClose([...networks.values()], own, replaceable));
  };
  return {
    open,
    drop,
    admit: (socket, name, isProxy) => {
      if (!makeRoom(name, isProxy)) return false;
      const openedAt = performance.now();
      const network = networkOf(name);
      network.connections += 1;
      network.idle.set(socket, openedAt);
      open.set(socket, { network: name, openedAt, releases: new Set(), ...initialCounters });
      socket.once('close', () => gone(socket));
      return true;
    },
    update: (socket) => {
      const connection = open.get(socket);
      if (connection !== undefined) reclassify(socket, connection, networkOf(connection.network));
    },
  };
};

const reclassify = (
  socket: Socket,
  connection: ClientConnection,
  { idle, incomplete }: NetworkConnections,
): void => {
  const now = performance.now();
  const isIncomplete = connection.requests > 0 && connection.arriving > 0;
  connection.incompleteSince = isIncomplete ? (connection.incompleteSince ?? now) : null;
  if (!isIncomplete) incomplete.delete(socket);
  else if (!incomplete.has(socket)) incomplete.set(socket, now);
  idle.delete(socket);
  if (connection.requests === 0) idle.set(socket, now);
};

/** Connection to close for a new one of `own` when all places are taken. */
const connectionToClose = (
  networks: readonly NetworkConnections[],
  own: NetworkConnections | undefined,
  replaceable: () => boolean,
): Socket | undefined => {
  const most = Math.max(...networks.map(({ connections }) => connections));
  if (own !== undefined && own.connections + 1 >= most) {
    return oldestSocket([own.idle]) ?? (replaceable() ? oldestSocket([own.incomplete]) : undefined);
  }
  const largest = networks.filter(({ connections }) => connections === most);
  return (
    oldestSocket(largest.map(({ idle }) => idle)) ??
    oldestSocket(largest.map(({ incomplete }) => incomplete))
  );
};

/** Rate limit: true at most this many times a second, evenly spaced. */
const openRateLimit = (perSecondMax: number): (() => boolean) => {
  let last = Number.NEGATIVE_INFINITY;
  return () => {
    const now = performance.now();
    if (now - last < 1_000 / perSecondMax) return false;
    last = now;
    return true;
  };
};

const initialCounters = {
  hasBegun: false,
  isAuthenticated: false,
  requests: 0,
  incompleteSince: null,
  arriving: 0,
  taking: 0,
  moved: 0,
  movedAt: 0,
  measured: 0,
  measuredAt: 0,
};

/** Socket that has been in one of these states for longest; each map is in ascending order. */
const oldestSocket = (states: readonly ReadonlyMap<Socket, number>[]): Socket | undefined => {
  const firsts = states.flatMap((state) => [...firstEntry(state)]);
  return firsts.sort(([, since], [, other]) => since - other)[0]?.[0];
};

function* firstEntry<K, V>(map: ReadonlyMap<K, V>): Iterable<[K, V]> {
  for (const entry of map) {
    yield entry;
    return;
  }
}
