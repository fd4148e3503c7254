import { createHash, hash, randomFillSync } from 'node:crypto';
import type { Sha256 } from '../../kernel/ports.js';

/**
 * Scratch buffer for short inputs, such as tree nodes and prefixes; longer ones are hashed part by
 * part.
 */
const scratchBuffer = Buffer.alloc(1_024);
/** Views of its first bytes, by length: nodes and leaves always have the same lengths. */
const beginnings: Buffer[] = [];

export const sha256: Sha256 = (...parts) => {
  const [only = ''] = parts;
  // A call without a hash object costs half as much, and leaves nothing to collect.
  if (parts.length < 2) return hashOf(only);
  let end = 0;
  for (const part of parts) {
    if (typeof part === 'string' || end + part.length > scratchBuffer.length)
      return hashParts(parts);
    scratchBuffer.set(part, end);
    end += part.length;
  }
  return hashOf((beginnings[end] ??= scratchBuffer.subarray(0, end)));
};

/** A buffer from the pool costs half of one that the hash allocates. */
const hashOf = (input: string | Uint8Array): Buffer =>
  Buffer.from(hash('sha256', input, 'binary'), 'binary');

const hashParts = (parts: readonly (string | Uint8Array)[]): Buffer => {
  const whole = createHash('sha256');
  for (const part of parts) whole.update(part);
  return whole.digest();
};

/** Salt of each event: 16 random bytes (contract 5.14, rule 2). */
export const saltBytes = 16;
/** Random bytes drawn at a time: a call for 16 bytes costs thirty times as much. */
const poolBytes = 4_096;

/** Source of unique random salts; the caller may keep the buffer. */
export const openSalts = (): (() => Buffer) => {
  const pool = Buffer.alloc(poolBytes);
  let used = poolBytes;
  return () => {
    if (used === poolBytes) {
      randomFillSync(pool);
      used = 0;
    }
    used += saltBytes;
    return Buffer.from(pool.subarray(used - saltBytes, used));
  };
};

/** Salt and data of most events in one buffer: one call, which halves the cost of short data. */
const salted = Buffer.alloc(65_536);
const utf8BytesMax = 3;

/**
 * Digest of an event's data in the chain: SHA-256 of the salt and the data as stored (contract
 * 5.14, rule 2). Without a salt (events stored before salts existed), of the data alone.
 */
export const digestOf = (salt: Uint8Array | null, json: string | Uint8Array): Buffer => {
  if (salt === null) return hashOf(json);
  const bytesMax = typeof json === 'string' ? json.length * utf8BytesMax : json.length;
  if (salt.length + bytesMax > salted.length) return hashParts([salt, json]);
  salted.set(salt);
  return hashOf(salted.subarray(0, salt.length + putAfter(salt.length, json)));
};
/** Returns the number of bytes. */
const putAfter = (at: number, json: string | Uint8Array): number => {
  if (typeof json === 'string') return salted.write(json, at);
  salted.set(json, at);
  return json.length;
};
