import type { ContentChanged } from '../../events/datasets.js';
import { readCell, type ChunkName, type ContentRow } from '../../kernel/dataset-content.js';
import type { Json } from '../../kernel/schema-types.js';
import {
  maskedText,
  mergePatches,
  type MergePatches,
  type StateValue,
  type StateMembers,
} from './masked-state.js';

/** Limit for one version (contract 5.14). */
export const changedRowsMax = 200;

/** Chunks of a version that the other does not share, in order. */
export const differingChunks = (
  { parts }: Pick<ContentChanged, 'parts'>,
  other: Pick<ContentChanged, 'parts'> | null,
): readonly ChunkName[] => {
  const shared = new Set((other === null ? [] : chunksOf(other)).map(nameOf));
  return chunksOf({ parts }).filter((chunk) => !shared.has(nameOf(chunk)));
};

const chunksOf = ({ parts }: Pick<ContentChanged, 'parts'>): readonly ChunkName[] =>
  parts.flatMap(({ content, first, sizes }) =>
    sizes.map((_, place) => ({ content, chunk: first + place })),
  );
const nameOf = ({ content, chunk }: ChunkName): string => `${content}/${chunk}`;

/** Rows of a version from the chunks that it does not share. */
export type DifferingRows = {
  readonly version: Pick<ContentChanged, 'version_index' | 'columns'>;
  readonly rows: readonly ContentRow[];
  /** True if `rows` holds all rows of these chunks. */
  readonly isComplete: boolean;
};

/**
 * Changed rows of a version, by id and column, as patches of a member `rows`: all cells of added
 * and removed rows. The first 200 at most; rows whose change is unknown are left out.
 */
export const changedRows = (
  before: DifferingRows | null,
  after: DifferingRows,
  mask: (shown: StateValue) => Json,
): MergePatches | null => {
  const was = new Map(before?.rows.map((row) => [row.id, row]));
  const is = new Map(after.rows.map((row) => [row.id, row]));
  const isOldKnown = before?.isComplete !== false;
  const came = after.rows.filter((row) => {
    const old = was.get(row.id);
    if (old === undefined) return isOldKnown || row.made === after.version.version_index;
    return old.edited !== row.edited;
  });
  const went = after.isComplete ? (before?.rows ?? []).filter(({ id }) => !is.has(id)) : [];
  const changed = [...came, ...went].slice(0, changedRowsMax).map(({ id }) => id);
  if (changed.length === 0) return null;
  const shown = (
    rows: ReadonlyMap<string, ContentRow>,
    columns: ContentChanged['columns'],
  ): StateMembers =>
    Object.fromEntries(
      changed.flatMap((id) => {
        const row = rows.get(id);
        return row === undefined ? [] : [[id, shownCells(row, columns)]];
      }),
    );
  return mergePatches(
    { rows: shown(was, before?.version.columns ?? []) },
    { rows: shown(is, after.version.columns) },
    mask,
  );
};

const shownCells = (row: ContentRow, columns: ContentChanged['columns']): StateMembers =>
  Object.fromEntries(
    columns.map((column) => [column.name, maskedText(readCell(row, column) as Json)]),
  );
