import { firstCodePoints } from '../../kernel/code-points.js';
import { comparedCharactersMax } from '../../kernel/records/query-plans.js';
import type { Population } from '../../kernel/records/record.js';

// The engine processes 2,048 rows at a time and holds all their texts in memory meanwhile; texts
// longer than its 256 KiB blocks stay in memory one by one, through commits and checkpoints too. So
// a row has only the beginning of a text, and a longer one lies in pieces in the table `texts`.

/** The beginning of a text, stored in its own row: the part that is compared. */
export const headOf = (text: string): string => firstCodePoints(text, comparedCharactersMax);

/** Length of a piece: 2,048 of them are 16 MB of ASCII, and 48 MB at most. */
const pieceLength = 8_192;
/**
 * Overlap of pieces: a search value has at most 1,024 code points (contract 1.11), so some piece
 * holds any match whole.
 */
const overlap = 2_048;

export type TextPiece = {
  /** Offset in the text, in UTF-16 units. */
  readonly start: number;
  readonly text: string;
};

/** Splits the whole text; pieces of a searched text overlap. */
export const splitText = (text: string, searched: boolean): readonly TextPiece[] => {
  const pieces: TextPiece[] = [];
  for (let start = 0; ;) {
    const end = surrogateBoundary(text, Math.min(start + pieceLength, text.length));
    pieces.push({ start, text: text.slice(start, end) });
    if (end === text.length) return pieces;
    start = surrogateBoundary(text, searched ? end - overlap : end);
  }
};

/** The index, or the one before it if a surrogate pair would be split. */
const surrogateBoundary = (text: string, at: number): number => {
  const before = text.charCodeAt(at - 1);
  return at < text.length && before >= 0xd800 && before <= 0xdbff ? at - 1 : at;
};

/**
 * Joins all pieces of a text, in any order: sorting them in the engine costs as much as reading
 * them.
 */
export const joinPieces = (pieces: readonly TextPiece[]): string => {
  let length = 0;
  const inOrder = pieces.toSorted((one, other) => one.start - other.start);
  const parts = inOrder.map(({ start, text }) => {
    const part = text.slice(length - start);
    length = start + text.length;
    return part;
  });
  return parts.join('');
};

/**
 * Marker in `columns` from the first long text on; without it queries skip the pieces. All metrics
 * share one marker, since their names are the tenants'.
 */
export const longTextMarker = (population: Population, name: string): string =>
  `long/${population}/${name.startsWith('metrics/') ? 'metrics' : name}`;

/** Name in `texts` of a record's packed text; searched columns use their ids. */
export const restName = 'rest';
/** Name in `texts` of the contents of a record's body. */
export const contentName = 'content';
/** Name in `texts` of a record's outline (see outlines.ts). */
export const outlineName = 'outline';
/** Texts that no filter looks into. */
export const unsearchedNames: ReadonlySet<string> = new Set([restName, contentName, outlineName]);
