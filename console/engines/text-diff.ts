/** A piece of a comparison, in the order of the text. */
export type DiffPiece = { readonly kind: 'same' | 'removed' | 'added'; readonly text: string };

/** Time after which a comparison is given up; texts that differ that much are shown apart. */
const timeoutMs = 500;

/**
 * Compares two texts by words or lines; loads the package at the first call. Null where it takes
 * longer than half a second.
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
  return (
    pieces?.map(({ value, added, removed }) => ({
      kind: added ? 'added' : removed ? 'removed' : 'same',
      text: value,
    })) ?? null
  );
};
