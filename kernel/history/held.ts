import type { Evidence, Sha256 } from '../ports.js';
import { entryHash } from './chain.js';
import { chainedOf } from './chained.js';
import type { ChainEntry, ChainName } from './entries.js';
import { bytesOfHex, hexOf } from './hex.js';

/** The entry that is due: it is believed nothing but that it should be what `event` makes. */
type Due = {
  readonly chain: ChainName;
  readonly seq: number;
  /** Hash of the entry before. */
  readonly prev: string;
  readonly entry: Pick<ChainEntry, 'eventId' | 'dataDigest' | 'hash'>;
  /** The chain that the event says it belongs to; null when it says none. */
  readonly said: ChainName | null;
};
/** The hash that the event makes, or what is wrong first. */
type Held =
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
export const held = (sha256: Sha256, due: Due, event: Evidence): Held => {
  const { chain, seq, prev, entry, said } = due;
  if (event.id !== entry.eventId) {
    return { wrong: 'event', expected: entry.eventId, found: event.id };
  }
  // Its line has the chain that it is in, whatever it says.
  if (said !== null && said !== chain) return { wrong: 'chain', expected: chain, found: said };
  for (const found of [event.digest, digestOf(sha256, event)]) {
    if (found !== entry.dataDigest) return { wrong: 'data', expected: entry.dataDigest, found };
  }
  const hash = entryHash(sha256, prev, seq, chainedOf(event, chain));
  const made = hexOf(hash);
  return made === entry.hash ? { hash } : { wrong: 'line', expected: made, found: entry.hash };
};

const digestOf = (sha256: Sha256, { salt, data, digest }: Evidence): string => {
  if (data === null) return digest;
  return hexOf(salt === null ? sha256(data) : sha256(bytesOfHex(salt), data));
};
