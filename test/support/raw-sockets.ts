import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** Connections of misbehaving clients, separate from those of well-behaved ones. */
export type RawSockets = {
  /**
   * Resolves when it is connected; `text` is on its way then. `from` is an address of this machine.
   */
  readonly open: (text: string, from?: string) => Promise<Socket>;
  readonly close: () => void;
};

export const rawSockets = (port: number): RawSockets => {
  const sockets: Socket[] = [];
  return {
    open: async (text, from = '127.0.0.1') => {
      const socket = connect({ port, host: '127.0.0.1', localAddress: from });
      socket.on('error', () => undefined);
      sockets.push(socket);
      await once(socket, 'connect');
      if (text !== '') await new Promise<void>((resolve) => socket.write(text, () => resolve()));
      return socket;
    },
    close: () => sockets.forEach((socket) => socket.destroy()),
  };
};

/** Resolves when the socket is closed. */
export const closed = (socket: Socket): Promise<void> =>
  new Promise((resolve) => {
    if (socket.closed) resolve();
    else socket.once('close', () => resolve()).resume();
  });

/** The head of a request by the editor of the small service. */
export const headOf = (line: string, headers: Readonly<Record<string, string>> = {}): string =>
  [
    `${line} HTTP/1.1`,
    'Host: x',
    ...Object.entries({ 'Service-API-Key': 'editor', ...headers }).map(
      ([name, value]) => `${name}: ${value}`,
    ),
    '\r\n',
  ].join('\r\n');

/** A body that is declared and never comes. */
export const unsent = (line: string, headers: Readonly<Record<string, string>> = {}): string =>
  `${headOf(line, { 'Content-Length': '1048576', ...headers })}{`;
