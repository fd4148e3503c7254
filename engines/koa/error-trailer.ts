import type { ServerResponse } from 'node:http';
import { setImmediate as eventLoopTick, setTimeout as sleep } from 'node:timers/promises';
import type { Problem } from './problem.js';

type Part = string | Uint8Array;

/**
 * Yields the parts of a file, and on an error a last line with the reason, before the error cuts
 * the connection (contract 5.7, Exports). `delivered` resolves when the client's connection has
 * taken all that was written.
 */
export async function* withErrorTrailer(
  parts: AsyncIterable<Part>,
  media: string,
  problemOf: (error: unknown) => Problem,
  delivered: () => Promise<void>,
): AsyncGenerator<Part> {
  let atLineStart = true;
  try {
    for await (const part of parts) {
      if (part.length > 0) atLineStart = part.at(-1) === (typeof part === 'string' ? '\n' : 0x0a);
      yield part;
    }
  } catch (error) {
    const line = errorTrailer(media, problemOf(error));
    yield atLineStart ? line : `\n${line}`;
    await delivered();
    throw error;
  }
}

/**
 * Last line of an interrupted file; no record and no row is an object with this one member that is
 * an object.
 */
const errorTrailer = (media: string, { body }: Problem): string => {
  const { code, detail, request_id } = body as Readonly<Record<string, unknown>>;
  return media === 'text/csv'
    ? `ended early: ${String(code)}\r\n`
    : `${JSON.stringify({ ended_early: { code, detail, request_id } })}\n`;
};

const flushMsMax = 1_000;
const pollMs = 10;

/** Resolves once the response has nothing left in memory, after a second at the latest. */
export const flushResponse = async (response: ServerResponse): Promise<void> => {
  const until = performance.now() + flushMsMax;
  await eventLoopTick();
  while (response.writableLength > 0 && !response.destroyed && performance.now() < until) {
    await sleep(pollMs);
  }
};
