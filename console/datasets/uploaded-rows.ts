import type { DatasetCell } from '../../clients/typescript/src/generated/datasets-types.js';
import { foldDraft, type DatasetChange, type FoldedDraft } from './changes.js';
import { nextColumnKey } from './edits.js';

/** Changes that add the rows of a table: its columns by name, those that are missing are made. */
export const uploadedChanges = (
  { columns }: FoldedDraft,
  names: readonly string[],
  rows: readonly (readonly DatasetCell[])[],
  newId: () => string,
): readonly DatasetChange[] => {
  const changes: DatasetChange[] = [];
  let known = columns;
  const keys = names.map((name) => {
    const present = known.find((one) => one.name === name && !one.isRemoved);
    if (present !== undefined) return present.key;
    const key = nextColumnKey(known);
    const added: DatasetChange = { type: 'column-added', column: key, name };
    changes.push(added);
    known = [...known, ...foldDraft({ columns: [], steps: [[added]] }).columns];
    return key;
  });
  for (const cells of rows) {
    const row = newId();
    changes.push({ type: 'row-added', row });
    for (const [place, after] of cells.entries()) {
      const column = keys[place];
      if (column === undefined || after === null) continue;
      changes.push({ type: 'cell-set', row, index: null, column, before: null, after });
    }
  }
  return changes;
};
