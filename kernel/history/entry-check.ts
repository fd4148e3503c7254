import type { Evidence, Sha256 } from '../ports.js';
import { entryHash } from './chain.js';
import { toChainedEvent } from './chained-event.js';
import type { ChainEntry, ChainName } from './entries.js';
import { fromHex, toHex } from './hex.js';

/** The entry that is due: it is believed nothing but that it should be what `event` makes. */
type ExpectedEntry = {
  readonly chain: ChainName;
  readonly seq: number;
  /** Hash of the entry before. */
  readonly prevHash: string;
  readonly entry: Pick<ChainEntry, 'eventId' | 'dataDigest' | 'hash'>;
  /** The chain that the event says it belongs to; null when it says none. */
  readonly claimedChain: ChainName | null;
};
/** The hash that the event makes, or what is wrong first. */
type EntryCheck =
  | { readonly hash: Uint8Array }
  | {
      readonly wrong: 'event' | 'chain' | 'data' | 'line';
      readonly expected: string;
      readonly found: string;
    };

/**
 * An event of the log against its entry: digest and line are made again (contract 5.14, rule 2).
 * Data that are gone are not missed here.
 */
export const checkEntry = (sha256: Sha256, due: ExpectedEntry, event: Evidence): EntryCheck => {
  const { chain, seq, prevHash, entry, claimedChain } = due;
  if (event.id !== entry.eventId) {
    return { wrong: 'event', expected: entry.eventId, found: event.id };
  }
  // Its line has the chain that it is in, whatever it says.
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
