import { fromBase64, parseCheckpoint } from '../../ledger/chain/checkpoint.js';
import { fromHex } from '../../kernel/hex.js';
import { isConsistent, isIncluded, leafHash } from '../../ledger/chain/merkle-tree.js';
import { parseInclusionProof } from '../../ledger/chain/proof-text.js';
import { hasDigest, hasHash, isHash, type CheckedEntry, type EntryContent } from './entry-check.js';
import {
  checkSealSignature,
  fails,
  holds,
  unchecked,
  type CheckStep,
  type TrustedKeys,
} from './seal-signature.js';
import { sha256 } from './sha256.js';

/** An answer of `GET /v2/history/proof`. */
export type ProofAnswer = EntryContent & {
  readonly entry: CheckedEntry & { readonly erased: boolean };
  readonly proof: string;
};

/** The steps of verifier/ALGORITHM.md, 6, each by itself. */
export type ProofSteps = {
  readonly content: CheckStep;
  readonly fields: CheckStep;
  readonly path: CheckStep;
  readonly signature: CheckStep;
};

/** Checks one entry with its proof; each step takes what the others check as given. */
export const checkProof = async (answer: ProofAnswer, keys: TrustedKeys): Promise<ProofSteps> => {
  const proof = parseInclusionProof(answer.proof);
  const unreadable = fails('the proof is not a C2SP tlog-proof');
  return {
    content: checkContent(answer),
    fields: checkFields(answer, proof?.index ?? null),
    path: proof === null ? unreadable : checkPath(answer.entry.hash, proof),
    signature: proof === null ? unreadable : await checkSealSignature(proof.checkpoint, keys),
  };
};

const checkContent = ({ entry, salt, data }: ProofAnswer): CheckStep => {
  if (data !== null) {
    return hasDigest({ salt, data }, entry.data_digest)
      ? holds('the content has the digest that the entry names')
      : fails('the content is not that of the digest');
  }
  if (salt !== null) return fails('a salt without its content');
  return entry.erased
    ? unchecked('the content was erased: the digest stays and reveals nothing')
    : unchecked('the content is a secret, which only the operator is shown');
};

const checkFields = ({ entry }: ProofAnswer, index: number | null): CheckStep => {
  if (!hasHash(entry)) return fails('the fields are not those of the hash');
  return index === null || index === entry.seq - 1
    ? holds('the 17 fields of the entry have its hash')
    : fails(`the proof is of entry ${index + 1}, not of ${entry.seq}`);
};

type InclusionProof = NonNullable<ReturnType<typeof parseInclusionProof>>;

const checkPath = (hash: string, { index, hashes, checkpoint }: InclusionProof): CheckStep => {
  if (!isHash(hash)) return fails('the hash has another form');
  const leaf = { index, hash: leafHash(sha256, fromHex(hash)) };
  return isIncluded(sha256, leaf, checkpoint, hashes)
    ? holds(`${hashes.length} hashes lead to the root of the seal of ${checkpoint.size} entries`)
    : fails('the hashes do not lead to the root of the seal');
};

type Continuity = {
  readonly kept: string;
  readonly newest: string;
  /** Hashes of `GET /v2/history/consistency`, in base64; null: it was refused. */
  readonly hashes: readonly string[] | null;
};

/**
 * Whether the history of the newest seal begins with that of a checkpoint that was kept. The roots
 * are those of the two notes, whatever the service says.
 */
export const checkContinuity = ({ kept, newest, hashes }: Continuity): CheckStep => {
  const [older, newer] = [parseCheckpoint(kept), parseCheckpoint(newest)];
  if (older === null || newer === null) return fails('a checkpoint cannot be read');
  if (older.origin !== newer.origin) return unchecked(`the kept one is of ${older.origin}`);
  if (older.size > newer.size) {
    return fails(`${older.size} entries were sealed, now there are ${newer.size}`);
  }
  const proof = (hashes ?? []).map((hash) => fromBase64(hash) ?? new Uint8Array());
  return isConsistent(sha256, older, newer, proof)
    ? holds('continues what this browser kept')
    : fails(`the first ${older.size} entries are others than those that this browser kept`);
};
