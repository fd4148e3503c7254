import { createHash, hash, randomFillSync } from 'node:crypto';
import type { Sha256 } from '../../kernel/ports.js';

/** A tree's nodes, and prefixes, and more: what is longer is hashed part by part. */
const scratchBuffer = Buffer.alloc(1_024);
/** Its beginnings by length: nodes and leaves have always the same. */
const beginnings: Buffer[] = [];

export const sha256: Sha256 = (...parts) => {
  const [only = ''] = parts;
  // A call without an object costs half as much, and leaves nothing to collect.
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

/** A buffer from the pool costs half of what one does that the hash makes. */
const hashOf = (input: string | Uint8Array): Buffer =>
  Buffer.from(hash('sha256', input, 'binary'), 'binary');

const hashParts = (parts: readonly (string | Uint8Array)[]): Buffer => {
  const whole = createHash('sha256');
  for (const part of parts) whole.update(part);
  return whole.digest();
};

/** 16 random bytes for each event (contract 5.14, rule 2). */
export const saltBytes = 16;
/** Drawn at a time: a call for 16 bytes costs thirty times as much. */
const poolBytes = 4_096;

/** Answers a salt that nobody had before; it is the caller's to keep. */
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

/** Salt and data of most events in one piece: one call, which halves the cost of short data. */
const salted = Buffer.alloc(65_536);
const utf8BytesMax = 3;

/**
 * What an entry says of an event's data: SHA-256 of the salt and the data as stored (contract 5.14,
 * rule 2). Without a salt, of the data alone: events from before there were salts.
 */
export const digestOf = (salt: Uint8Array | null, json: string): Buffer => {
  if (salt === null) return hashOf(json);
  if (salt.length + json.length * utf8BytesMax > salted.length) return hashParts([salt, json]);
  salted.set(salt);
  return hashOf(salted.subarray(0, salt.length + salted.write(json, salt.length)));
};
