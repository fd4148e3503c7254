import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { BSON, type Document } from 'mongodb';
import type { MongoServer } from './mongo.js';

/** Fate of a command on its way to the server. */
type CommandFate = 'pass' | 'cut';

export type MongoProxy = {
  /** Address of the same database through this proxy. */
  readonly url: string;
  /** Every command that went through, in order. */
  readonly commands: readonly Document[];
  /**
   * Decides the fate of each later command; a promise holds the command, and those after it on the
   * same connection, until it resolves. `cut` ends the connection instead.
   */
  readonly decideEach: (fate: (command: Document) => CommandFate | Promise<CommandFate>) => void;
  readonly close: () => Promise<void>;
};

/** A loopback proxy in front of a server: records the commands sent, and injects failures. */
export const openMongoProxy = async (
  server: MongoServer,
  database: string,
): Promise<MongoProxy> => {
  const { host, port } = addressOf(server.url(database));
  const commands: Document[] = [];
  let fate: (command: Document) => CommandFate | Promise<CommandFate> = () => 'pass';
  const sockets = new Set<Socket>();
  const listener = createServer((near) => {
    const far = connect(port, host);
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on('error', () => end());
      socket.on('close', () => end());
    }
    const end = (): void => {
      near.destroy();
      far.destroy();
      sockets.delete(near);
      sockets.delete(far);
    };
    far.on('data', (bytes: Buffer) => near.write(bytes));
    let waiting = Buffer.alloc(0);
    let last: Promise<void> = Promise.resolve();
    near.on('data', (bytes: Buffer) => {
      waiting = Buffer.concat([waiting, bytes]);
      while (waiting.length >= 4 && waiting.length >= waiting.readInt32LE(0)) {
        const message = waiting.subarray(0, waiting.readInt32LE(0));
        waiting = waiting.subarray(message.length);
        last = last.then(async () => {
          const command = commandIn(message);
          if (command !== null && (await fate(command)) === 'cut') return end();
          if (command !== null) commands.push(command);
          far.write(message);
        });
      }
    });
  });
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const own = (listener.address() as AddressInfo).port;
  return {
    url: server.url(database).replace(`${host}:${port}`, `127.0.0.1:${own}`),
    commands,
    decideEach: (next) => {
      fate = next;
    },
    close: async () => {
      for (const socket of sockets) socket.destroy();
      listener.close();
      await once(listener, 'close');
    },
  };
};

const addressOf = (url: string): { readonly host: string; readonly port: number } => {
  const [, host = '', port = '27017'] =
    /^mongodb:\/\/(?:[^@/]*@)?([^:/,]+)(?::(\d+))?\//.exec(url) ?? [];
  return { host, port: Number(port) };
};

const messageOpcode = 2013;
/**
 * The command of a message of the current protocol; null for the greeting, which is of an older
 * one.
 */
const commandIn = (message: Buffer): Document | null => {
  const [opcodeAt, sectionAt] = [12, 20];
  if (message.readInt32LE(opcodeAt) !== messageOpcode || message[sectionAt] !== 0) return null;
  return BSON.deserialize(message.subarray(sectionAt + 1), {
    allowObjectSmallerThanBufferSize: true,
  });
};

/** Passes commands until one matches, holds that one, and reports when it came. */
export const holdFirst = (
  wire: MongoProxy,
  is: (command: Document) => boolean,
): { readonly came: Promise<unknown>; readonly release: (fate: CommandFate) => void } => {
  const came = Promise.withResolvers<undefined>();
  const decided = Promise.withResolvers<CommandFate>();
  let isHeld = false;
  wire.decideEach((command) => {
    if (isHeld || !is(command)) return 'pass';
    isHeld = true;
    came.resolve(undefined);
    return decided.promise;
  });
  return { came: came.promise, release: decided.resolve };
};
