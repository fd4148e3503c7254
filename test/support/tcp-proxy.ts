import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

export type TcpProxy = {
  readonly port: number;
  /** Breaks every connection; new ones are accepted. */
  readonly cut: () => void;
  /** Stops forwarding without closing connections. */
  readonly pause: () => void;
  readonly resume: () => void;
  readonly close: () => Promise<void>;
};

const host = '127.0.0.1';

/** A breakable network between a client and `targetPort` of the loopback interface. */
export const startTcpProxy = async (targetPort: number): Promise<TcpProxy> => {
  const sockets = new Set<Socket>();
  let isPaused = false;
  const follow = (socket: Socket): void => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    if (isPaused) socket.pause();
  };
  const server = createServer((near) => {
    const far = connect(targetPort, host);
    follow(near);
    follow(far);
    near.on('error', () => far.destroy());
    far.on('error', () => near.destroy());
    near.on('data', (bytes) => far.write(bytes));
    far.on('data', (bytes) => near.write(bytes));
    near.on('close', () => far.destroy());
    far.on('close', () => near.destroy());
    if (isPaused) [near, far].forEach((socket) => socket.pause());
  }).listen(0, host);
  await once(server, 'listening');
  const cut = (): void => sockets.forEach((socket) => socket.destroy());
  return {
    port: (server.address() as AddressInfo).port,
    cut,
    pause: () => {
      isPaused = true;
      sockets.forEach((socket) => socket.pause());
    },
    resume: () => {
      isPaused = false;
      sockets.forEach((socket) => socket.resume());
    },
    close: async () => {
      cut();
      server.close();
      await once(server, 'close');
    },
  };
};
