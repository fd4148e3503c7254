import { brokenOff } from './connection.js';

/**
 * A file that is made while it is sent. It is whole when reading it ends without an error: of a
 * file that ends early `lines` gives no last line that says so, but throws what it says.
 */
export type Download = {
  readonly contentType: string;
  readonly text: () => Promise<string>;
  /** Without their line feeds; of JSON Lines each is one JSON value. */
  readonly lines: () => AsyncIterable<string>;
  readonly bytes: () => AsyncIterable<Uint8Array>;
};

/** Of records and rows none begins so (contract 5.7, Exports). */
const cutLineStart = '{"ended_early":{';

const throwIfCut = (line: string): void => {
  if (!line.startsWith(cutLineStart)) return;
  const { ended_early: why } = JSON.parse(line) as { readonly ended_early: { detail?: string } };
  throw brokenOff(new Error(`the file ends early: ${why.detail ?? 'no reason'}`), undefined, null);
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
  const isJsonLines =
    answer.headers.get('Content-Type')?.startsWith('application/x-ndjson') === true;
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
        for (const line of lines) {
          if (isJsonLines) throwIfCut(line);
          yield line;
        }
      }
      if (rest !== '') yield rest;
    },
  };
};
