import { base64, fromBase64, parseCheckpoint, type Note, type TreeHead } from './checkpoint.js';

const proofHeader = 'c2sp.org/tlog-proof@v1';
/** Proofs of any countable tree have fewer hashes. */
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
  /** Index of the leaf, from 0. */
  readonly index: number;
  /** Sibling hashes on the path, from the leaf on. */
  readonly hashes: readonly Uint8Array[];
  readonly checkpoint: Note & TreeHead;
};

/** Inclusion proof of one record in a sealed tree, verifiable offline (C2SP tlog-proof). */
export const inclusionProofText = (
  index: number,
  hashes: readonly Uint8Array[],
  note: string,
): string => `${proofHeader}\nindex ${index}\n${hashLines(hashes)}\n${note}`;

/** Null for a malformed proof; `extra` is skipped. */
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

/** Request to a witness for a cosignature (C2SP tlog-witness, add-checkpoint). */
type AddCheckpoint = {
  /** Size of the tree that the witness signed last; 0: none. */
  readonly old: number;
  /** Consistency proof from the older tree to this one. */
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
