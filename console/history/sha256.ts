import type { Sha256 } from '../../kernel/ports.js';

/**
 * SHA-256 (FIPS 180-4) of the parts one after the other; texts as UTF-8. WebCrypto's answers later
 * and only over TLS; this one checks a history of 100,000 entries in seconds, anywhere.
 */
export const sha256: Sha256 = (...parts) => {
  const bytes = paddedBytes(parts);
  const view = new DataView(bytes.buffer);
  const state = Int32Array.from(firstState);
  const schedule = new Int32Array(64);
  for (let at = 0; at < bytes.length; at += 64) compress(state, schedule, view, at);
  const hash = new Uint8Array(32);
  const out = new DataView(hash.buffer);
  for (const [index, word] of state.entries()) out.setInt32(index * 4, word);
  return hash;
};

const encoder = new TextEncoder();

/** The parts, a bit, zeros and the length in bits, to whole blocks. */
const paddedBytes = (parts: readonly (string | Uint8Array)[]): Uint8Array => {
  const pieces = parts.map((part) => (typeof part === 'string' ? encoder.encode(part) : part));
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
  const bytes = new Uint8Array(Math.ceil((length + 9) / 64) * 64);
  let at = 0;
  for (const piece of pieces) {
    bytes.set(piece, at);
    at += piece.length;
  }
  bytes[length] = 0x80;
  const view = new DataView(bytes.buffer);
  view.setUint32(bytes.length - 8, Math.floor(length / 0x2000_0000));
  view.setUint32(bytes.length - 4, (length * 8) >>> 0);
  return bytes;
};

/** The first 32 bits of the fractions of roots of the first primes. */
const primes = (count: number): readonly number[] => {
  const found: number[] = [];
  for (let next = 2; found.length < count; next += 1) {
    if (found.every((prime) => next % prime !== 0)) found.push(next);
  }
  return found;
};
const fraction = (root: number): number => ((root - Math.floor(root)) * 0x1_0000_0000) | 0;
const firstState = primes(8).map((prime) => fraction(Math.sqrt(prime)));
const constants = Int32Array.from(primes(64), (prime) => fraction(Math.cbrt(prime)));

const rotated = (word: number, by: number): number => (word >>> by) | (word << (32 - by));

const compress = (state: Int32Array, words: Int32Array, view: DataView, at: number): void => {
  for (let index = 0; index < 16; index += 1) words[index] = view.getInt32(at + index * 4);
  for (let index = 16; index < 64; index += 1) {
    const early = words[index - 15] ?? 0;
    const late = words[index - 2] ?? 0;
    const s0 = rotated(early, 7) ^ rotated(early, 18) ^ (early >>> 3);
    const s1 = rotated(late, 17) ^ rotated(late, 19) ^ (late >>> 10);
    words[index] = ((words[index - 16] ?? 0) + s0 + (words[index - 7] ?? 0) + s1) | 0;
  }
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state;
  for (let index = 0; index < 64; index += 1) {
    const s1 = rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25);
    const choice = (e & f) ^ (~e & g);
    const t1 = (h + s1 + choice + (constants[index] ?? 0) + (words[index] ?? 0)) | 0;
    const s0 = rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22);
    const t2 = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    h = g;
    g = f;
    f = e;
    e = (d + t1) | 0;
    d = c;
    c = b;
    b = a;
    a = (t1 + t2) | 0;
  }
  for (const [index, word] of [a, b, c, d, e, f, g, h].entries()) {
    state[index] = ((state[index] ?? 0) + word) | 0;
  }
};
