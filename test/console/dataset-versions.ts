import { expect } from 'chai';
import * as fc from 'fast-check';
import type {
  DatasetCell,
  DatasetEdit,
} from '../../clients/typescript/src/generated/datasets-types.js';
import { applyEdits as applyServiceEdits } from '../../command-api/datasets/edits.js';
import {
  columnNameFault,
  foldDraft,
  type DatasetChange,
  type DatasetDraft,
} from '../../console/datasets/changes.js';
import { nextColumnKey } from '../../console/datasets/edits.js';
import { openGridModel } from '../../console/datasets/grid-model.js';
import type { Edit } from '../../contract/dataset-content.js';
import {
  compactCells,
  readCell,
  type ContentRow,
  type DatasetColumn,
  type RowId,
} from '../../kernel/dataset-content.js';

/** A version of a dataset, as the service keeps it. */
export type TestDataset = {
  readonly columns: readonly DatasetColumn[];
  readonly rows: readonly ContentRow[];
  readonly nextKey: number;
};

export const rowFor = (name: string): RowId => `row ${name}` as RowId;

export const datasetOf = (
  names: readonly string[],
  rows: readonly (readonly DatasetCell[])[],
): TestDataset => ({
  columns: names.map((name, key) => ({ key, name })),
  rows: rows.map((cells, index) => ({
    id: rowFor(String(index)),
    made: 1,
    edited: 1,
    cells: compactCells(cells.map((cell, key) => [key, cell])),
  })),
  nextKey: names.length,
});

/** Columns and cells in order. */
export const tableOf = ({ columns, rows }: TestDataset) => ({
  columns: columns.map(({ name }) => name),
  rows: rows.map((row) => columns.map((column) => readCell(row, column))),
});

/** Rows of a version as the grid has them, all there. */
export const gridRows = (dataset: TestDataset) => ({
  total: dataset.rows.length,
  at: (index: number) => {
    const row = dataset.rows[index];
    if (row === undefined) return undefined;
    return { row_id: row.id, index, values: tableOf(dataset).rows[index] ?? [] } as never;
  },
});

/** Cells of a row by column. */
export const cellsOf = (
  dataset: TestDataset,
  index: number,
): Readonly<Record<string, DatasetCell>> => {
  const { columns, rows } = tableOf(dataset);
  return Object.fromEntries(columns.map((name, place) => [name, rows[index]?.[place] ?? null]));
};

/** The next version as the service makes it; fails on a complaint. */
export const applyEdits = (dataset: TestDataset, edits: readonly DatasetEdit[]) => {
  const { columns, rows, nextKey } = dataset;
  const chunks = [{ content: 'content' as never, chunk: 0, rows }];
  const edited = applyServiceEdits({ columns, chunks }, edits as readonly unknown[] as Edit[], {
    isStrict: false,
    version: 2,
    nextKey,
    rowId: (index) => rowFor(`minted ${index}`),
  });
  if (!('counts' in edited)) return expect.fail(JSON.stringify(edited));
  const next = {
    columns: edited.columns,
    rows: edited.stretches.flatMap((one) => ('rows' in one ? one.rows : one)),
    nextKey: Math.max(nextKey, ...edited.columns.map(({ key }) => key + 1)),
  };
  return { dataset: next, table: tableOf(next), counts: edited.counts };
};

type ChangeDraw = readonly [what: number, row: number, column: number, cell: DatasetCell];

/** Changes that a user could make one after the other, chosen by the draws. */
export const drawChanges = (
  dataset: TestDataset,
  drawn: readonly ChangeDraw[],
  prefix = 'new',
): readonly DatasetChange[] => {
  const columns = dataset.columns.map(({ name }) => name);
  const table = tableOf(dataset);
  const rows = {
    total: dataset.rows.length,
    at: (index: number) =>
      ({ row_id: dataset.rows[index]?.id, index, values: table.rows[index] }) as never,
  };
  const changes: DatasetChange[] = [];
  for (const [count, [what, atRow, atColumn, cell]] of drawn.entries()) {
    const folded = foldDraft({ columns, steps: [changes] });
    const grid = openGridModel(rows, folded);
    const index = grid.rowCount === 0 ? -1 : atRow % grid.rowCount;
    const place = index < 0 ? null : grid.placeOf(index);
    const column = folded.columns[atColumn % Math.max(1, folded.columns.length)];
    const name = `${prefix} ${atColumn % 3}`;
    if (what < 3 && column?.isRemoved === false) {
      const change = grid.setCell(index, column, cell);
      if (change !== null) changes.push(change);
    } else if (what === 3) {
      changes.push({ type: 'row-added', row: rowFor(`${prefix} ${count}`) });
    } else if (what === 4 && place?.isGone === false) {
      changes.push({ type: 'row-removed', row: place.row, index: place.index });
    } else if (what === 5 && columnNameFault(folded.columns, name, null) === null) {
      changes.push({ type: 'column-added', column: nextColumnKey(folded.columns), name });
    } else if (what === 6 && column?.isRemoved === false) {
      const next = [name, ...columns][atRow % (columns.length + 1)] ?? name;
      if (columnNameFault(folded.columns, next, column.key) === null) {
        changes.push({ type: 'column-renamed', column: column.key, name: next });
      }
    } else if (what === 7 && column?.isRemoved === false) {
      changes.push({ type: 'column-removed', column: column.key });
    }
  }
  return changes;
};

/** Cells of each kind. */
export const cells: fc.Arbitrary<DatasetCell> = fc.oneof(
  fc.constantFrom<DatasetCell>(null, '', 'a', 'To Oslo?', '12', 'x\ny\t"z"', 0, -1.5, 1e21),
  fc.record({ lang: fc.constantFrom('en', 'de'), n: fc.integer() }),
);
const columnNames = fc.uniqueArray(fc.constantFrom('q', 'a', '1', '~1', '__proto__', 'b'), {
  minLength: 0,
  maxLength: 5,
});

/** A version of random content. */
export const datasets: fc.Arbitrary<TestDataset> = columnNames.chain((names) =>
  fc
    .array(fc.tuple(...names.map(() => cells)), { maxLength: 6 })
    .map((rows) => datasetOf(names, rows)),
);
/** Choices of changes. */
export const draws = fc.array(fc.tuple(fc.nat(7), fc.nat(9), fc.nat(9), cells), { maxLength: 12 });

/** A draft with each change as a step of its own. */
export const draftOf = (dataset: TestDataset, changes: readonly DatasetChange[]): DatasetDraft => ({
  version: 1,
  columns: dataset.columns.map(({ name }) => name),
  rows: dataset.rows.length,
  steps: changes.map((change) => [change]),
});
