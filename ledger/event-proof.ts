import { newestSeal } from './seals/seal-streams.js';
import { Fault } from '../kernel/fault.js';
import { checkEntry } from './chain/entry-check.js';
import { findEntry } from './chain/find-entry.js';
import { inclusionProofText } from './chain/proof-text.js';
import { inclusionRanges } from './chain/merkle-tree.js';
import { declaredChain } from './fold/chain-membership.js';
import { openSpanHashes } from './reads/subtrees.js';
import type { Envelope, StoredEvent } from '../kernel/ports.js';
import type { HistoryReader } from './reader.js';

/** Position of an event in its history, with its proof. */
export type EventProof = {
  readonly chain: string;
  readonly seq: number;
  readonly hash: string;
  readonly prev_hash: string;
  /** `yes` if the event in the log matches its entry; else the part that differs. */
  readonly holds: 'yes' | 'not the event' | 'not the chain' | 'not the data' | 'not the line';
  /** The newest seal, if it covers the entry. */
  readonly seal: { readonly size: number; readonly root: string; readonly at: string } | null;
  /** A C2SP tlog-proof; null while no seal covers the entry. */
  readonly proof: string | null;
};

type LocatedEntry = NonNullable<Awaited<ReturnType<typeof findEntry>>>;

/** Throws Fault `not-found` for an event that no history has yet. */
export const proveEvent = async (
  history: HistoryReader,
  event: StoredEvent | Envelope,
): Promise<EventProof> => {
  const placed = await findEntry(history.chains, declaredChain(event), event);
  if (placed === null) {
    throw new Fault('not-found', `the history has no entry of ${event.id}: is it folded?`);
  }
  const { chain, entry } = placed;
  const newest = await newestSeal(history, chain);
  const seal = newest !== null && newest.size >= entry.seq ? newest : null;
  return {
    chain,
    seq: entry.seq,
    hash: entry.hash,
    prev_hash: entry.prevHash,
    holds: await verifyEntry(history, placed),
    seal: seal && { size: seal.size, root: seal.root, at: seal.sealedAt },
    proof: seal && (await buildProof(history, placed, seal)),
  };
};

const verifyEntry = async (
  { log, sha256 }: HistoryReader,
  { chain, entry }: LocatedEntry,
): Promise<EventProof['holds']> => {
  const event = await log.evidenceAt(entry.position);
  const { seq, prevHash: prev } = entry;
  if (event === null) return 'not the event';
  const found = checkEntry(
    sha256,
    { chain, seq, prevHash: prev, entry, claimedChain: declaredChain(event) },
    event,
  );
  return 'hash' in found ? 'yes' : `not the ${found.wrong}`;
};

const buildProof = async (
  history: HistoryReader,
  { chain, entry }: LocatedEntry,
  { size, note }: { readonly size: number; readonly note: string },
): Promise<string> => {
  const index = entry.seq - 1;
  const spans = inclusionRanges(index, { from: 0, to: size });
  const hashes = await Promise.all(spans.map(openSpanHashes(history, chain)));
  return inclusionProofText(index, hashes, note);
};

/** Table rows of a proof. */
export const proofRows = (proven: EventProof): Readonly<Record<string, string>> => {
  const { chain, seq, hash, prev_hash, holds, seal, proof } = proven;
  return {
    history: `${chain}, entry ${seq}`,
    hash,
    'hash before': prev_hash,
    holds,
    seal: seal === null ? 'not sealed yet' : `covered by ${seal.size} of ${seal.at}, ${seal.root}`,
    ...(proof !== null && { proof: `\n${proof}` }),
  };
};
