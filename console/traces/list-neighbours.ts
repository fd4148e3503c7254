/** Rows of a list that are read around a trace, and those that are read where it is not there. */
const nearRows = 100;
const wideRows = 1_000;
/** The rows that are read begin at multiples of this, so that many steps share an answer. */
const stepRows = 50;
/** A trace may have moved by ten rows, and has a neighbour before it. */
const rowsBefore = 11;

/** A part of a list: so many rows from the begin, and how many. */
export type ListPart = { readonly starting_token: number; readonly limit: number };

/** The rows around one, numbered from 1. */
export const partAround = (row: number): ListPart => {
  const first = Math.max(0, row - 1 - rowsBefore);
  return { starting_token: first - (first % stepRows), limit: nearRows };
};

/** The begin of the list: a trace that is not around its row has moved. */
export const wholePart: ListPart = { starting_token: 0, limit: wideRows };

type ListNeighbours = {
  /** From 1, as it is now. */
  readonly row: number;
  /** Ids of the traces beside it; null at an end of the list. */
  readonly before: string | null;
  readonly after: string | null;
};

/** The neighbours of a trace in a part of a list; null where the part lacks it. */
export const neighboursIn = (
  part: ListPart,
  ids: readonly string[],
  traceId: string,
): ListNeighbours | null => {
  const at = ids.indexOf(traceId);
  if (at < 0) return null;
  return {
    row: part.starting_token + at + 1,
    before: ids[at - 1] ?? null,
    after: ids[at + 1] ?? null,
  };
};
