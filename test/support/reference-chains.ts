import { sha256 } from '../../engines/node/digest.js';
import { entryHash, genesisHash } from '../../ledger/chain/chain.js';
import {
  systemChain,
  type ChainEntry,
  type ChainHead,
  type ChainName,
  type ChainPages,
  type Chains,
} from '../../ledger/chain/entries.js';
import { fromHex, toHex } from '../../kernel/hex.js';
import {
  appendSubtree,
  leafHash,
  merkleRoot,
  type CompactRange,
} from '../../ledger/chain/merkle-tree.js';
import { declaredChain } from '../../ledger/fold/chain-membership.js';
import { logStart, type EventReader, type Evidence } from '../../kernel/ports.js';

type AllChains = Chains & ChainPages;
type FoldedChains = ReadonlyMap<ChainName, readonly ChainEntry[]>;

/** The chains folded from the whole log at each call, by their definition. */
export const referenceChains = (log: Pick<EventReader, 'evidence'>): AllChains =>
  chainsOf(() => foldAllChains(log));

/** A snapshot of the chains, unaffected by later events. */
export const fixedChains = async (log: Pick<EventReader, 'evidence'>): Promise<AllChains> => {
  const kept = await foldAllChains(log);
  return chainsOf(async () => kept);
};

const chainsOf = (fold: () => Promise<FoldedChains>): AllChains => {
  const entriesOf = async (chain: ChainName): Promise<readonly ChainEntry[]> =>
    (await fold()).get(chain) ?? [];
  const head = async (chain: ChainName): Promise<ChainHead | null> => {
    const entries = await entriesOf(chain);
    const last = entries.at(-1);
    if (last === undefined) return null;
    const { seq: size, position, hash } = last;
    return { chain, size, position, hash, range: rangeOf(entries) };
  };
  return {
    head,
    heads: async (after, limit) => {
      const names = [...(await fold()).keys()].sort();
      const some = names.filter((name) => after === null || name > after).slice(0, limit);
      return (await Promise.all(some.map(head))).flatMap((one) => one ?? []);
    },
    entries: async (chain, from, to) => (await entriesOf(chain)).slice(from - 1, to),
    // The query of the seal worker: the newest of some types.
    page: async (chain, { types = [], limit }) => {
      const entries = (await entriesOf(chain)).filter(({ type }) => types.includes(type));
      return { entries: [...entries].reverse().slice(0, limit), next: null };
    },
    subtree: async (chain, at, width) => {
      const entries = (await entriesOf(chain)).slice(at, at + width);
      if (entries.length < width) throw new RangeError(`${chain} ends before ${at + width}`);
      return merkleRoot(sha256, rangeOf(entries));
    },
  };
};

const rangeOf = (entries: readonly ChainEntry[]): CompactRange =>
  entries.reduce<CompactRange>(
    (range, { hash }) => appendSubtree(sha256, range, 1, leafHash(sha256, fromHex(hash))),
    [],
  );

const foldAllChains = async (log: Pick<EventReader, 'evidence'>): Promise<FoldedChains> => {
  const chains = new Map<ChainName, ChainEntry[]>();
  for (let after = logStart; ;) {
    const page = await log.evidence(after, 1_000);
    if (page.through === after) return chains;
    for (const event of page.events) {
      const chain = declaredChain(event) ?? systemChain;
      const entries = chains.get(chain) ?? [];
      entries.push(entryOf(event, entries.at(-1)));
      chains.set(chain, entries);
    }
    after = page.through;
  }
};

const entryOf = (
  { id, type, stream, revision, position, metadata, digest }: Evidence,
  before: ChainEntry | undefined,
): ChainEntry => {
  const { actor } = metadata;
  const event = {
    eventId: id,
    type,
    schema: metadata.schema,
    stream,
    revision,
    at: metadata.at,
    actor: { ...actor, type: actor.type === 'service' ? 'system' : actor.type },
    organizationId: metadata.organization_id ?? null,
    requestId: metadata.request_id,
    correlationId: metadata.correlation_id,
    causationId: metadata.causation_id,
    dataDigest: digest,
  };
  const seq = (before?.seq ?? 0) + 1;
  const prevHash = before?.hash ?? genesisHash;
  const hash = toHex(entryHash(sha256, prevHash, seq, event));
  const resource = { type: 'organization', id: metadata.organization_id ?? '' };
  return { ...event, seq, position, prevHash, hash, resource, projectId: null, technical: false };
};
