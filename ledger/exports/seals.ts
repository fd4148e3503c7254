import { sealsOn, type ChainSeal } from '../seals/seal-streams.js';
import type { SealingKeyEvent } from '../../events/seals.js';
import { systemChain, type ChainName, type ChainPages } from '../chain/entries.js';
import {
  streamNameOf,
  type EventReader,
  type StoredEvent,
  type StreamName,
} from '../../kernel/ports.js';
import type { JsonObject } from '../../kernel/schema-types.js';

/** A seal as bundles and `GET /history/seals` have it (contract 5.14). */
type PublicSeal = {
  readonly size: number;
  readonly root: string;
  readonly head_hash: string;
  readonly position: string;
  readonly at: string;
  /** With the lines of its cosignatures. */
  readonly note: string;
  readonly witnesses: readonly string[];
};

/** The public keys that seals were ever signed with, as a JWK set. */
export const sealingKeys = async (
  log: Pick<EventReader, 'read'>,
): Promise<{ keys: readonly JsonObject[] }> => {
  const events = await log.read(streamNameOf('seals', systemChain, 'keys'));
  const published = events as readonly StoredEvent<SealingKeyEvent>[];
  return { keys: published.map(({ data }) => ({ ...data.jwk, kid: data.kid })) };
};

type Needs = { readonly log: Pick<EventReader, 'read'>; readonly chains: ChainPages };

/**
 * All seals of a chain, a day at a time, oldest first. The days come from the history: some logs
 * scan everything to list stream names.
 */
export async function* sealsOf(
  { log, chains }: Needs,
  chain: ChainName,
): AsyncGenerator<PublicSeal> {
  for await (const day of sealDayStreams(chains, chain)) {
    for (const seal of await sealsOn(log, day)) yield publicSeal(seal);
  }
}

const publicSeal = ({ size, root, head_hash, position, sealedAt, note, witnesses }: ChainSeal) => ({
  size,
  root,
  head_hash,
  position,
  at: sealedAt,
  note,
  witnesses,
});

const entriesAtOnce = 256;

async function* sealDayStreams(chains: ChainPages, chain: ChainName): AsyncGenerator<StreamName> {
  const question = { ascending: true, limit: entriesAtOnce, technical: true };
  const days = new Set<string>();
  for (let at: number | null = 1; at !== null;) {
    const page = await chains.page(chain, { ...question, at, types: ['HistorySealed'] });
    for (const { stream: day } of page.entries) {
      if (!days.has(day)) yield day as StreamName;
      days.add(day);
    }
    at = page.next;
  }
}
