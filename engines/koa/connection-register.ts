import type { Socket } from 'node:net';
import type { ConnectionLimits } from './connection-limits.js';

/** Why a connection was cut: for the operator's count. */
export type CutReason = 'slow' | 'crowded' | 'crumbs';

export type ClientConnection = {
  readonly network: string;
  readonly openedAt: number;
  /** Called when the client has taken an answer, or is gone. */
  readonly releases: Set<() => void>;
  /** A head has arrived; a request had a valid credential. */
  hasBegun: boolean;
  isAuthenticated: boolean;
  /** Requests that are not answered yet. */
  requests: number;
  /** When the body that is arriving began; null while none is. */
  incompleteSince: number | null;
  /** Bodies that are arriving, and answers that the client takes. */
  arriving: number;
  taking: number;
  /** Bytes of the awaited direction when it last moved, and when that was. */
  moved: number;
  movedAt: number;
  /** The same at the start of the present `silentMsMax` stretch. */
  measured: number;
  measuredAt: number;
};

type ConnectionRegister = {
  readonly open: ReadonlyMap<Socket, ClientConnection>;
  /** False: there is no room for it. */
  readonly admit: (socket: Socket, network: string, isProxy: boolean) => boolean;
  readonly drop: (socket: Socket, why: CutReason) => void;
  /** Sorts a connection by its `requests` and `arriving`, which changed. */
  readonly update: (socket: Socket) => void;
};

/**
 * The connections of one network: those without a request, which includes an incomplete head, and
 * those whose request has an incomplete body. Each map holds since when, in ascending order.
 */
type NetworkConnections = {
  connections: number;
  readonly idle: Map<Socket, number>;
  readonly incomplete: Map<Socket, number>;
};

/**
 * The open connections, and which one is closed to make room (contract 1.11): always one of the
 * network with the most connections, so that a network never loses one to a larger network. Idle
 * ones go first, then the one whose request has been incomplete for longest. Complete requests are
 * never cut: the new connection is refused instead. So are most new ones of the largest network
 * itself: replacing each other without end, they would take the thread that accepts.
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
    // Answers that wait behind another one of their connection are not told that it closed.
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
  /** Whether there is room for one more connection of this network, made if need be. */
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

/** The connection to close for a new one of `own` while all places are taken. */
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

/** True at most so many times a second, evenly. */
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

/** The socket that has been in one of these states for longest; each map is in ascending order. */
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
