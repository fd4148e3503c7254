import { credentials, openCall, recordPosition, type ClientPositions } from '../call.js';
import { sendOnce, type Connection } from '../connection.js';
import { AssayFault, isFault } from '../fault.js';
import { substituteIds, resolveId, type NamedProjectOrStream } from '../named-resource.js';
import { isRetryable, usualRetries } from '../retry.js';
import type { RejectedTrace } from './rejected-trace.js';
import type { SenderSettings } from './sender.js';
import type { Warn } from './warnings.js';

type PostSettings = {
  readonly connection: Connection;
  readonly memory: ClientPositions;
  /** Project and log stream of the records, parents first. */
  readonly names: readonly NamedProjectOrStream[];
  readonly timeoutMs: number;
  readonly warn: Warn;
};

type BatchPoster = {
  readonly post: SenderSettings['post'];
  readonly headersOf: (key: string) => Readonly<Record<string, string>>;
};

/** Sends a request once. Named resources are found, or created, before the first request. */
export const openBatchPoster = (settings: PostSettings): BatchPoster => {
  const { connection, memory, names, timeoutMs } = settings;
  const headersOf = (key: string): Readonly<Record<string, string>> => ({
    ...credentials({ schemes: 'KB' }, connection),
    'Content-Type': 'application/json',
    'Idempotency-Key': key,
  });
  const findAll = nameResolverOf(settings);
  const post: BatchPoster['post'] = async ({ method, path }, body, key, signal) => {
    await findAll(signal);
    const asked = {
      method,
      path: substituteIds(path, ...names),
      headers: headersOf(key),
      body: substituteIds(body, ...names),
      timeoutMs,
      signal,
    };
    let rejected: readonly RejectedTrace[] = [];
    await sendOnce(connection, asked, async (answer) => {
      rejected = rejectedTraces(await answer.text());
      recordPosition(memory, answer.headers);
    });
    return rejected;
  };
  return { post, headersOf };
};

const rejectedTraces = (text: string): readonly RejectedTrace[] => {
  if (!text.includes('"rejected"')) return [];
  return (JSON.parse(text) as { readonly rejected?: readonly RejectedTrace[] }).rejected ?? [];
};

/** Resolves names. Its errors concern all records, and are reported without a status. */
const nameResolverOf = ({ connection, names, timeoutMs, warn }: PostSettings) => {
  const { answer } = openCall({
    connection,
    timeoutMs,
    project: async () => null,
    // Repeated with the request that needs it.
    retries: { ...usualRetries, triesMax: 1 },
    memory: { position: null, settle: async () => undefined },
  });
  const onMade = ({ noun, name }: NamedProjectOrStream): void =>
    warn(`made ${name}`, `made ${noun} ${name}`);
  return async (signal: AbortSignal): Promise<void> => {
    for (const one of names)
      try {
        await resolveId(one, answer, { onMade }, signal);
      } catch (error) {
        if (!isFault(error) || isRetryable(error)) throw error;
        const { code, message } = error;
        throw new AssayFault(`No ${one.noun} "${one.name}": ${message}`, { code, cause: error });
      }
  };
};
