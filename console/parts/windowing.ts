/** The rows of a list that are in the page, and the heights that stand for the others. */
type RowWindow = {
  /** Index of the first row in the page, and how many there are from it on. */
  readonly first: number;
  readonly count: number;
  readonly pixelsBefore: number;
  readonly pixelsAfter: number;
};

/** Rows beyond each edge, so that a short scroll shows rows and no gap. */
const overscan = 6;

/**
 * The window of a list whose rows have one height, all in pixels: each row that is seen is in it
 * once, and at most 12 that are not. `top` is how far the list is scrolled.
 */
export const rowWindow = (list: {
  readonly rows: number;
  readonly rowHeight: number;
  readonly top: number;
  readonly height: number;
}): RowWindow => {
  const { rows, rowHeight, height } = list;
  // A list that became shorter may still be scrolled beyond its end.
  const top = Math.max(0, Math.min(list.top, rows * rowHeight - height));
  const first = Math.max(0, Math.floor(top / rowHeight) - overscan);
  const end = Math.min(rows, Math.ceil((top + height) / rowHeight) + overscan);
  return {
    first,
    count: end - first,
    pixelsBefore: first * rowHeight,
    pixelsAfter: (rows - end) * rowHeight,
  };
};

/** Pixels of a box: browsers lay out 17.9 million (Firefox) or 33.5 million at most. */
const boxPixelsMax = 15_000_000;

/**
 * A list in a box of a height that browsers lay out: the pixels of the box, and how far the list is
 * scrolled where the box is by `top`. In a box that is less tall than its list each pixel is more.
 */
export const scaledScroll = (list: {
  readonly rows: number;
  readonly rowHeight: number;
  readonly top: number;
  readonly height: number;
}): { readonly boxHeight: number; readonly listTop: number } => {
  const { rows, rowHeight, top, height } = list;
  const whole = rows * rowHeight;
  const boxHeight = Math.min(whole, boxPixelsMax);
  if (boxHeight === whole) return { boxHeight, listTop: top };
  const share = Math.min(1, Math.max(0, top / (boxHeight - height)));
  return { boxHeight, listTop: Math.round(share * (whole - height)) };
};

/** How far to scroll so that the row is seen whole; `top` where it is already. */
export const scrollToRow = (
  row: number,
  list: { readonly rowHeight: number; readonly top: number; readonly height: number },
): number => {
  const { rowHeight, top, height } = list;
  const begin = row * rowHeight;
  if (begin < top) return begin;
  return Math.max(top, begin + rowHeight - height);
};
