import { base64, parseCheckpoint, type NoteSignature } from '../chain/checkpoint.js';
import type { Chains } from '../chain/entries.js';
import { addCheckpointText } from '../chain/proof-text.js';
import { consistencyRanges, rangeRoot } from '../chain/merkle-tree.js';
import { Fault } from '../../kernel/fault.js';
import type { EventLog, Sha256 } from '../../kernel/ports.js';
import { transact, type Authorship } from '../../kernel/transact.js';
import { sealedDay, recordCosignature as witnessed, type ChainSeal } from './seal-streams.js';

/** Witness: an independent service that signs that each seal continues the one it signed last. */
type SealWitness = {
  /** Name in its signature line. */
  readonly name: string;
  /**
   * Requests a cosignature of the note and checks it; returns the size of the tree that it signed
   * last when the proof must begin there. Throws Fault `unavailable` without an answer and
   * `conflict` for a refusal.
   */
  readonly cosign: (body: string) => Promise<NoteSignature | { readonly old: number }>;
};

export type WitnessNeeds = {
  readonly log: EventLog;
  readonly chains: Chains;
  readonly sha256: Sha256;
  readonly witnesses: readonly SealWitness[];
  /** Reports a witness that did not sign, with the reason; it is retried. */
  readonly onWitnessFailure: (witness: string, error: unknown) => void;
};

/**
 * Requests the missing cosignatures and records them as events. Returns the names of all cosigners.
 */
export const requestCosignatures = async (
  needs: WitnessNeeds,
  seal: ChainSeal,
  authorship: Authorship,
): Promise<readonly string[]> => {
  const names = [...seal.witnesses];
  for (const one of needs.witnesses.filter(({ name }) => !names.includes(name))) {
    try {
      const { signature, keyId } = await cosignSeal(needs, one, seal);
      const whole = base64(Buffer.concat([Buffer.from(keyId, 'hex'), signature]));
      const { chain, size } = seal;
      const decide = witnessed({ chain, size, witness: one.name, signature: whole });
      await transact(needs.log, seal.stream, sealedDay, decide, authorship);
      names.push(one.name);
    } catch (error) {
      needs.onWitnessFailure(one.name, error);
    }
  }
  return names;
};

/**
 * Requests one cosignature; the witness names the tree size from which it needs the proof, so no
 * state is kept.
 */
const cosignSeal = async (
  { chains, sha256 }: WitnessNeeds,
  { cosign }: SealWitness,
  { chain, size, previous_size, note }: ChainSeal,
): Promise<NoteSignature> => {
  let old = previous_size;
  for (let attempt = 0; attempt < attemptsMax; attempt += 1) {
    const spans = consistencyRanges(old, size);
    const hashes = await Promise.all(
      spans.map((span) => rangeRoot(sha256, (at, width) => chains.subtree(chain, at, width), span)),
    );
    const answer = await cosign(addCheckpointText({ old, hashes, note }));
    if ('signature' in answer) return answer;
    if (answer.old > size) {
      throw new Fault('conflict', `it has seen ${answer.old} entries of ${originIn(note)}`);
    }
    old = answer.old;
  }
  throw new Fault('conflict', 'it requested another tree size each time');
};
/** One retry for the size, one for a concurrent worker. */
const attemptsMax = 3;

const originIn = (note: string): string => parseCheckpoint(note)?.origin ?? '';
