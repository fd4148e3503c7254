import { expect } from 'chai';
import * as fc from 'fast-check';
import {
  cellOfText,
  cellText,
  isSameCell,
  kindOfCells,
  parseBlock,
} from '../../console/datasets/cells.js';
import {
  changesText,
  columnNameFault,
  countChanges,
  foldDraft,
  type DatasetChange,
} from '../../console/datasets/changes.js';
import { editsOf, makesColumns, nextColumnKey, savingFault } from '../../console/datasets/edits.js';
import { blockChanges, openGridModel } from '../../console/datasets/grid-model.js';
import { followColumns, rebaseDraft, touchedRows } from '../../console/datasets/rebase.js';
import { uploadedChanges } from '../../console/datasets/uploaded-rows.js';
import { drawSeed } from '../support/test-environment.js';
import {
  applyEdits,
  cells,
  cellsOf,
  datasetOf,
  datasets,
  draftOf,
  drawChanges,
  draws,
  gridRows,
  rowFor,
} from './dataset-versions.js';

const counter = (prefix: string) => {
  let count = 0;
  return (): string => {
    count += 1;
    return `${prefix}${count}`;
  };
};

describe('the cells of datasets', () => {
  it('stay what they are where their text is not changed', () => {
    fc.assert(
      fc.property(cells, fc.constantFrom('text', 'number'), (cell, kind) => {
        expect(cellOfText(cellText(cell), cell, kind)).to.equal(cell);
      }),
      { seed: drawSeed() },
    );
    expect(cellOfText('2', 1, 'text')).to.equal(2);
    expect(cellOfText('2', null, 'number')).to.equal(2);
    expect(cellOfText('2', null, 'text')).to.equal('2');
    expect(cellOfText('02', 1, 'number')).to.equal('02');
    expect(cellOfText('', 'text', 'text')).to.equal(null);
    expect(cellOfText('{"a":null}', { a: 1 }, 'text')).to.deep.equal({ a: null });
    expect(cellOfText('{"a":[1]}', { a: 1 }, 'text')).to.equal('{"a":[1]}');
    expect(kindOfCells([null, 1, 2.5])).to.equal('number');
    expect(kindOfCells([1, '2'])).to.equal('text');
    expect(isSameCell({ a: 1, b: 'x' }, { b: 'x', a: 1 })).to.equal(true);
  });

  it('come from a block as a spreadsheet copies it', () => {
    const text = fc.constantFrom('', 'a', '12', 'say "hi"', '"quoted"', 'two\nlines', 'tab\there');
    const quote = (one: string): string =>
      /["\t\n]/.test(one) ? `"${one.replaceAll('"', '""')}"` : one;
    const blocks = fc.array(fc.array(text, { minLength: 1, maxLength: 4 }), { minLength: 1 });
    fc.assert(
      fc.property(blocks, fc.constantFrom('\n', '\r\n'), (block, end) => {
        const copied = block.map((row) => `${row.map(quote).join('\t')}${end}`).join('');
        expect(parseBlock(copied)).to.deep.equal(block);
      }),
      { seed: drawSeed() },
    );
    expect(parseBlock('one')).to.deep.equal([['one']]);
    expect(parseBlock('"half quoted\tb')).to.deep.equal([['"half quoted', 'b']]);
  });
});

describe('the changes to a dataset', () => {
  it('become edits that the service applies to exactly what the grid shows', () => {
    fc.assert(
      fc.property(datasets, draws, (dataset, drawn) => {
        const draft = draftOf(dataset, drawChanges(dataset, drawn));
        const folded = foldDraft(draft);
        const edits = editsOf(folded, rowFor('maker'));
        const { table, counts } = applyEdits(dataset, edits);
        const kept = folded.columns.filter(({ isRemoved }) => !isRemoved);
        const grid = openGridModel(gridRows(dataset), folded);
        const shown = Array.from({ length: grid.rowCount }, (_row, index) => index).filter(
          (index) => grid.placeOf(index)?.isGone === false,
        );
        expect(table).to.deep.equal({
          columns: kept.map(({ name }) => name),
          rows: shown.map((index) =>
            kept.map((column) => grid.cellAt(index, column)?.cell ?? null),
          ),
        });
        expect(counts).to.deep.include({
          rows_added: folded.newRows.length,
          rows_removed: folded.goneRows.size,
          columns_added: kept.filter(({ base }) => base === null).length,
          columns_removed: folded.columns.length - kept.length,
          columns_renamed: kept.filter(({ base, name }) => base !== null && base !== name).length,
        });
        expect(makesColumns(folded)).to.equal(counts.columns_added > 0);
      }),
      { seed: drawSeed(), numRuns: 300 },
    );
  });

  it('are counted by cells, rows and columns, a cell set back left out (check 23)', () => {
    const dataset = datasetOf(
      ['q', 'a'],
      [
        ['one', 'x'],
        ['two', 'y'],
      ],
    );
    const set = (row: number, after: string): DatasetChange => ({
      type: 'cell-set',
      row: dataset.rows[row]?.id ?? '',
      index: row,
      column: '=a',
      before: row === 0 ? 'x' : 'y',
      after,
    });
    const draft = draftOf(dataset, [
      set(0, 'x2'),
      set(1, 'y2'),
      { type: 'row-added', row: rowFor('new') },
      { type: 'column-added', column: '+1', name: 'tox' },
    ]);
    expect(changesText(countChanges(foldDraft(draft)))).to.equal(
      '4 changes not saved: 2 cells, 1 row, 1 column',
    );
    const back = { ...draft, steps: [...draft.steps, [set(0, 'x')]] };
    expect(countChanges(foldDraft(back)).cells).to.equal(1);
    const { counts } = applyEdits(dataset, editsOf(foldDraft(draft), rowFor('maker')));
    expect(counts).to.deep.include({ rows_added: 1, rows_edited: 2, columns_added: 1 });
  });

  it('are refused where one version cannot take them', () => {
    const edit = { edit_type: 'delete_row', row_id: 'r' } as const;
    expect(savingFault(Array.from({ length: 1_000 }, () => edit))).to.equal(null);
    expect(savingFault(Array.from({ length: 1_001 }, () => edit))).to.include('1,001');
    const long = { edit_type: 'append_row', values: { a: 'x'.repeat(1_048_576) } } as const;
    expect(savingFault([long])).to.include('1 MB');
    const { columns } = foldDraft({ columns: ['a', 'b'], steps: [] });
    expect(columnNameFault(columns, 'b', '=a')).to.include('b');
    expect(columnNameFault(columns, 'a', '=a')).to.equal(null);
    expect(columnNameFault(columns, '', null)).to.not.equal(null);
  });

  it('take a pasted block, with new rows below the last one', () => {
    const dataset = datasetOf(
      ['q', 'n'],
      [
        ['one', 1],
        ['two', 2],
      ],
    );
    const folded = foldDraft({ columns: ['q', 'n'], steps: [] });
    const grid = openGridModel(gridRows(dataset), folded);
    const { changes, leftOut } = blockChanges(grid, [['2', 'too far'], ['7']], {
      row: 1,
      columns: folded.columns.slice(1),
      newId: counter('new-'),
    });
    expect(leftOut).to.equal(1);
    expect(changes).to.deep.equal([
      { type: 'row-added', row: 'new-1' },
      { type: 'cell-set', row: 'new-1', index: null, column: '=n', before: null, after: 7 },
    ]);
  });

  it('take the rows of a file by the names of their columns', () => {
    const folded = foldDraft({ columns: ['q'], steps: [] });
    const rows = [
      ['four', 'Four.'],
      ['five', null],
    ];
    const changes = uploadedChanges(folded, ['q', 'a'], rows, counter('new-'));
    const after = foldDraft({ columns: ['q'], steps: [changes] });
    expect(after.columns.map(({ name }) => name)).to.deep.equal(['q', 'a']);
    expect(after.newRows).to.deep.equal(['new-1', 'new-2']);
    expect(after.cells.get('new-1')?.get('+1')?.after).to.equal('Four.');
    expect(nextColumnKey(after.columns)).to.equal('+2');
  });
});

describe('changes on top of a later version', () => {
  it('are saved on it, and say what has no place and what both changed (check 23)', () => {
    fc.assert(
      fc.property(datasets, draws, draws, (dataset, mineDrawn, theirsDrawn) => {
        const mine = draftOf(dataset, drawChanges(dataset, mineDrawn, 'mine'));
        const theirs = foldDraft(draftOf(dataset, drawChanges(dataset, theirsDrawn, 'theirs')));
        const { dataset: next, counts } = applyEdits(dataset, editsOf(theirs, rowFor('maker')));
        const columns = next.columns.map(({ name }) => name);
        const names = followColumns(mine.columns, [{ ...counts, column_names: columns }]);
        const folded = foldDraft(mine);
        const touched = new Map(
          next.rows.flatMap(({ id }, index) =>
            touchedRows(folded).has(id) ? [[id, { index, cells: cellsOf(next, index) }]] : [],
          ),
        );
        const later = { version: 2, columns, rows: next.rows.length, names, touched };
        const rebased = rebaseDraft(mine, later);
        const result = foldDraft(rebased.draft);
        const saved = applyEdits(next, editsOf(result, rowFor('other maker'))).dataset;
        for (const [row, ofRow] of result.cells) {
          const index = saved.rows.findIndex(({ id }) => id === row);
          for (const [key, { after }] of ofRow) {
            const column = result.columns.find((one) => one.key === key);
            if (index < 0 || column?.isRemoved !== false) continue;
            expect(cellsOf(saved, index)[column.name]).to.deep.equal(after);
          }
        }
        expect(saved.rows.map(({ id }) => id)).to.include.members([...folded.newRows]);
        for (const row of folded.goneRows.keys()) {
          expect(saved.rows.some(({ id }) => id === row)).to.equal(false);
        }
      }),
      { seed: drawSeed(), numRuns: 300 },
    );
  });

  it('follow renamed columns, and list what is gone', () => {
    const dataset = datasetOf(
      ['q', 'a'],
      [
        ['one', 'x'],
        ['two', 'y'],
      ],
    );
    const [first, second] = dataset.rows.map(({ id }) => id);
    if (first === undefined || second === undefined) return expect.fail();
    const set = (row: string, index: number, column: string, after: string): DatasetChange => ({
      type: 'cell-set',
      row,
      index,
      column,
      before: 'before',
      after,
    });
    const mine = draftOf(dataset, [
      set(first, 0, '=a', 'mine'),
      set(second, 1, '=a', 'lost row'),
      set(first, 0, '=q', 'lost column'),
    ]);
    const renamed = { column_names: ['q', 'answer'], columns_removed: 0, columns_renamed: 1 };
    const removed = { column_names: ['answer'], columns_removed: 1, columns_renamed: 0 };
    const names = followColumns(mine.columns, [renamed, removed]);
    expect([...names]).to.deep.equal([
      ['q', null],
      ['a', 'answer'],
    ]);
    const touched = new Map([[first, { index: 0, cells: { answer: 'theirs' } }]]);
    const later = { version: 3, columns: ['answer'], rows: 1, names, touched };
    const rebased = rebaseDraft(mine, later);
    expect(rebased.gone).to.have.length(2);
    expect(rebased.gone.join()).to.include('Column q').and.to.include('lost row');
    expect(rebased.overlaps.join()).to.include('theirs “theirs”, yours “mine”');
    expect(editsOf(foldDraft(rebased.draft), 'maker')).to.deep.equal([
      { edit_type: 'update_row', row_id: first, values: { answer: 'mine' } },
    ]);
  });
});
