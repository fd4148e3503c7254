/** A piece of a comparison, in the order of the text. */
export type DiffPiece = { readonly kind: 'same' | 'removed' | 'added'; readonly text: string };

/** Time after which a comparison is given up; texts that differ that much are shown apart. */
const timeoutMs = 500;

/**
 * Compares two texts by words or lines; loads the package at the first call. Null where it takes
 * longer than half a second, and where the texts have too little in common to be read as one.
 */
export const diffTexts = async (
  before: string,
  after: string,
  by: 'words' | 'lines',
): Promise<readonly DiffPiece[] | null> => {
  const { diffLines, diffWordsWithSpace } = await import('diff');
  const limit = { timeout: timeoutMs };
  const pieces =
    by === 'words' ? diffWordsWithSpace(before, after, limit) : diffLines(before, after, limit);
  const shown = pieces?.map(({ value, added, removed }): DiffPiece => {
    return { kind: added ? 'added' : removed ? 'removed' : 'same', text: value };
  });
  return shown === undefined || areUnrelated(shown, by) ? null : shown;
};

/** Share of the longer text that both have at least, by words; less is read as two texts. */
const commonShareMin = 0.3;

/** True where pieces of two unlike texts alternate; spaces, which any texts share, do not count. */
const areUnrelated = (pieces: readonly DiffPiece[], by: 'words' | 'lines'): boolean => {
  if (by === 'lines' || pieces.every(({ kind }) => kind !== 'same')) return false;
  const size = (left: DiffPiece['kind']): number =>
    pieces.reduce((sum, { kind, text }) => sum + (kind === left ? wordLength(text) : 0), 0);
  const same = size('same');
  const longer = same + Math.max(size('added'), size('removed'));
  return same < longer * commonShareMin;
};

const wordLength = (text: string): number => text.replaceAll(/\W/g, '').length;
