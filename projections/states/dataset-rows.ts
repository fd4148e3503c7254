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

/** Of one version (contract 5.14). */
export const changedRowsMax = 200;

/** What of a version lies elsewhere than in the other, in its order. */
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

/** Rows of a version from the chunks that it has apart. */
export type DifferingRows = {
  readonly version: Pick<ContentChanged, 'version_index' | 'columns'>;
  readonly rows: readonly ContentRow[];
  /** Whether these are all of them. */
  readonly isComplete: boolean;
};

/**
 * Which rows a version changed, by id and column, as patches of a member `rows`: of rows that came
 * or went all cells. At most 200 of them, the first; none of which it is not known.
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
