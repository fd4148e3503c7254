import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { networkPrefix } from '../../kernel/network-prefix.js';
import type { ConnectionLimits } from './connection-limits.js';
import {
  openConnectionRegister,
  type ClientConnection,
  type CutReason,
} from './connection-register.js';
import { unmappedAddress } from './peer.js';

/** Looks this often within `silentMsMax`. */
const checksPerSilence = 30;

type ClientConnections = {
  /** The request has a valid credential: from here on its connection has the usual deadlines. */
  readonly markAuthenticated: (message: IncomingMessage) => void;
  /**
   * The client has to send the body of this request, if it has one. False: its connection is cut,
   * as it sends ahead too much.
   */
  readonly requestStarted: (message: IncomingMessage, response: ServerResponse) => boolean;
  /**
   * The answer is there: the client has to take it. `release` is called when it has, or is gone.
   */
  readonly responseStarted: (
    message: IncomingMessage,
    response: ServerResponse,
    release: () => void,
  ) => void;
  readonly close: () => void;
};

/**
 * Bounds the connections of a server, in all and by address, and cuts those whose client neither
 * sends nor takes (contract 1.11). The register decides which one is closed to make room.
 */
export const openConnections = (
  server: Server,
  limits: ConnectionLimits,
  isTrusted: (address: string) => boolean,
  cut: (why: CutReason) => void,
): ClientConnections => {
  const register = openConnectionRegister(limits, cut);
  const { open, admit, drop } = register;
  server.on('connection', (socket: Socket) => {
    const address = unmappedAddress(socket.remoteAddress ?? '');
    if (admit(socket, networkPrefix(address), isTrusted(address))) return;
    cut('crowded');
    socket.destroy();
  });
  const lookMs = limits.silentMsMax / checksPerSilence;
  const look = setInterval(() => {
    const now = performance.now();
    const isCrowded = open.size > limits.connectionsMax / 2;
    let overdueLeft = isCrowded ? Math.ceil(limits.replacedPerSecondMax * (lookMs / 1_000)) : 0;
    for (const [socket, connection] of open) {
      const isLate = overdueLeft > 0 && isPastHeadDeadline(connection, now, limits);
      if (isLate) overdueLeft -= 1;
      if (isLate || isTooSlow(socket, connection, now, limits)) drop(socket, 'slow');
    }
  }, lookMs);
  look.unref();

  return {
    markAuthenticated: ({ socket }) => {
      const connection = open.get(socket);
      if (connection !== undefined) connection.isAuthenticated = true;
    },
    requestStarted: (message, response) => {
      const { socket } = message;
      const connection = open.get(socket);
      if (connection === undefined) return false;
      if (connection.requests >= limits.requestsPerConnectionMax) {
        drop(socket, 'crowded');
        return false;
      }
      connection.requests += 1;
      connection.hasBegun = true;
      if (hasBody(message)) {
        trackTransfer(socket, connection, 'arriving', message, () => register.update(socket));
        countChunks(message, limits, () => drop(socket, 'crumbs'));
      }
      register.update(socket);
      response.once('close', () => {
        connection.requests -= 1;
        register.update(socket);
      });
      return true;
    },
    responseStarted: (message, response, release) => {
      const { socket } = message;
      // What was not read is thrown away here: node would do it where its pieces are not counted.
      message.resume();
      const connection = open.get(socket);
      if (connection === undefined || response.closed) return release();
      trackTransfer(socket, connection, 'taking', response);
      connection.releases.add(release);
      response.once('close', () => {
        connection.releases.delete(release);
        release();
      });
    },
    close: () => clearInterval(look),
  };
};

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

const trackTransfer = (
  socket: Socket,
  connection: ClientConnection,
  way: 'arriving' | 'taking',
  what: IncomingMessage | ServerResponse,
  ended: () => void = () => undefined,
): void => {
  connection[way] += 1;
  if (connection[way] === 1) restartMeasurement(socket, connection);
  let isOver = false;
  const over = (): void => {
    if (isOver) return;
    isOver = true;
    connection[way] -= 1;
    restartMeasurement(socket, connection);
    ended();
  };
  what.once('end', over).once('close', over);
};

const restartMeasurement = (socket: Socket, connection: ClientConnection): void => {
  const now = performance.now();
  const bytes = transferredBytes(socket, connection);
  Object.assign(connection, { moved: bytes, movedAt: now, measured: bytes, measuredAt: now });
};

/** Whoever takes nothing is not excused by sending more. */
const transferredBytes = (socket: Socket, { taking }: ClientConnection): number =>
  taking > 0 ? socket.bytesWritten : socket.bytesRead;

/** A head or a first body without a credential has not arrived in time. */
const isPastHeadDeadline = (
  { isAuthenticated, hasBegun, openedAt, incompleteSince }: ClientConnection,
  now: number,
  { anonymousHeadMsMax, anonymousBodyMsMax }: ConnectionLimits,
): boolean => {
  if (isAuthenticated) return false;
  if (!hasBegun) return now - openedAt >= anonymousHeadMsMax;
  return incompleteSince !== null && now - incompleteSince >= anonymousBodyMsMax;
};

/** Nothing moved for the longest silence, or too little within one stretch of that length. */
const isTooSlow = (
  socket: Socket,
  connection: ClientConnection,
  now: number,
  { silentMsMax, bytesPerSecondMin }: ConnectionLimits,
): boolean => {
  if (connection.arriving + connection.taking === 0) return false;
  const bytes = transferredBytes(socket, connection);
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
