import type { DiffPiece } from '../engines/text-diff.js';

/** A line of a comparison; `folded` stands for so many lines that are the same. */
export type DiffLine =
  | {
      readonly kind: 'same' | 'removed' | 'added';
      readonly text: string;
      /** Number of the line in each text, from 1; null: not in it. */
      readonly before: number | null;
      readonly after: number | null;
    }
  | { readonly kind: 'folded'; readonly lines: number };

/** Lines around a change that are shown. */
const contextLines = 3;

/** Lines of a comparison by lines, with their numbers; long runs without a change are folded. */
export const diffLinesOf = (pieces: readonly DiffPiece[]): readonly DiffLine[] => {
  let before = 0;
  let after = 0;
  return pieces.flatMap(({ kind, text }, index): readonly DiffLine[] => {
    const lines = text.replace(/\n$/, '').split('\n');
    const numbered = lines.map((line): DiffLine => {
      if (kind !== 'added') before += 1;
      if (kind !== 'removed') after += 1;
      return {
        kind,
        text: line,
        before: kind === 'added' ? null : before,
        after: kind === 'removed' ? null : after,
      };
    });
    if (kind !== 'same') return numbered;
    const head = index === 0 ? 0 : contextLines;
    const tail = index === pieces.length - 1 ? 0 : contextLines;
    const hidden = numbered.length - head - tail;
    if (hidden < 2) return numbered;
    return [
      ...numbered.slice(0, head),
      { kind: 'folded', lines: hidden },
      ...numbered.slice(head + hidden),
    ];
  });
};
