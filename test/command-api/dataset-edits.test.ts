import { isDeepStrictEqual } from 'node:util';
import { expect } from 'chai';
import * as fc from 'fast-check';
import { applyEdits, type Chunk } from '../../command-api/datasets/edits.js';
import { layOutRows } from '../../command-api/datasets/row-storage.js';
import type { Edit } from '../../contract/dataset-content.js';
import {
  readCell,
  compactCells,
  cellEntries,
  countRows,
  chunkSlices,
  type ContentCell,
  type DatasetColumn,
  type ContentId,
  type ContentRow,
  type RowId,
} from '../../kernel/dataset-content.js';
import { drawSeed } from '../support/test-environment.js';
import { runs } from '../support/runs.js';

const rowId = (number: number) =>
  `aaaaaaaa-0000-4000-8000-${String(number).padStart(12, '0')}` as RowId;
const contentId = (number: number) =>
  `bbbbbbbb-0000-4000-8000-${String(number).padStart(12, '0')}` as ContentId;

type NaiveRow = { readonly id: RowId; cells: Map<string, ContentCell> };
/** Rows and columns as nobody would store them: names to cells, in order. */
type Naive = {
  columns: string[];
  rows: NaiveRow[];
  /** Rows as they were before all edits, in the columns of now. */
  readonly was: readonly NaiveRow[];
  /** Rows that were there when they were added: in the end they have to be as they were. */
  readonly repeated: Set<RowId>;
};

const sameIn = (names: readonly string[], one?: NaiveRow, other?: NaiveRow): boolean =>
  one !== undefined &&
  other !== undefined &&
  names.every((name) =>
    isDeepStrictEqual(one.cells.get(name) ?? null, other.cells.get(name) ?? null),
  );
const isAsItWas = ({ columns: names, rows, was }: Naive, id: RowId): boolean =>
  sameIn(
    names,
    rows.find((row) => row.id === id),
    was.find((row) => row.id === id),
  );

/**
 * False where the edit is refused; each row that is added draws an id, also one that has its own.
 */
const naively = (state: Naive, edit: Edit, newId: () => RowId): boolean => {
  const at = (id: RowId) => state.rows.findIndex((row) => row.id === id);
  const filled = (
    values: Readonly<Record<string, ContentCell>>,
    cells = new Map<string, ContentCell>(),
  ) => {
    for (const [name, value] of Object.entries(values)) {
      if (!state.columns.includes(name)) state.columns.push(name);
      cells.set(name, value);
    }
    return cells;
  };
  switch (edit.edit_type) {
    case 'append_row':
    case 'prepend_row': {
      const drawn = newId();
      const id = edit.row_id ?? drawn;
      const present = state.rows[at(id)];
      if (present !== undefined) {
        if (Object.keys(edit.values).some((name) => !state.columns.includes(name))) return false;
        const again = { id, cells: filled(edit.values) };
        if (sameIn(state.columns, present, again)) return true;
        if (!state.was.some((row) => row.id === id)) return false;
        present.cells = again.cells;
        state.repeated.add(id);
        return true;
      }
      const row = { id, cells: filled(edit.values) };
      if (edit.edit_type === 'append_row') state.rows.push(row);
      else state.rows.unshift(row);
      return true;
    }
    case 'update_row':
      if (at(edit.row_id) < 0) return false;
      filled(edit.values, state.rows[at(edit.row_id)]?.cells);
      return true;
    case 'delete_row':
      if (at(edit.row_id) < 0) return false;
      state.rows.splice(at(edit.row_id), 1);
      return true;
    case 'filter_rows':
      if (edit.row_ids.some((id) => at(id) < 0)) return false;
      state.rows = state.rows.filter(({ id }) => edit.row_ids.includes(id));
      return true;
    case 'remove_column':
      if (!state.columns.includes(edit.column_name)) return false;
      state.columns = state.columns.filter((name) => name !== edit.column_name);
      for (const { cells } of [...state.rows, ...state.was]) cells.delete(edit.column_name);
      return true;
    case 'rename_column': {
      const { column_name: from, new_column_name: to } = edit;
      if (!state.columns.includes(from)) return false;
      if (from === to) return true;
      if (state.columns.includes(to)) return false;
      state.columns = state.columns.map((name) => (name === from ? to : name));
      for (const { cells } of [...state.rows, ...state.was]) {
        if (cells.has(from)) cells.set(to, cells.get(from) ?? null);
        cells.delete(from);
      }
      return true;
    }
  }
};

const column = fc.constantFrom('a', 'a', 'b', 'b', 'c');
const values = fc.dictionary(column, fc.constantFrom<ContentCell>('x', 'y', 1, null, { m: 'z' }));
const known = fc.integer({ min: 0, max: 5 }).map(rowId);
const fresh = fc.integer({ min: 5, max: 12 }).map(rowId);
const edits = fc.array(
  fc.oneof<fc.Arbitrary<Edit>[]>(
    fc.record({ edit_type: fc.constant('append_row' as const), values }),
    fc.record({ edit_type: fc.constant('prepend_row' as const), values, row_id: fresh }),
    fc.record({ edit_type: fc.constant('update_row' as const), row_id: known, values }),
    fc.record({ edit_type: fc.constant('delete_row' as const), row_id: known }),
    fc.record({
      edit_type: fc.constant('filter_rows' as const),
      row_ids: fc.uniqueArray(known, { minLength: 4 }),
    }),
    fc.record({ edit_type: fc.constant('remove_column' as const), column_name: column }),
    fc.record({
      edit_type: fc.constant('rename_column' as const),
      column_name: column,
      new_column_name: column,
    }),
  ),
  { maxLength: 6 },
);

/** Repeatable edits: they change or keep no row that they add or remove. */
const staying = fc.integer({ min: 0, max: 3 }).map(rowId);
const repeatable = fc.array(
  fc.oneof<fc.Arbitrary<Edit>[]>(
    ...(['append_row', 'prepend_row'] as const).map((edit_type) =>
      fc.record({ edit_type: fc.constant(edit_type), values, row_id: fresh }),
    ),
    fc.record({
      edit_type: fc.constant('update_row' as const),
      row_id: fc.oneof(
        staying,
        fresh.filter((id) => id !== rowId(5)),
      ),
      values,
    }),
    fc.record({
      edit_type: fc.constant('filter_rows' as const),
      row_ids: fc.constant([0, 1, 2, 3].map(rowId)),
    }),
  ),
  { maxLength: 6 },
);

const columns = [
  { key: 3, name: 'a' },
  { key: 1, name: 'b' },
];
const chunks = (rows: number, sizes: readonly number[]): readonly Chunk[] => {
  const all = Array.from({ length: rows }, (_, index): ContentRow => ({
    id: rowId(index),
    made: 1,
    edited: 1,
    cells: compactCells([
      [3, `a${index}`],
      [1, index],
    ]),
  }));
  return sizes.map((size, chunk) => ({
    content: contentId(0),
    chunk,
    rows: all.splice(0, size),
  }));
};
const tried = (before: readonly Chunk[], names: readonly DatasetColumn[], list: readonly Edit[]) =>
  applyEdits({ columns: names, chunks: before }, list, {
    version: 2,
    isStrict: false,
    nextKey: 4 + names.length,
    rowId: (index) => rowId(101 + index),
  });
const noCounts = {
  rows_added: 0,
  rows_removed: 0,
  rows_edited: 0,
  columns_added: 0,
  columns_removed: 0,
  columns_renamed: 0,
};
const shown = (rows: readonly ContentRow[], by: readonly { key: number; name: string }[]) =>
  rows.map((row) => [row.id, ...by.map((one) => readCell(row, one))]);

describe('edits of datasets', () => {
  it('give the table that a naive implementation gives, and count what differs', async () => {
    const seed = drawSeed();
    let applied = 0;
    await fc.assert(
      fc.asyncProperty(edits, fc.constantFrom([3, 3], [6], [1, 2, 3], []), async (list, sizes) => {
        const before = chunks(6, sizes);
        const rows = before.flatMap((chunk) => chunk.rows);
        const asNaive = () =>
          rows.map((row) => ({
            id: row.id,
            cells: new Map(columns.map((one) => [one.name, readCell(row, one)])),
          }));
        const naive: Naive = {
          columns: columns.map(({ name }) => name),
          rows: asNaive(),
          was: asNaive(),
          repeated: new Set(),
        };
        const ids = () => {
          let made = 100;
          return () => rowId((made += 1));
        };
        const nextId = ids();
        const wants =
          list.every((edit) => naively(naive, edit, nextId)) &&
          [...naive.repeated].every((id) => isAsItWas(naive, id));
        const edited = applyEdits({ columns, chunks: before }, list, {
          version: 2,
          isStrict: false,
          nextKey: 4,
          rowId: (index) => rowId(101 + index),
        });
        expect('stretches' in edited).to.equal(wants);
        if (!('stretches' in edited)) return;
        applied += 1;
        const after = edited.stretches.flatMap((one) => ('rows' in one ? one.rows : one));
        const cells = (row: Naive['rows'][number]) =>
          naive.columns.map((name) => row.cells.get(name) ?? null);
        expect(edited.columns.map(({ name }) => name)).to.deep.equal(naive.columns);
        expect(shown(after, edited.columns)).to.deep.equal(
          naive.rows.map((row) => [row.id, ...cells(row)]),
        );
        const was = new Set(rows.map(({ id }) => id));
        const is = new Set(after.map(({ id }) => id));
        expect(edited.counts).to.include({
          rows_added: after.filter(({ id }) => !was.has(id)).length,
          rows_removed: rows.filter(({ id }) => !is.has(id)).length,
          rows_edited: after.filter((row) => was.has(row.id) && !rows.includes(row)).length,
        });
        const lie = await layOutRows(edited.stretches, () => contentId(1));
        expect(countRows(lie.parts)).to.equal(after.length);
        const stored = (content: ContentId, chunk: number) =>
          content === contentId(1) ? lie.chunks[chunk]?.rows : before[chunk]?.rows;
        const page = chunkSlices(lie.parts, 1, 3).flatMap(({ content, chunk, from, to }) =>
          (stored(content, chunk) ?? []).slice(from, to),
        );
        expect(page).to.deep.equal(after.slice(1, 4));
      }),
      { seed, numRuns: runs(300) },
    );
    // Most lists are refused at their first bad edit; enough are not.
    expect(applied).to.be.greaterThan(50);
  });

  it('do nothing the second time if they bring their own ids', () => {
    const seed = drawSeed();
    let applied = 0;
    fc.assert(
      fc.property(repeatable, fc.constantFrom([3, 3], [6], [1, 2, 3], []), (list, sizes) => {
        const once = tried(chunks(6, sizes), columns, list);
        if (!('stretches' in once)) return;
        applied += 1;
        const after = once.stretches.map((one, chunk) =>
          'rows' in one ? one : { content: contentId(2), chunk, rows: one },
        );
        const again = tried(after, once.columns, list);
        expect('stretches' in again && again.counts).to.deep.equal(noCounts);
      }),
      { seed, numRuns: runs(300) },
    );
    expect(applied).to.be.greaterThan(50);
  });

  it('ignore a row that is added again unchanged, and refuse a different one under its id', () => {
    const before = chunks(6, [3, 3]);
    const row = { row_id: rowId(4), values: { b: 4, a: 'a4' } };
    const other = { row_id: rowId(4), values: { a: 'a4' } };
    for (const edit_type of ['append_row', 'prepend_row'] as const) {
      const same = tried(before, columns, [{ edit_type, ...row }]);
      expect('stretches' in same && same.counts).to.deep.equal(noCounts);
      const more = tried(before, columns, [
        { edit_type, ...row },
        { edit_type: 'append_row', values: {} },
      ]);
      expect('stretches' in more && more.stretches.slice(1, 3)).to.deep.equal(before);
      expect('stretches' in more && more.counts).to.deep.equal({ ...noCounts, rows_added: 1 });
      for (const values of [other.values, { ...row.values, a: 'x' }, { ...row.values, c: null }]) {
        const refused = tried(before, columns, [
          { edit_type: 'append_row', values: {} },
          { edit_type, ...other, values },
        ]);
        expect(refused).to.deep.equal([
          {
            loc: ['body', 'edits', '1', 'row_id'],
            msg: 'Value error, the current version has another row with this id',
            type: 'value_error',
          },
        ]);
      }
    }
  });

  it('compare cells whatever the order of their members', () => {
    const add = (cell: ContentCell): Edit => ({
      edit_type: 'append_row',
      row_id: rowId(7),
      values: { a: cell },
    });
    const once = tried([], columns, [add({ m: 1, n: null })]);
    const rows = 'stretches' in once ? (once.stretches.flat() as readonly ContentRow[]) : [];
    const after = [{ content: contentId(2), chunk: 0, rows }];
    const again = tried(after, columns, [add({ n: null, m: 1 })]);
    expect('stretches' in again && again.counts).to.deep.equal(noCounts);
    for (const cell of [{ m: 1 }, { m: 1, n: 2 }, { m: 1, n: null, o: 1 }, 'x', null]) {
      expect('stretches' in tried(after, columns, [add(cell)])).to.equal(false);
    }
  });

  it('are not a change if they restore the version before them', () => {
    const before = chunks(6, [3, 3]);
    const last = rowId(5);
    for (const list of [
      [
        { edit_type: 'update_row', row_id: last, values: { a: 'x' } },
        { edit_type: 'update_row', row_id: last, values: { a: 'a5' } },
      ],
      [
        { edit_type: 'delete_row', row_id: last },
        { edit_type: 'append_row', row_id: last, values: { a: 'a5', b: 5 } },
      ],
    ] satisfies Edit[][]) {
      const edited = tried(before, columns, list);
      expect('stretches' in edited && edited.counts).to.deep.equal(noCounts);
    }
  });

  it('rewrite only the chunks that they touch', async () => {
    const before = chunks(1_000, [200, 200, 200, 200, 200]);
    const edited = applyEdits(
      { columns, chunks: before },
      [{ edit_type: 'update_row', row_id: rowId(450), values: { a: 'new' } }],
      { version: 2, isStrict: false, nextKey: 4, rowId },
    );
    const { parts, chunks: fresh } = await layOutRows(
      'stretches' in edited ? edited.stretches : [],
      () => contentId(1),
    );
    expect(fresh.map(({ rows }) => rows.length)).to.deep.equal([200]);
    expect(parts).to.deep.equal([
      { content: contentId(0), first: 0, sizes: [200, 200] },
      { content: contentId(1), first: 0, sizes: [200] },
      { content: contentId(0), first: 3, sizes: [200, 200] },
    ]);
  });

  it('leave no chunk for each when they change one row at a time', async () => {
    let now = chunks(0, []);
    for (let time = 1; time <= 450; time += 1) {
      const edited = applyEdits(
        { columns, chunks: now },
        [{ edit_type: 'append_row', values: {} }],
        {
          version: time,
          isStrict: false,
          nextKey: 4,
          rowId: () => rowId(time),
        },
      );
      const { parts, chunks: fresh } = await layOutRows(
        'stretches' in edited ? edited.stretches : [],
        () => contentId(time),
      );
      const known = now;
      now = parts.flatMap(({ content, first, sizes }) =>
        sizes.map((_, index) => ({
          content,
          chunk: first + index,
          rows:
            (content === contentId(time)
              ? fresh[first + index]?.rows
              : known.find((one) => one.content === content && one.chunk === first + index)
                  ?.rows) ?? [],
        })),
      );
    }
    expect(now.flatMap(({ rows }) => rows)).to.have.length(450);
    expect(now.length).to.be.lessThan(8);
  });

  it('keep a row of one cell in a far column as small as it is', () => {
    const far = compactCells([[499, 'x']]);
    expect(JSON.stringify(far)).to.equal('{"499":"x"}');
    expect(readCell({ cells: far }, { key: 499 })).to.equal('x');
    expect(readCell({ cells: far }, { key: 0 })).to.equal(null);
    expect(cellEntries(far)).to.deep.equal([[499, 'x']]);
  });
});
