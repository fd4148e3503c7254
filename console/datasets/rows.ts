/** Rows that one request asks for. */
const pageRows = 500;

/** A stretch of rows: from one on, so many. */
export type RowSpan = { readonly from: number; readonly count: number };

/**
 * The next rows to ask for so that the wanted ones are there: the first missing one, to the end of
 * its page of 500; null when all are there. `isThere` says which rows came.
 */
export const missingSpan = (
  wanted: RowSpan,
  total: number,
  isThere: (index: number) => boolean,
): RowSpan | null => {
  const end = Math.min(total, wanted.from + wanted.count);
  for (let index = Math.max(0, wanted.from); index < end; index += 1) {
    if (isThere(index)) continue;
    const page = Math.floor(index / pageRows) * pageRows;
    let from = index;
    // Whole pages, so that scrolling up asks once too.
    while (from > page && !isThere(from - 1)) from -= 1;
    let to = index;
    while (to < Math.min(total, page + pageRows) && !isThere(to)) to += 1;
    return { from, count: to - from };
  }
  return null;
};
