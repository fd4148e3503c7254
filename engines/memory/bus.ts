import { BroadcastChannel } from 'node:worker_threads';
import type { Bus } from '../../kernel/ports.js';
import type { Json } from '../../kernel/shapes.js';

type Message = { readonly subject: string; readonly message: Json };

/** Hints between the threads of one process: everyone who opens the same `name`, the publisher included. */
export const openBus = (name: string): Bus => {
  const handlers = new Map<string, Set<(message: Json) => void>>();
  const deliver = ({ subject, message }: Message): void => {
    for (const handler of handlers.get(subject) ?? []) handler(message);
  };
  const channel = new BroadcastChannel(name);
  channel.onmessage = (event: unknown) => deliver((event as { data: Message }).data);
  channel.unref();
  return {
    publish: (subject, message) => {
      channel.postMessage({ subject, message });
      queueMicrotask(() => deliver({ subject, message }));
    },
    subscribe: (subject, handler) => {
      const known = handlers.get(subject) ?? new Set();
      handlers.set(subject, known.add(handler));
      return () => void known.delete(handler);
    },
    close: async () => {
      channel.close();
      handlers.clear();
    },
  };
};
