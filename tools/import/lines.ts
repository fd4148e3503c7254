import { isUtf8 } from 'node:buffer';

/** A piece of a file that should hold one JSON value; `line` counts from 1 where it begins. */
export type FilePiece = { readonly line: number } & (
  { readonly text: string } | { readonly problem: string }
);

/**
 * A trace has at most 64 MiB as JSON (contract 1.11); a third more for the escapes of another
 * writer.
 */
const pieceBytesMax = 96 * 1_048_576;

const newline = 0x0a;
const byteOrderMark = '\ufeff';

/** Collects the bytes of one piece, and discards them beyond `bytesMax`. */
const openPiece = (bytesMax: number) => {
  let held: Buffer[] = [];
  let bytes = 0;
  return {
    add: (some: Buffer): void => {
      bytes += some.length;
      if (bytes > bytesMax) held = [];
      else if (some.length > 0) held.push(some);
    },
    /** Null if it has only white space. */
    take: (line: number): FilePiece | null => {
      const whole = held.length === 1 ? (held[0] ?? Buffer.alloc(0)) : Buffer.concat(held);
      const isTooLong = bytes > bytesMax;
      [held, bytes] = [[], 0];
      if (isTooLong) return { line, problem: `it has more than ${bytesMax} bytes` };
      if (!isUtf8(whole)) return { line, problem: 'it is not UTF-8' };
      const text = whole.toString('utf8');
      const shown = (line === 1 && text.startsWith(byteOrderMark) ? text.slice(1) : text).trim();
      return shown === '' ? null : { line, text: shown };
    },
  };
};

/**
 * The lines of a file that are not empty, in bounded memory: a line that is too long is reported by
 * its number. The result does not depend on chunk boundaries.
 */
export async function* jsonLinesIn(
  chunks: AsyncIterable<Buffer>,
  bytesMax = pieceBytesMax,
): AsyncGenerator<FilePiece> {
  const piece = openPiece(bytesMax);
  let line = 1;
  for await (const chunk of chunks) {
    let from = 0;
    for (let at = chunk.indexOf(newline); at >= 0; at = chunk.indexOf(newline, from)) {
      piece.add(chunk.subarray(from, at));
      const taken = piece.take(line);
      if (taken !== null) yield taken;
      from = at + 1;
      line += 1;
    }
    piece.add(chunk.subarray(from));
  }
  const last = piece.take(line);
  if (last !== null) yield last;
}

const [quote, backslash, comma] = [0x22, 0x5c, 0x2c];
const [brace, braceEnd, bracket, bracketEnd] = [0x7b, 0x7d, 0x5b, 0x5d];
const isSpace = (byte: number): boolean =>
  byte === 0x20 || byte === newline || byte === 0x0d || byte === 0x09;

/**
 * The values of a JSON text that spans many lines: the items of a list, or objects one after the
 * other. Scalars are passed on as text up to the next comma.
 */
export async function* jsonValuesIn(
  chunks: AsyncIterable<Buffer>,
  bytesMax = pieceBytesMax,
): AsyncGenerator<FilePiece> {
  const piece = openPiece(bytesMax);
  let [line, begun, depth, before] = [1, 0, 0, 0];
  let [inText, escaped] = [false, false];
  for await (const chunk of chunks) {
    let from = 0;
    for (let at = 0; at < chunk.length; at += 1) {
      const byte = chunk[at] ?? 0;
      if (byte === newline) line += 1;
      if (inText) {
        if (escaped) escaped = false;
        else if (byte === backslash) escaped = true;
        else if (byte === quote) inText = false;
        continue;
      }
      const isBetween = depth === 0 && (isSpace(byte) || byte === comma);
      const isOuter = depth === 0 && (byte === bracket || byte === bracketEnd);
      if (begun === 0) {
        from = at + 1;
        if (isBetween || isOuter || isMark(byte, before + at)) continue;
        [begun, from] = [line, at];
      }
      if (byte === quote) inText = true;
      else if (byte === brace || byte === bracket) depth += 1;
      else if (byte === braceEnd || byte === bracketEnd) depth -= 1;
      const isClosed = byte === braceEnd && depth === 0;
      if (!isClosed && !isBetween && depth >= 0) continue;
      piece.add(chunk.subarray(from, isClosed ? at + 1 : at));
      const taken = piece.take(begun);
      if (taken !== null) yield taken;
      [begun, depth, from] = [0, 0, at + 1];
    }
    if (begun > 0) piece.add(chunk.subarray(from));
    before += chunk.length;
  }
  const last = begun > 0 ? piece.take(begun) : null;
  if (last !== null) yield last;
}

const mark = Buffer.from(byteOrderMark);
const isMark = (byte: number, at: number): boolean => mark[at] === byte;
