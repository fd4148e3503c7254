import type { DatasetCell } from '../../clients/typescript/src/generated/datasets-types.js';
import type { DatasetVersion } from '../../clients/typescript/src/generated/datasets-types-2.js';
import { cellText, isSameCell } from './cells.js';
import {
  baseColumnKey,
  columnNameFault,
  foldDraft,
  type ColumnKey,
  type DatasetChange,
  type DatasetDraft,
  type FoldedDraft,
} from './changes.js';

type VersionColumns = Pick<DatasetVersion, 'column_names' | 'columns_removed' | 'columns_renamed'>;

/**
 * Names that the columns of a version have after the following versions, oldest first; null for a
 * column that went. A renamed column is found by its place, which edits keep; where columns went
 * with the same version, its old name counts as gone.
 */
export const followColumns = (
  names: readonly string[],
  versions: readonly VersionColumns[],
): ReadonlyMap<string, string | null> => {
  const now = new Map<string, string | null>(names.map((name) => [name, name]));
  let before = names;
  for (const version of versions) {
    const renames = renamesOf(before, version);
    const after = new Set(version.column_names);
    for (const [base, name] of now) {
      if (name === null) continue;
      now.set(base, renames.get(name) ?? (after.has(name) ? name : null));
    }
    before = version.column_names;
  }
  return now;
};

const renamesOf = (
  before: readonly string[],
  { column_names: after, columns_removed: removed, columns_renamed: count }: VersionColumns,
): ReadonlyMap<string, string> => {
  const moved = before.flatMap((name, place) => {
    const next = after[place];
    return next === undefined || next === name ? [] : [[name, next] as const];
  });
  return new Map(removed === 0 && moved.length === count ? moved : []);
};

/** Ids of the rows of the version that a draft changes or removes. */
export const touchedRows = ({ cells, newRows, goneRows }: FoldedDraft): ReadonlySet<string> =>
  new Set([...cells.keys(), ...goneRows.keys()]).difference(new Set(newRows));

/** A later version, as far as the changes are about it. */
type LaterVersion = {
  readonly version: number;
  readonly columns: readonly string[];
  readonly rows: number;
  /** Names of the columns of the draft's version in this one; null: gone. */
  readonly names: ReadonlyMap<string, string | null>;
  /** Touched rows that this version has, by id. */
  readonly touched: ReadonlyMap<string, FoundRow>;
};

type FoundRow = {
  readonly index: number;
  readonly cells: Readonly<Record<string, DatasetCell>>;
};

export type RebasedDraft = {
  readonly draft: DatasetDraft;
  /** Sentences about changes that have no place any more. */
  readonly gone: readonly string[];
  /** Sentences about cells that both changed; those of the draft are on top. */
  readonly overlaps: readonly string[];
};

/** The draft on top of a later version. */
export const rebaseDraft = (draft: DatasetDraft, later: LaterVersion): RebasedDraft => {
  const folded = foldDraft(draft);
  const columns = rebaseColumns(folded, later);
  const isNew = new Set(folded.newRows);
  const gone = [...columns.gone];
  const overlaps: string[] = [];
  const changes: DatasetChange[] = [...columns.changes];
  for (const row of folded.newRows) changes.push({ type: 'row-added', row });
  for (const [row, ofRow] of folded.cells) {
    const found = later.touched.get(row);
    if (found === undefined && !isNew.has(row)) {
      if (!folded.goneRows.has(row)) gone.push(goneRowText(ofRow.values()));
      continue;
    }
    for (const [key, { before, after }] of ofRow) {
      const target = columns.keys.get(key);
      if (target === undefined) continue;
      const theirs = target.name === null ? null : (found?.cells[target.name] ?? null);
      if (!isNew.has(row) && !isSameCell(theirs, before) && !isSameCell(theirs, after)) {
        overlaps.push(overlapText(found?.index ?? 0, target.shown, theirs, after));
      }
      const index = found?.index ?? null;
      changes.push({ type: 'cell-set', row, index, column: target.key, before: theirs, after });
    }
  }
  for (const row of folded.goneRows.keys()) {
    const found = later.touched.get(row);
    if (found !== undefined) changes.push({ type: 'row-removed', row, index: found.index });
  }
  const { version, columns: names, rows } = later;
  return { draft: { version, columns: names, rows, steps: [changes] }, gone, overlaps };
};

type Target = {
  readonly key: ColumnKey;
  /** Name in the later version; null: the draft makes the column. */
  readonly name: string | null;
  readonly shown: string;
};

/** Columns of the draft in the later version, with the changes to columns that are left. */
const rebaseColumns = ({ columns, cells }: FoldedDraft, later: LaterVersion) => {
  const changed = new Set([...cells.values()].flatMap((ofRow) => [...ofRow.keys()]));
  const keys = new Map<ColumnKey, Target>();
  const changes: DatasetChange[] = [];
  const gone: string[] = [];
  const { columns: present } = foldDraft({ columns: later.columns, steps: [] });
  for (const { key, base, name, isRemoved } of columns) {
    const now = base === null ? null : (later.names.get(base) ?? null);
    if (base !== null && now === null) {
      // A column that the draft leaves alone is no change of it.
      const isChanged = name !== base || changed.has(key);
      if (isChanged && !isRemoved) gone.push(`Column ${base}: removed or renamed since.`);
      continue;
    }
    if (now === null && later.columns.includes(name)) {
      keys.set(key, { key: baseColumnKey(name), name, shown: name });
      continue;
    }
    if (now === null) {
      keys.set(key, { key, name: null, shown: name });
      changes.push({ type: 'column-added', column: key, name });
      continue;
    }
    const column = baseColumnKey(now);
    keys.set(key, { key: column, name: now, shown: now });
    if (isRemoved) changes.push({ type: 'column-removed', column });
    else if (name !== base && name !== now) {
      if (columnNameFault(present, name, column) === null) {
        changes.push({ type: 'column-renamed', column, name });
      } else gone.push(`Column ${now} keeps its name: there is another column ${name} now.`);
    }
  }
  return { keys, changes, gone };
};

const goneRowText = (
  cells: Iterable<{ readonly index: number | null; readonly after: DatasetCell }>,
): string => {
  const [first, ...others] = cells;
  const text = shortText(first?.after ?? null);
  const more = others.length === 0 ? '' : ` and ${others.length} more`;
  return `Row ${(first?.index ?? 0) + 1}: removed since, with your “${text}”${more}.`;
};

const overlapText = (
  index: number,
  column: string,
  theirs: DatasetCell,
  mine: DatasetCell,
): string =>
  `Row ${index + 1}, ${column}: theirs “${shortText(theirs)}”, yours “${shortText(mine)}”.`;

const shownMax = 60;
const shortText = (cell: DatasetCell): string => {
  const text = cellText(cell);
  return text.length > shownMax ? `${text.slice(0, shownMax)}…` : text;
};
