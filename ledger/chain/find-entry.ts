import type { Envelope } from '../../kernel/ports.js';
import type { ChainEntry, ChainHead, ChainName, ChainPages, Chains } from './entries.js';

const entriesAtOnce = 256;
const headsAtOnce = 500;

/** Iterates the heads of all chains by name. */
export async function* allChainHeads(chains: Pick<Chains, 'heads'>): AsyncGenerator<ChainHead> {
  for (let after: ChainName | null = null; ;) {
    const heads: readonly ChainHead[] = await chains.heads(after, headsAtOnce);
    yield* heads;
    after = heads.at(-1)?.chain ?? null;
    if (heads.length < headsAtOnce) return;
  }
}

type FoundEntry = { readonly chain: ChainName; readonly entry: ChainEntry };

/**
 * Finds an event's entry in the chain it claims, or in any when it claims none. Null while it is
 * not folded.
 */
export const findEntry = async (
  chains: Pick<Chains, 'heads'> & ChainPages,
  said: ChainName | null,
  event: Envelope,
): Promise<FoundEntry | null> => {
  if (said !== null) return findEntryInChain(chains, said, event);
  for await (const { chain } of allChainHeads(chains)) {
    const found = await findEntryInChain(chains, chain, event);
    if (found !== null) return found;
  }
  return null;
};

/** Scans the events of one instant, which are few. */
const findEntryInChain = async (
  chains: ChainPages,
  chain: ChainName,
  { id, type, metadata: { at: instant } }: Envelope,
): Promise<FoundEntry | null> => {
  const query = { ascending: true, limit: entriesAtOnce, technical: true, types: [type] };
  for (let at: number | null = 1; at !== null;) {
    const page = await chains.page(chain, { ...query, at, from: instant, to: instant });
    const entry = page.entries.find(({ eventId }) => eventId === id);
    if (entry !== undefined) return { chain, entry };
    at = page.next;
  }
  return null;
};
