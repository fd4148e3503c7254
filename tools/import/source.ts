import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { Fault } from '../../kernel/fault.js';
import { jsonLinesIn, jsonValuesIn, type FilePiece } from './lines.js';
import { parseObject } from './records.js';

export type ImportSource = {
  readonly pieces: AsyncIterable<FilePiece>;
  /** Bytes of the file as stored, for a progress bar; `total` is null if unknown. */
  readonly read: () => { readonly done: number; readonly total: number | null };
};

/**
 * Opens a file, or standard input for `-`; gzip is detected by its first bytes. Throws Fault
 * `invalid` if it cannot be opened.
 */
export const openSource = async (path: string): Promise<ImportSource> => {
  const found = path === '-' ? null : await statOf(path);
  let done = 0;
  const raw = path === '-' ? process.stdin : createReadStream(path, { highWaterMark: 262_144 });
  const counted = async function* counted(): AsyncGenerator<Buffer> {
    for await (const chunk of raw as AsyncIterable<Buffer>) {
      done += chunk.length;
      yield chunk;
    }
  };
  const [first, all] = await peekHead(counted());
  const chunks = first[0] === 0x1f && first[1] === 0x8b ? gunzipped(all) : all;
  const [text, plain] = await peekHead(chunks);
  return {
    pieces: isMultilineJson(text.toString('utf8')) ? jsonValuesIn(plain) : jsonLinesIn(plain),
    read: () => ({ done, total: found?.isFile() === true ? found.size : null }),
  };
};

const statOf = async (path: string) => {
  try {
    const found = await stat(path);
    if (!found.isDirectory()) return found;
  } catch (cause) {
    throw new Fault('invalid', `${path} cannot be read`, { cause });
  }
  throw new Fault('invalid', `${path} is a folder: give a file in it`);
};

/** The first bytes, and a stream that includes them. */
const peekHead = async (
  chunks: AsyncGenerator<Buffer>,
): Promise<readonly [Buffer, AsyncGenerator<Buffer>]> => {
  let head = Buffer.alloc(0);
  let isWhole = false;
  // Enough to see whether the first line opens an object that continues below.
  while (head.length < headBytes && !isWhole) {
    const next = await chunks.next();
    if (next.done === true) isWhole = true;
    else head = Buffer.concat([head, next.value]);
  }
  const all = async function* all(): AsyncGenerator<Buffer> {
    yield head;
    if (!isWhole) yield* chunks;
  };
  return [head, all()];
};
const headBytes = 1_024;

async function* gunzipped(chunks: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  const gunzip = createGunzip();
  // Errors of the pipeline are thrown by the reading end.
  pipeline(chunks, gunzip, () => undefined);
  try {
    yield* gunzip as AsyncIterable<Buffer>;
  } catch (cause) {
    throw new Fault('invalid', 'the gzip data is damaged or ends too early', { cause });
  }
}

/**
 * True if a file that begins like this is one JSON text rather than JSON Lines: a list, or an
 * object that is not closed on its first line. A broken line of JSON Lines does not count as long
 * as another one is complete.
 */
export const isMultilineJson = (head: string): boolean => {
  const [first = '', ...others] = head.replace(/^\ufeff?\s*/, '').split(/\r?\n/);
  if (first.startsWith('[') || first.trim() === '{') return true;
  // The text after the last line feed may continue.
  const whole = others.slice(0, -1);
  return first.startsWith('{') && others.length > 0 && ![first, ...whole].some(isObjectText);
};

const isObjectText = (line: string): boolean => typeof parseObject(line) !== 'string';
