import type {
  DatasetCell,
  DatasetEdit,
} from '../../clients/typescript/src/generated/datasets-types.js';
import { utf8ByteLength } from '../../kernel/code-points.js';
import type { ColumnKey, DraftColumn, FoldedDraft } from './changes.js';

/**
 * Edits of one request that make the draft the next version (contract 5.11). `makerId` is the id of
 * a row that comes and goes within the request: it makes the new columns, also in a dataset without
 * rows.
 */
export const editsOf = (folded: FoldedDraft, makerId: string): readonly DatasetEdit[] => {
  const { columns, cells, newRows, goneRows } = folded;
  const kept = columns.filter(({ isRemoved }) => !isRemoved);
  const names = new Map(kept.map(({ key, name }) => [key, name]));
  const valuesOf = (row: string): Readonly<Record<string, DatasetCell>> =>
    Object.fromEntries(
      [...(cells.get(row) ?? [])].flatMap(([key, { after }]) => {
        const name = names.get(key);
        return name === undefined ? [] : [[name, after]];
      }),
    );
  const isNew = new Set(newRows);
  const changed = [...cells.keys()].filter((row) => !isNew.has(row) && !goneRows.has(row));
  return [
    ...columns.flatMap(({ base, isRemoved }): readonly DatasetEdit[] =>
      isRemoved && base !== null ? [{ edit_type: 'remove_column', column_name: base }] : [],
    ),
    ...renameEdits(kept),
    ...newColumnEdits(kept, makerId),
    ...changed.flatMap((row): readonly DatasetEdit[] => {
      const values = valuesOf(row);
      if (Object.keys(values).length === 0) return [];
      return [{ edit_type: 'update_row', row_id: row, values }];
    }),
    ...[...goneRows.keys()].map((row): DatasetEdit => ({ edit_type: 'delete_row', row_id: row })),
    ...newRows.map((row): DatasetEdit => ({
      edit_type: 'append_row',
      row_id: row,
      values: valuesOf(row),
    })),
  ];
};

/** Each rename once its name is free; a circle of names goes by a name for the time between. */
const renameEdits = (kept: readonly DraftColumn[]): readonly DatasetEdit[] => {
  const edits: DatasetEdit[] = [];
  const taken = new Set(kept.flatMap(({ base }) => (base === null ? [] : [base])));
  const rename = (from: string, to: string): void => {
    edits.push({ edit_type: 'rename_column', column_name: from, new_column_name: to });
    taken.delete(from);
    taken.add(to);
  };
  let waiting = kept.flatMap(({ base, name }) =>
    base === null || base === name ? [] : [{ from: base, to: name }],
  );
  while (waiting.length > 0) {
    const free = waiting.find(({ to }) => !taken.has(to));
    const [next] = free === undefined ? waiting : [free];
    if (next === undefined) break;
    waiting = waiting.filter((one) => one !== next);
    if (free === undefined) {
      const between = freeName(new Set([...taken, ...kept.map(({ name }) => name)]));
      rename(next.from, between);
      waiting.push({ from: between, to: next.to });
    } else rename(next.from, next.to);
  }
  return edits;
};

const freeName = (taken: ReadonlySet<string>): string => {
  for (let count = 1; ; count += 1) if (!taken.has(`~${count}`)) return `~${count}`;
};

/** One edit a column: members of an object would not keep the order of names like `1`. */
const newColumnEdits = (kept: readonly DraftColumn[], row: string): readonly DatasetEdit[] => {
  const names = kept.flatMap(({ base, name }) => (base === null ? [name] : []));
  if (names.length === 0) return [];
  const edits = names.map((name, index): DatasetEdit => {
    const values = { [name]: null };
    return index === 0
      ? { edit_type: 'append_row', row_id: row, values }
      : { edit_type: 'update_row', row_id: row, values };
  });
  return [...edits, { edit_type: 'delete_row', row_id: row }];
};

/** Edits and bytes that one request takes (contract 1.11). */
const editsMax = 1_000;
const bodyBytesMax = 1_048_576;

/** Reason against saving the edits at once; null: they can be saved. */
export const savingFault = (edits: readonly DatasetEdit[]): string | null => {
  if (edits.length > editsMax) {
    const count = edits.length.toLocaleString('en');
    return `A version takes 1,000 edits at most, and these are ${count}. Undo some (Ctrl+Z).`;
  }
  const bytes = utf8ByteLength(JSON.stringify({ edits }));
  return bytes > bodyBytesMax
    ? 'A version takes 1 MB of edits at most, and these have more. Undo some (Ctrl+Z).'
    : null;
};

/** True where the edits make columns, which strict handling would refuse (contract 1.2, rule 3). */
export const makesColumns = ({ columns }: FoldedDraft): boolean =>
  columns.some(({ base }) => base === null);

/** A key for a new column. */
export const nextColumnKey = (columns: readonly DraftColumn[]): ColumnKey => {
  const numbers = columns.flatMap(({ key, base }) => (base === null ? [Number(key.slice(1))] : []));
  return `+${Math.max(0, ...numbers) + 1}`;
};
