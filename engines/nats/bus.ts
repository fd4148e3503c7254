import { setTimeout as pause } from 'node:timers/promises';
import { connect, Events, type ConnectionOptions, type Msg, type NatsConnection } from 'nats';
import { parseJsonText } from '../../kernel/json-text.js';
import type { NotificationBus } from '../../kernel/ports.js';
import type { Json } from '../../kernel/schema-types.js';

type Options = {
  /** `nats://user:password@host:4222`, `tls://…`; several separated by commas. */
  readonly url: string;
  /** Subject prefix: only buses of one space receive each other's messages. */
  readonly space: string;
};

/**
 * Longest wait for the server at opening, which then continues without it: notifications are
 * optional.
 */
const openTimeoutMs = 2_000;
const connectTimeoutMs = 2_000;
const reconnectDelayMs = 500;
/** Largest message: notifications name a thing and a position. */
const bytesMax = 1_024;
/** Heartbeat interval: a server that went silent is detected after two of them. */
const heartbeatMs = 5_000;

/**
 * Notification bus over NATS, core subjects only: nothing is stored, so a message published while
 * the server is away reaches this process only. Local subscribers receive local messages without
 * the server. Reconnects for ever. One subscription to the whole space is open from the start, so a
 * subscriber receives from the moment it subscribed. Throws TypeError for a malformed URL.
 */
export const openNatsBus = async ({ url, space }: Options): Promise<NotificationBus> => {
  const subscriptions = openSubscriptions();
  const server = openServerConnection(optionsOf(url), `${space}.>`, (error, message) => {
    const subject = error === null ? subjectOf(space, message.subject) : null;
    // Other clients of the server may send anything: messages without a subscriber are not even
    // parsed.
    if (subject === null || !subscriptions.has(subject) || message.data.length > bytesMax) return;
    const content = parseMessage(message.data);
    if (content !== undefined) subscriptions.deliver(subject, content);
  });
  // Without another handle a starting process would exit silently during this wait.
  const enough = new AbortController();
  const patience = pause(openTimeoutMs, undefined, { signal: enough.signal }).catch(() => null);
  await Promise.race([server.connected, patience]);
  enough.abort();

  let closed = false;
  return {
    publish: (subject, message) => {
      if (closed) return;
      queueMicrotask(() => subscriptions.deliver(subject, message));
      server.publish(`${space}.${tokenOf(subject)}`, message);
    },
    subscribe: (subject, handler) =>
      closed ? () => undefined : subscriptions.add(subject, handler),
    isConnected: server.isThere,
    close: async () => {
      closed = true;
      subscriptions.clear();
      await server.leave();
    },
  };
};

/** Subscriptions of this process, by subject. */
const openSubscriptions = () => {
  const handlers = new Map<string, Set<(message: Json) => void>>();
  return {
    has: (subject: string): boolean => handlers.has(subject),
    deliver: (subject: string, message: Json): void => {
      // A copy: handlers may subscribe and unsubscribe while they run.
      Array.from(handlers.get(subject) ?? []).forEach((handler) => handler(message));
    },
    add: (subject: string, handler: (message: Json) => void): (() => void) => {
      // A separate subscription, also when the same function subscribes twice.
      const own = (message: Json): void => handler(message);
      const known = handlers.get(subject) ?? new Set();
      handlers.set(subject, known.add(own));
      return () => {
        known.delete(own);
        if (known.size === 0 && handlers.get(subject) === known) handlers.delete(subject);
      };
    },
    clear: (): void => handlers.clear(),
  };
};

/** Connection to the server, reopened whenever it ends for good, until `leave`. */
const openServerConnection = (
  options: ConnectionOptions,
  subject: string,
  receive: (error: Error | null, message: Msg) => void,
) => {
  const leaving = new AbortController();
  let server: NatsConnection | null = null;
  let isThere = false;

  const watch = async (connection: NatsConnection): Promise<void> => {
    for await (const { type } of connection.status()) {
      if (type === Events.Disconnect) isThere = false;
      if (type === Events.Reconnect) isThere = server === connection;
    }
  };
  /** Resolves when the connection has ended for good. */
  const serve = async (connected: () => void): Promise<void> => {
    const connection = await connect(options);
    const end = (): void => void connection.close().catch(() => null);
    leaving.signal.addEventListener('abort', end, { once: true });
    if (leaving.signal.aborted) end();
    try {
      connection.subscribe(subject, { callback: receive });
      await connection.flush();
      server = connection;
      isThere = true;
      connected();
      watch(connection).catch(() => null);
      await connection.closed();
    } finally {
      server = null;
      isThere = false;
      leaving.signal.removeEventListener('abort', end);
      end();
    }
  };
  const run = async (connected: () => void): Promise<void> => {
    while (!leaving.signal.aborted) {
      // The cause does not matter: it reconnects, and only notifications are lost.
      await serve(connected).catch(() => null);
      await pause(reconnectDelayMs, undefined, { signal: leaving.signal, ref: false }).catch(
        () => null,
      );
    }
  };
  let ended: Promise<void> = Promise.resolve();
  const connected = new Promise<void>((resolve) => {
    ended = run(resolve);
  });

  return {
    /** Resolves with the first connection. */
    connected,
    isThere: (): boolean => isThere,
    publish: (name: string, message: Json): void => {
      if (!isThere) return;
      try {
        server?.publish(name, Buffer.from(JSON.stringify(message)));
      } catch {
        // Too large for the server, or just disconnected: this notification is lost.
      }
    },
    leave: async (): Promise<void> => {
      leaving.abort();
      // A connection attempt ends by itself; no need to wait for it.
      if (server !== null) await ended;
    },
  };
};

const optionsOf = (url: string): ConnectionOptions => {
  const servers = url.split(',').map((text) => new URL(text.trim()));
  const [first] = servers;
  const username = decodeURIComponent(first?.username ?? '');
  const password = decodeURIComponent(first?.password ?? '');
  const isSecure = servers.some(({ protocol }) => protocol === 'tls:');
  return {
    servers: servers.map(({ host }) => host),
    name: 'assay',
    // Local subscribers get local messages without the server.
    noEcho: true,
    timeout: connectTimeoutMs,
    maxReconnectAttempts: -1,
    reconnectTimeWait: reconnectDelayMs,
    ignoreAuthErrorAbort: true,
    pingInterval: heartbeatMs,
    maxPingOut: 2,
    ...(isSecure && { tls: {} }),
    ...(username !== '' &&
      (password === '' ? { token: username } : { user: username, pass: password })),
  };
};

/** Encodes any text as one token of a subject: dots, stars and spaces are special to a server. */
const tokenOf = (subject: string): string =>
  `s-${encodeURIComponent(subject).replaceAll('.', '%2E').replaceAll('*', '%2A')}`;

const subjectOf = (space: string, name: string): string | null => {
  const start = `${space}.s-`;
  if (!name.startsWith(start)) return null;
  try {
    return decodeURIComponent(name.slice(start.length));
  } catch {
    return null;
  }
};

/** Parsed message; undefined for malformed JSON, which another client published. */
const parseMessage = (bytes: Uint8Array): Json | undefined => {
  try {
    return parseJsonText(Buffer.from(bytes).toString('utf8')) as Json;
  } catch {
    return undefined;
  }
};
