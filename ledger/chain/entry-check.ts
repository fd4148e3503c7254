import type { Evidence, Sha256 } from '../../kernel/ports.js';
import { entryHash } from './chain.js';
import { toChainedEvent } from './chained-event.js';
import type { ChainEntry, ChainName } from './entries.js';
import { fromHex, toHex } from '../../kernel/hex.js';

/** Next entry to verify; nothing of it is trusted but that it should result from `event`. */
type ExpectedEntry = {
  readonly chain: ChainName;
  readonly seq: number;
  /** Hash of the entry before. */
  readonly prevHash: string;
  readonly entry: Pick<ChainEntry, 'eventId' | 'dataDigest' | 'hash'>;
  /** Chain that the event claims to belong to; null when it claims none. */
  readonly claimedChain: ChainName | null;
};
/** Computed hash of the event, or the first mismatch. */
type EntryCheck =
  | { readonly hash: Uint8Array }
  | {
      readonly wrong: 'event' | 'chain' | 'data' | 'line';
      readonly expected: string;
      readonly found: string;
    };

/**
 * Verifies an event of the log against its entry by recomputing digest and line (contract 5.14,
 * rule 2). Erased data are not a mismatch.
 */
export const checkEntry = (sha256: Sha256, due: ExpectedEntry, event: Evidence): EntryCheck => {
  const { chain, seq, prevHash, entry, claimedChain } = due;
  if (event.id !== entry.eventId) {
    return { wrong: 'event', expected: entry.eventId, found: event.id };
  }
  // The line contains the chain that the entry is in, whatever the event claims.
  if (claimedChain !== null && claimedChain !== chain)
    return { wrong: 'chain', expected: chain, found: claimedChain };
  for (const found of [event.digest, digestOf(sha256, event)]) {
    if (found !== entry.dataDigest) return { wrong: 'data', expected: entry.dataDigest, found };
  }
  const hash = entryHash(sha256, prevHash, seq, toChainedEvent(event, chain));
  const made = toHex(hash);
  return made === entry.hash ? { hash } : { wrong: 'line', expected: made, found: entry.hash };
};

const digestOf = (sha256: Sha256, { salt, data, digest }: Evidence): string => {
  if (data === null) return digest;
  return toHex(salt === null ? sha256(data) : sha256(fromHex(salt), data));
};
