import { base64, fromBase64, parseCheckpoint, type Note, type TreeHead } from './checkpoint.js';

const proofHeader = 'c2sp.org/tlog-proof@v1';
/** A tree of any size that can be counted has proofs of fewer. */
const hashesMax = 63;

const hashLines = (hashes: readonly Uint8Array[]): string =>
  hashes.map((hash) => `${base64(hash)}\n`).join('');

const parsedHashes = (lines: readonly string[]): readonly Uint8Array[] | null => {
  const hashes = lines.flatMap((line) => {
    const hash = fromBase64(line);
    return hash?.length === 32 ? [hash] : [];
  });
  return hashes.length === lines.length && lines.length <= hashesMax ? hashes : null;
};

type InclusionProof = {
  /** Of the leaf, from 0. */
  readonly index: number;
  /** What stands beside its way up, from the leaf on. */
  readonly hashes: readonly Uint8Array[];
  readonly checkpoint: Note & TreeHead;
};

/** One record's place in a sealed tree, checked with nothing else (C2SP tlog-proof). */
export const inclusionProofText = (
  index: number,
  hashes: readonly Uint8Array[],
  note: string,
): string => `${proofHeader}\nindex ${index}\n${hashLines(hashes)}\n${note}`;

/** Null for what is no such proof; `extra` is passed over. */
export const parseInclusionProof = (text: string): InclusionProof | null => {
  const end = text.indexOf('\n\n');
  const [header, ...lines] = text.slice(0, Math.max(end, 0)).split('\n');
  const [first = '', ...rest] = lines[0]?.startsWith('extra ') === true ? lines.slice(1) : lines;
  const [, index] = /^index (0|[1-9]\d{0,14})$/.exec(first) ?? [];
  const hashes = parsedHashes(rest);
  const checkpoint = parseCheckpoint(text.slice(end + 2));
  if (header !== proofHeader || index === undefined || hashes === null) return null;
  return checkpoint && { index: Number(index), hashes, checkpoint };
};

/** What a witness is asked to sign (C2SP tlog-witness, add-checkpoint). */
type AddCheckpoint = {
  /** Of the tree that the witness signed last; 0: none. */
  readonly old: number;
  /** That the older tree is the beginning of this one. */
  readonly hashes: readonly Uint8Array[];
  readonly note: string;
};

export const addCheckpointText = ({ old, hashes, note }: AddCheckpoint): string =>
  `old ${old}\n${hashLines(hashes)}\n${note}`;

export const parseAddCheckpoint = (text: string): AddCheckpoint | null => {
  const end = text.indexOf('\n\n');
  const [first = '', ...lines] = text.slice(0, Math.max(end, 0)).split('\n');
  const [, old] = /^old (0|[1-9]\d{0,14})$/.exec(first) ?? [];
  const hashes = parsedHashes(lines);
  if (old === undefined || hashes === null) return null;
  return { old: Number(old), hashes, note: text.slice(end + 2) };
};
