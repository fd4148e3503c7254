import type { Reply } from './client.js';
import { pollUntil } from './poll-until.js';

/** Retries until a process accepts the request, which must be idempotent. */
export const retryUntilAccepted = async <T>(ask: () => Promise<Reply<T>>): Promise<Reply<T>> => {
  let reply: Reply<T> | null = null;
  await pollUntil('an answer with success', 60_000, async () => {
    reply = await ask().catch(() => null);
    return reply !== null && reply.status < 300;
  });
  return reply as unknown as Reply<T>;
};
