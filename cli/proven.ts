import { newestSeal } from '../command-api/seals/sealed.js';
import { Fault } from '../kernel/fault.js';
import { held } from '../kernel/history/held.js';
import { placedIn } from '../kernel/history/placed.js';
import { inclusionProofText } from '../kernel/history/proof-text.js';
import { inclusionSpans } from '../kernel/history/tree.js';
import { chainSaid } from '../projections/history/chain.js';
import { openSpans } from '../query-api/history-seals/subtrees.js';
import type { HistoryRead } from './audit-history.js';
import type { Walked } from './log-walk.js';

/** Where an event stands in its history, and what vouches for it. */
export type Proven = {
  readonly chain: string;
  readonly seq: number;
  readonly hash: string;
  readonly prev_hash: string;
  /** Whether the event in the log is what its entry says; else what of it is not. */
  readonly holds: 'yes' | 'not the event' | 'not the chain' | 'not the data' | 'not the line';
  /** The newest, if it covers the entry. */
  readonly seal: { readonly size: number; readonly root: string; readonly at: string } | null;
  /** A C2SP tlog-proof; null while no seal covers it. */
  readonly proof: string | null;
};

type Placed = NonNullable<Awaited<ReturnType<typeof placedIn>>>;

/** Throws Fault `not-found` for an event that no history has yet. */
export const provenEvent = async (history: HistoryRead, event: Walked): Promise<Proven> => {
  const placed = await placedIn(history.chains, chainSaid(event), event);
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
    holds: await heldNow(history, placed),
    seal: seal && { size: seal.size, root: seal.root, at: seal.sealedAt },
    proof: seal && (await proofIn(history, placed, seal)),
  };
};

const heldNow = async (
  { log, sha256 }: HistoryRead,
  { chain, entry }: Placed,
): Promise<Proven['holds']> => {
  const event = await log.evidenceAt(entry.position);
  const { seq, prevHash: prev } = entry;
  if (event === null) return 'not the event';
  const found = held(sha256, { chain, seq, prev, entry, said: chainSaid(event) }, event);
  return 'hash' in found ? 'yes' : `not the ${found.wrong}`;
};

const proofIn = async (
  history: HistoryRead,
  { chain, entry }: Placed,
  { size, note }: { readonly size: number; readonly note: string },
): Promise<string> => {
  const index = entry.seq - 1;
  const spans = inclusionSpans(index, { from: 0, to: size });
  const hashes = await Promise.all(spans.map(openSpans(history, chain)));
  return inclusionProofText(index, hashes, note);
};

/** What a table says of it. */
export const provenLines = (proven: Proven): Readonly<Record<string, string>> => {
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
