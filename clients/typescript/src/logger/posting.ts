import { credentials, openCall, remember, type Memory } from '../call.js';
import { tryOnce, type Connection } from '../connection.js';
import { AssayFault, isFault } from '../fault.js';
import { filled, idOf, type Named } from '../named.js';
import { isPassing, usualRetries } from '../retry.js';
import type { RejectedTrace } from './rejected-trace.js';
import type { SenderSettings } from './sender.js';
import type { Warn } from './warnings.js';

type PostingSettings = {
  readonly connection: Connection;
  readonly memory: Memory;
  /** What records are logged into, each after what it is within. */
  readonly names: readonly Named[];
  readonly timeoutMs: number;
  readonly warn: Warn;
};

type Posting = {
  readonly post: SenderSettings['post'];
  readonly headersOf: (key: string) => Readonly<Record<string, string>>;
};

/** Sends once. Before the first request what has a name is found, or made. */
export const openPosting = (settings: PostingSettings): Posting => {
  const { connection, memory, names, timeoutMs } = settings;
  const headersOf = (key: string): Readonly<Record<string, string>> => ({
    ...credentials({ schemes: 'KB' }, connection),
    'Content-Type': 'application/json',
    'Idempotency-Key': key,
  });
  const findAll = finderOf(settings);
  const post: Posting['post'] = async ({ method, path }, body, key, signal) => {
    await findAll(signal);
    const asked = {
      method,
      path: filled(path, ...names),
      headers: headersOf(key),
      body: filled(body, ...names),
      timeoutMs,
      signal,
    };
    let rejected: readonly RejectedTrace[] = [];
    await tryOnce(connection, asked, async (answer) => {
      rejected = rejectedIn(await answer.text());
      remember(memory, answer.headers);
    });
    return rejected;
  };
  return { post, headersOf };
};

const rejectedIn = (text: string): readonly RejectedTrace[] => {
  if (!text.includes('"rejected"')) return [];
  return (JSON.parse(text) as { readonly rejected?: readonly RejectedTrace[] }).rejected ?? [];
};

/** What hinders it concerns all records, and is told without a status. */
const finderOf = ({ connection, names, timeoutMs, warn }: PostingSettings) => {
  const { answer } = openCall({
    connection,
    timeoutMs,
    project: async () => null,
    // It is repeated with the request that it is for.
    retries: { ...usualRetries, triesMax: 1 },
    memory: { position: null, settle: async () => undefined },
  });
  const onMade = ({ noun, name }: Named): void => warn(`made ${name}`, `made ${noun} ${name}`);
  return async (signal: AbortSignal): Promise<void> => {
    for (const one of names)
      try {
        await idOf(one, answer, { onMade }, signal);
      } catch (error) {
        if (!isFault(error) || isPassing(error)) throw error;
        const { code, message } = error;
        throw new AssayFault(`No ${one.noun} "${one.name}": ${message}`, { code, cause: error });
      }
  };
};
