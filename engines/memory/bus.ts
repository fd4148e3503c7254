import { BroadcastChannel } from 'node:worker_threads';
import type { NotificationBus } from '../../kernel/ports.js';
import type { Json } from '../../kernel/schema-types.js';

type Message = { readonly subject: string; readonly message: Json };

/**
 * Notifications between the threads of one process: all openings of the same `name` receive what is
 * published, the publisher included, in each publisher's order. Handlers run later, never inside
 * `publish`, and must not throw. Keeps no process alive. After `close` it neither sends nor
 * receives.
 */
export const openBus = (name: string): NotificationBus => {
  const handlers = new Map<string, Set<(message: Json) => void>>();
  let open = true;
  const deliver = ({ subject, message }: Message): void => {
    // A copy: handlers may subscribe and unsubscribe while they run.
    Array.from(handlers.get(subject) ?? []).forEach((handler) => handler(message));
  };
  const channel = new BroadcastChannel(name);
  channel.onmessage = (event: unknown) => deliver((event as { data: Message }).data);
  channel.unref();
  return {
    publish: (subject, message) => {
      if (!open) return;
      channel.postMessage({ subject, message });
      // A channel does not receive its own messages.
      queueMicrotask(() => deliver({ subject, message }));
    },
    subscribe: (subject, handler) => {
      // A separate subscription, also when the same function subscribes twice.
      const own = (message: Json): void => handler(message);
      const known = handlers.get(subject) ?? new Set();
      if (open) handlers.set(subject, known.add(own));
      return () => {
        known.delete(own);
        if (known.size === 0 && handlers.get(subject) === known) handlers.delete(subject);
      };
    },
    isConnected: () => open,
    close: async () => {
      open = false;
      channel.close();
      handlers.clear();
    },
  };
};
