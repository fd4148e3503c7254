import { firstCodePoints } from '../../kernel/code-points.js';
import { comparedCharactersMax } from '../../kernel/records/query-plans.js';
import type { Population } from '../../kernel/records/record.js';

// The engine works on 2,048 rows at a time and holds all their texts in memory meanwhile; texts
// that are longer than its blocks of 256 KiB it holds one by one, through commits and checkpoints
// too. So a row has the beginning of a text only, and what is longer lies in the table `texts`, in
// pieces.

/** Characters of a text that lie in its own row: what is compared of it. */
export const headOf = (text: string): string => firstCodePoints(text, comparedCharactersMax);

/** 2,048 of them are 16 MB of ASCII, and 48 MB at the most. */
const pieceLength = 8_192;
/**
 * What a filter looks for has 1,024 code points at most (contract 1.11), so a piece has it whole.
 */
const overlap = 2_048;

export type TextPiece = {
  /** Where in the text it begins, in UTF-16 units. */
  readonly start: number;
  readonly text: string;
};

/** All of the text; neighbours overlap when it is searched. */
export const splitText = (text: string, searched: boolean): readonly TextPiece[] => {
  const pieces: TextPiece[] = [];
  for (let start = 0; ;) {
    const end = surrogateBoundary(text, Math.min(start + pieceLength, text.length));
    pieces.push({ start, text: text.slice(start, end) });
    if (end === text.length) return pieces;
    start = surrogateBoundary(text, searched ? end - overlap : end);
  }
};

/** The place or the one before it, so that no pair of surrogates is torn. */
const surrogateBoundary = (text: string, at: number): number => {
  const before = text.charCodeAt(at - 1);
  return at < text.length && before >= 0xd800 && before <= 0xdbff ? at - 1 : at;
};

/**
 * `pieces` are all of a text, in any order: sorting them costs the engine as much as reading them.
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
 * In `columns` from the first long text on: before, no question needs to look for one. All metrics
 * share one, since their names are the tenants'.
 */
export const longTextMarker = (population: Population, name: string): string =>
  `long/${population}/${name.startsWith('metrics/') ? 'metrics' : name}`;

/** What a record is read from is called by this in `texts`; searched columns by their ids. */
export const restName = 'rest';
/** What it is asked about without being read (see outlines.ts). */
export const outlineName = 'outline';
