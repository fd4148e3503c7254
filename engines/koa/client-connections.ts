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

/** Checks per `silentMsMax`. */
const checksPerSilence = 30;

type ClientConnections = {
  /** Marks the request's connection as authenticated: from here on it has the usual deadlines. */
  readonly markAuthenticated: (message: IncomingMessage) => void;
  /**
   * Starts a request, whose body the client has yet to send, if any. Returns false if its
   * connection was cut because it pipelines too many requests.
   */
  readonly requestStarted: (message: IncomingMessage, response: ServerResponse) => boolean;
  /**
   * Starts a response, which the client has yet to receive. `release` is called when it has, or
   * disconnected.
   */
  readonly responseStarted: (
    message: IncomingMessage,
    response: ServerResponse,
    release: () => void,
  ) => void;
  readonly close: () => void;
};

/**
 * Limits the connections of a server, in total and per address, and cuts those whose client neither
 * sends nor receives (contract 1.11). The register decides which one is closed to make room.
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
  const checkMs = limits.silentMsMax / checksPerSilence;
  const timer = setInterval(() => {
    const now = performance.now();
    const isCrowded = open.size > limits.connectionsMax / 2;
    let overdueLeft = isCrowded ? Math.ceil(limits.replacedPerSecondMax * (checkMs / 1_000)) : 0;
    for (const [socket, connection] of open) {
      const isLate = overdueLeft > 0 && isPastHeadDeadline(connection, now, limits);
      if (isLate) overdueLeft -= 1;
      if (isLate || isTooSlow(socket, connection, now, limits)) drop(socket, 'slow');
    }
  }, checkMs);
  timer.unref();

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
      // Unread bytes are discarded here: node would discard them where chunks are not counted.
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
    close: () => clearInterval(timer),
  };
};

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

/** Counts every chunk where it enters the message, also of a body that is discarded. */
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
        // Chunks that are parsed already still arrive here, and are dropped.
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

/**
 * Bytes in the awaited direction: a client that receives nothing cannot make up for it by sending
 * more.
 */
const transferredBytes = (socket: Socket, { taking }: ClientConnection): number =>
  taking > 0 ? socket.bytesWritten : socket.bytesRead;

/** True if the head, or the first body without a credential, is overdue. */
const isPastHeadDeadline = (
  { isAuthenticated, hasBegun, openedAt, incompleteSince }: ClientConnection,
  now: number,
  { anonymousHeadMsMax, anonymousBodyMsMax }: ConnectionLimits,
): boolean => {
  if (isAuthenticated) return false;
  if (!hasBegun) return now - openedAt >= anonymousHeadMsMax;
  return incompleteSince !== null && now - incompleteSince >= anonymousBodyMsMax;
};

/**
 * True if nothing moved for the longest silence, or too little within an interval of that length.
 */
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
  const intervalMs = now - connection.measuredAt;
  if (intervalMs < silentMsMax) return false;
  const isTooLittle = bytes - connection.measured < (bytesPerSecondMin * intervalMs) / 1_000;
  connection.measured = bytes;
  connection.measuredAt = now;
  return isTooLittle;
};
