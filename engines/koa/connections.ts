import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { openTally } from '../../kernel/tally.js';
import { networkOf } from '../../kernel/networks.js';
import { plainAddress } from './peer.js';

/** Contract 1.11, and what follows from it. */
export const usualConnections = {
  /** Four times as many as requests at work: connections of clients rest most of the time. */
  connectionsMax: 2_048,
  /** All that the service works on at once, of one address; proxies that are trusted have more. */
  connectionsPerAddressMax: 512,
  /**
   * Clients that send ahead send some ten; each lies in memory until those before it are answered.
   */
  requestsPerConnectionMax: 32,
  /** A network that came back after a break sends again within this; its half would cut some. */
  silentMsMax: 30_000,
  /** A hundredth of what a poor mobile connection does. */
  bytesPerSecondMin: 1_024,
  /**
   * Each chunk of a chunked body costs some microseconds and hundreds of bytes, however small it
   * is. A body may come in so many and one more for each `chunkBytesMin` of it: a mebibyte in
   * pieces of 128 bytes, more in larger ones.
   */
  smallChunksMax: 4_096,
  chunkBytesMin: 256,
} as const;
export type ConnectionLimits = { readonly [Limit in keyof typeof usualConnections]: number };

/** Why a connection was cut: for the operator's count. */
export type CutReason = 'slow' | 'crowded' | 'crumbs';

/** Looks this often within `silentMsMax`. */
const looks = 30;

type Connection = {
  readonly network: string;
  /** What is to be called when the client has taken an answer. */
  readonly releases: Set<() => void>;
  requests: number;
  /** Bodies that are arriving, and answers that the client takes. */
  arriving: number;
  taking: number;
  /** Bytes of the way that is waited for when it last moved, and when that was. */
  moved: number;
  movedAt: number;
  /** The same when the present stretch of `silentMsMax` began. */
  measured: number;
  measuredAt: number;
};

export type ClientConnections = {
  /**
   * The client has to send the body of this request, if it has one. False: its connection is cut,
   * as it sends ahead too much.
   */
  readonly begun: (message: IncomingMessage, response: ServerResponse) => boolean;
  /**
   * The answer is there: the client has to take it. `release` is called when it has, or is gone.
   */
  readonly answered: (
    message: IncomingMessage,
    response: ServerResponse,
    release: () => void,
  ) => void;
  readonly close: () => void;
};

/**
 * Bounds the connections of a server, in all and by address, and cuts those whose client neither
 * sends nor takes (contract 1.11). Where there are too many, the one goes that rests longest, of
 * the address that has most.
 */
export const openConnections = (
  server: Server,
  limits: ConnectionLimits,
  isTrusted: (address: string) => boolean,
  cut: (why: CutReason) => void,
): ClientConnections => {
  const { open, admit, drop, rest, work } = openRegister(limits, cut);
  server.on('connection', (socket: Socket) => {
    const address = plainAddress(socket.remoteAddress ?? '');
    if (admit(socket, networkOf(address), isTrusted(address))) return;
    cut('crowded');
    socket.destroy();
  });
  const look = setInterval(() => {
    const now = performance.now();
    for (const [socket, connection] of open) {
      if (isSlow(socket, connection, now, limits)) drop(socket, 'slow');
    }
  }, limits.silentMsMax / looks);
  look.unref();

  return {
    begun: (message, response) => {
      const { socket } = message;
      const connection = open.get(socket);
      if (connection === undefined) return false;
      if (connection.requests >= limits.requestsPerConnectionMax) {
        drop(socket, 'crowded');
        return false;
      }
      connection.requests += 1;
      work(socket);
      if (hasBody(message)) {
        waitFor(socket, connection, 'arriving', message);
        countChunks(message, limits, () => drop(socket, 'crumbs'));
      }
      response.once('close', () => {
        connection.requests -= 1;
        if (connection.requests === 0) rest(socket);
      });
      return true;
    },
    answered: (message, response, release) => {
      const { socket } = message;
      // What was not read is thrown away here: node would do it where its pieces are not counted.
      message.resume();
      const connection = open.get(socket);
      if (connection === undefined || response.closed) return release();
      waitFor(socket, connection, 'taking', response);
      connection.releases.add(release);
      response.once('close', () => {
        connection.releases.delete(release);
        release();
      });
    },
    close: () => clearInterval(look),
  };
};

/** The open connections, and which of them goes where there are too many. */
const openRegister = (limits: ConnectionLimits, cut: (why: CutReason) => void) => {
  const open = new Map<Socket, Connection>();
  /** In the order in which they came to rest. */
  const resting = new Set<Socket>();
  const networks = openTally();
  const gone = (socket: Socket): void => {
    const connection = open.get(socket);
    if (connection === undefined) return;
    open.delete(socket);
    resting.delete(socket);
    networks.add(connection.network, -1);
    // Answers that wait behind another one of their connection are not told that it closed.
    for (const release of connection.releases) release();
  };
  const drop = (socket: Socket, why: CutReason): void => {
    gone(socket);
    cut(why);
    socket.destroy();
  };
  const restingOf = (network: string): Socket | undefined =>
    [...resting].find((socket) => open.get(socket)?.network === network);
  /** Whether there is room for one more of this network, made if need be. */
  const makeRoom = (network: string, isProxy: boolean): boolean => {
    if (!isProxy && networks.of(network) >= limits.connectionsPerAddressMax) {
      const oldest = restingOf(network);
      if (oldest === undefined) return false;
      drop(oldest, 'crowded');
    }
    if (open.size < limits.connectionsMax) return true;
    const oldest = restingOf(networks.most()) ?? [...resting][0];
    if (oldest !== undefined) drop(oldest, 'crowded');
    return oldest !== undefined;
  };
  return {
    open: open as ReadonlyMap<Socket, Connection>,
    drop,
    /** False: there is no room for it. */
    admit: (socket: Socket, network: string, isProxy: boolean): boolean => {
      if (!makeRoom(network, isProxy)) return false;
      open.set(socket, { network, releases: new Set(), requests: 0, ...still });
      networks.add(network, 1);
      resting.add(socket);
      socket.once('close', () => gone(socket));
      return true;
    },
    rest: (socket: Socket): void => {
      if (open.has(socket)) resting.add(socket);
    },
    work: (socket: Socket): void => void resting.delete(socket),
  };
};

const still = { arriving: 0, taking: 0, moved: 0, movedAt: 0, measured: 0, measuredAt: 0 };

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

/**
 * Sees every chunk where it enters the message, also of a body that nobody reads or that is thrown
 * away.
 */
const countChunks = (
  message: IncomingMessage,
  { smallChunksMax, chunkBytesMin }: ConnectionLimits,
  tooMany: () => void,
): void => {
  const push = message.push.bind(message);
  let left = smallChunksMax;
  let bytes = 0;
  message.push = (chunk: Buffer | null, encoding) => {
    if (chunk !== null) {
      bytes += chunk.length;
      left -= 1;
      if (left * chunkBytesMin + bytes < 0) {
        // What is parsed already comes all the same, and is let fall.
        if (!message.socket.destroyed) tooMany();
        return false;
      }
    }
    return push(chunk, encoding);
  };
};

const waitFor = (
  socket: Socket,
  connection: Connection,
  way: 'arriving' | 'taking',
  what: IncomingMessage | ServerResponse,
): void => {
  connection[way] += 1;
  if (connection[way] === 1) restart(socket, connection);
  let isOver = false;
  const over = (): void => {
    if (isOver) return;
    isOver = true;
    connection[way] -= 1;
    restart(socket, connection);
  };
  what.once('end', over).once('close', over);
};

const restart = (socket: Socket, connection: Connection): void => {
  const now = performance.now();
  const bytes = bytesOf(socket, connection);
  Object.assign(connection, { moved: bytes, movedAt: now, measured: bytes, measuredAt: now });
};

/** Whoever takes nothing is not excused by sending more. */
const bytesOf = (socket: Socket, { taking }: Connection): number =>
  taking > 0 ? socket.bytesWritten : socket.bytesRead;

/** Nothing moved for the longest silence, or too little within one stretch of that length. */
const isSlow = (
  socket: Socket,
  connection: Connection,
  now: number,
  { silentMsMax, bytesPerSecondMin }: ConnectionLimits,
): boolean => {
  if (connection.arriving + connection.taking === 0) return false;
  const bytes = bytesOf(socket, connection);
  if (bytes > connection.moved) {
    connection.moved = bytes;
    connection.movedAt = now;
  }
  if (now - connection.movedAt >= silentMsMax) return true;
  const stretchMs = now - connection.measuredAt;
  if (stretchMs < silentMsMax) return false;
  const isTooLittle = bytes - connection.measured < (bytesPerSecondMin * stretchMs) / 1_000;
  connection.measured = bytes;
  connection.measuredAt = now;
  return isTooLittle;
};
