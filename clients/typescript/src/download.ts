import { connectionFault } from './connection.js';

/**
 * A file that is generated while it is sent. It is complete when reading ends without an error:
 * after a truncated transfer `lines` throws the reason from its last line, which is not yielded.
 */
export type Download = {
  readonly contentType: string;
  readonly text: () => Promise<string>;
  /** Lines without line feeds; each line of JSON Lines is one JSON value. */
  readonly lines: () => AsyncIterable<string>;
  readonly bytes: () => AsyncIterable<Uint8Array>;
};

/** Start of the last line of a truncated file (contract 5.7, Exports); a row may begin so too. */
const cutLineStart = '{"ended_early":{';

const cutBy = (line: string): Error => {
  const { ended_early: why } = JSON.parse(line) as { readonly ended_early: { detail?: string } };
  return connectionFault(
    new Error(`the file ends early: ${why.detail ?? 'no reason'}`),
    undefined,
    null,
  );
};

export const downloadOf = (answer: Response, signal?: AbortSignal): Download => {
  async function* bytes(): AsyncGenerator<Uint8Array> {
    const reader = answer.body?.getReader();
    if (reader === undefined) return;
    // A reader that stops cancels the transfer.
    const stop = (): void => void reader.cancel().catch(() => undefined);
    signal?.addEventListener('abort', stop);
    try {
      for (;;) {
        const { done, value } = await reader.read().catch((error: unknown) => {
          throw connectionFault(error, signal, null);
        });
        if (signal?.aborted === true) throw connectionFault(null, signal, null);
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
      // Yielded as a row unless the transfer is cut.
      let held: string | null = null;
      try {
        for await (const text of texts()) {
          const lines = `${rest}${text}`.split('\n');
          rest = lines.pop() ?? '';
          for (const line of lines) {
            if (held !== null) yield held;
            held = isJsonLines && line.startsWith(cutLineStart) ? line : null;
            if (held === null) yield line;
          }
        }
      } catch (error) {
        throw held === null || signal?.aborted === true ? error : cutBy(held);
      }
      if (held !== null) yield held;
      if (rest !== '') yield rest;
    },
  };
};
