import { setTimeout as pause } from 'node:timers/promises';
import { connect, Events, type ConnectionOptions, type Msg, type NatsConnection } from 'nats';
import { parseJsonText } from '../../kernel/json-text.js';
import type { NotificationBus } from '../../kernel/ports.js';
import type { Json } from '../../kernel/schema-types.js';

type Options = {
  /** `nats://user:password@host:4222`, `tls://…`; several by commas. */
  readonly url: string;
  /** Only those of one space hear each other: what our subjects begin with. */
  readonly space: string;
};

/**
 * Opening waits for the server so long and goes on without it: hints are no reason not to start.
 */
const openTimeoutMs = 2_000;
const connectTimeoutMs = 2_000;
const reconnectDelayMs = 500;
/** Hints name a thing and a position. */
const bytesMax = 1_024;
/** A server that is gone without a word is noticed after two of them. */
const heartbeatMs = 5_000;

/**
 * The bus over NATS, core subjects only: nothing is kept, so what is published while the server is
 * away is heard by this process alone. Whoever has the bus in this process hears what is published
 * here without the server. Reconnects for ever. One subscription to everything of the space stands
 * from the start, so a subscriber hears from the moment it subscribed. Throws TypeError for a URL
 * that is none.
 */
export const openNatsBus = async ({ url, space }: Options): Promise<NotificationBus> => {
  const subscriptions = openSubscriptions();
  const server = openServerConnection(optionsOf(url), `${space}.>`, (error, message) => {
    const subject = error === null ? subjectOf(space, message.subject) : null;
    // Whoever else is on the server may say anything: what nobody here asked for is not even read.
    if (subject === null || !subscriptions.has(subject) || message.data.length > bytesMax) return;
    const content = parseMessage(message.data);
    if (content !== undefined) subscriptions.deliver(subject, content);
  });
  // Kept alive by this alone, a process that just starts would end in silence.
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

/** Who in this process listens to what. */
const openSubscriptions = () => {
  const handlers = new Map<string, Set<(message: Json) => void>>();
  return {
    has: (subject: string): boolean => handlers.has(subject),
    deliver: (subject: string, message: Json): void => {
      // A copy: handlers begin and end subscriptions while they are called.
      Array.from(handlers.get(subject) ?? []).forEach((handler) => handler(message));
    },
    add: (subject: string, handler: (message: Json) => void): (() => void) => {
      // A subscription of its own, also when the same function subscribes twice.
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

/** The connection to the server, made again whenever it is gone for good, until we leave. */
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
  /** Resolves when the connection is gone for good. */
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
      // Why it failed does not matter: it is tried again, and nothing is lost but hints.
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
        // Too large for the server, or the connection ended just now: a hint less.
      }
    },
    leave: async (): Promise<void> => {
      leaving.abort();
      // An attempt to connect ends by itself; nobody has to wait for it.
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
    // What is published here is delivered here without the server.
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

/** One token of a subject, whatever the text: dots, stars and spaces mean something to a server. */
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

/** Undefined for what is no JSON: it was not published by us. */
const parseMessage = (bytes: Uint8Array): Json | undefined => {
  try {
    return parseJsonText(Buffer.from(bytes).toString('utf8')) as Json;
  } catch {
    return undefined;
  }
};
