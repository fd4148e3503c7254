import {
  readCell,
  type ContentCell,
  type StoredCells,
  type DatasetColumn,
  type ContentRow,
} from '../../kernel/dataset-content.js';

/** True if two rows have equal cells in these columns; cells of removed columns are ignored. */
export const hasSameCells = (
  columns: readonly DatasetColumn[],
  one: StoredCells,
  other: StoredCells,
): boolean =>
  columns.every((column) =>
    sameCell(readCell({ cells: one }, column), readCell({ cells: other }, column)),
  );

const sameCell = (one: ContentCell, other: ContentCell): boolean => {
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) {
    return one === other;
  }
  const members = Object.entries(one);
  return (
    members.length === Object.keys(other).length &&
    members.every(([member, value]) => Object.hasOwn(other, member) && other[member] === value)
  );
};

/** True if both lists have the same rows in the same order with equal cells. */
export const hasSameRows = (
  columns: readonly DatasetColumn[],
  after: readonly ContentRow[],
  before: readonly ContentRow[],
): boolean =>
  isPairwiseEqual(
    after,
    before,
    (one, other) =>
      one === other || (one.id === other.id && hasSameCells(columns, one.cells, other.cells)),
  );

/** True if both lists have equal length and are pairwise alike. */
export const isPairwiseEqual = <T>(
  some: readonly T[],
  others: readonly T[],
  isAlike: (one: T, other: T) => boolean,
): boolean =>
  some.length === others.length &&
  some.every((one, index) => {
    const other = others[index];
    return other !== undefined && isAlike(one, other);
  });
