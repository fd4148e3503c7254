import type { Json } from '../../kernel/schema-types.js';

/**
 * Streams progress lines of a long work, then its result. Keeps only the newest line for a slow
 * reader; a reader that disconnects does not end the work. Throws what the work throws.
 */
export async function* progressLines(
  work: (tell: (line: Json) => void) => Promise<Json>,
): AsyncIterable<Json> {
  let newest: Json = null;
  let wake = (): void => undefined;
  const ended = new AbortController();
  const result = work((line) => {
    newest = line;
    wake();
  }).finally(() => {
    ended.abort();
    wake();
  });
  // Avoids an unhandled rejection once the reader has disconnected.
  result.catch(() => null);
  while (newest !== null || !ended.signal.aborted) {
    const line: Json = newest;
    newest = null;
    if (line === null) await new Promise<void>((resolve) => (wake = resolve));
    else yield line;
  }
  yield await result;
}
