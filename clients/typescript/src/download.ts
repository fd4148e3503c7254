import { brokenOff } from './connection.js';

/** A file that is made while it is sent. It is whole when reading it ends without an error. */
export type Download = {
  readonly contentType: string;
  readonly text: () => Promise<string>;
  /** Without their line feeds; of JSON Lines each is one JSON value. */
  readonly lines: () => AsyncIterable<string>;
  readonly bytes: () => AsyncIterable<Uint8Array>;
};

export const downloadOf = (answer: Response, signal?: AbortSignal): Download => {
  async function* bytes(): AsyncGenerator<Uint8Array> {
    const reader = answer.body?.getReader();
    if (reader === undefined) return;
    // Who stops reading lets the service stop as well.
    const stop = (): void => void reader.cancel().catch(() => undefined);
    signal?.addEventListener('abort', stop);
    try {
      for (;;) {
        const { done, value } = await reader.read().catch((error: unknown) => {
          throw brokenOff(error, signal, null);
        });
        if (signal?.aborted === true) throw brokenOff(null, signal, null);
        if (done) return;
        yield value as Uint8Array;
      }
    } finally {
      signal?.removeEventListener('abort', stop);
      stop();
    }
  }
  async function* texts(): AsyncGenerator<string> {
    const decoder = new TextDecoder();
    for await (const chunk of bytes()) yield decoder.decode(chunk, { stream: true });
    yield decoder.decode();
  }
  return {
    contentType: answer.headers.get('Content-Type') ?? '',
    bytes,
    text: async () => {
      let whole = '';
      for await (const text of texts()) whole += text;
      return whole;
    },
    lines: async function* () {
      let rest = '';
      for await (const text of texts()) {
        const lines = `${rest}${text}`.split('\n');
        rest = lines.pop() ?? '';
        yield* lines;
      }
      if (rest !== '') yield rest;
    },
  };
};
