import { BroadcastChannel } from 'node:worker_threads';
import type { NotificationBus } from '../../kernel/ports.js';
import type { Json } from '../../kernel/schema-types.js';

type Message = { readonly subject: string; readonly message: Json };

/**
 * Hints between the threads of one process: everyone who opens the same `name` hears what is
 * published, the publisher included, each hearing one publisher's messages in their order. Handlers
 * run later, never inside `publish`, and must not throw. It keeps no process alive. After `close`
 * it neither hears nor says anything.
 */
export const openBus = (name: string): NotificationBus => {
  const handlers = new Map<string, Set<(message: Json) => void>>();
  let open = true;
  const deliver = ({ subject, message }: Message): void => {
    // A copy: handlers begin and end subscriptions while they are called.
    Array.from(handlers.get(subject) ?? []).forEach((handler) => handler(message));
  };
  const channel = new BroadcastChannel(name);
  channel.onmessage = (event: unknown) => deliver((event as { data: Message }).data);
  channel.unref();
  return {
    publish: (subject, message) => {
      if (!open) return;
      channel.postMessage({ subject, message });
      // A channel does not hear itself.
      queueMicrotask(() => deliver({ subject, message }));
    },
    subscribe: (subject, handler) => {
      // A subscription of its own, also when the same function subscribes twice.
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
