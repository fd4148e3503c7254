import type { Json } from '../kernel/schema-types.js';

/**
 * What a long work tells, then what it answers. Of what it tells faster than somebody takes it only
 * the newest is kept; that nobody takes it any more does not end the work. Throws what it throws.
 */
export async function* progressLines(
  work: (tell: (line: Json) => void) => Promise<Json>,
): AsyncIterable<Json> {
  let newest: Json = null;
  let wake = (): void => undefined;
  const over = new AbortController();
  const answer = work((line) => {
    newest = line;
    wake();
  }).finally(() => {
    over.abort();
    wake();
  });
  // Whoever left is not told.
  answer.catch(() => null);
  while (newest !== null || !over.signal.aborted) {
    const line: Json = newest;
    newest = null;
    if (line === null) await new Promise<void>((resolve) => (wake = resolve));
    else yield line;
  }
  yield await answer;
}
