import { expect } from 'chai';
import * as fc from 'fast-check';
import { foldDraft } from '../../console/datasets/changes.js';
import {
  columnDifference,
  openDatasetDiff,
  type ComparedDatasetRow,
  type DatasetDifference,
} from '../../console/datasets/diff.js';
import { editsOf } from '../../console/datasets/edits.js';
import {
  columnPurpose,
  editedMapping,
  isSameMapping,
  rowOfExperiment,
  withMetricColumn,
  withRoleColumn,
  writtenMapping,
} from '../../console/datasets/mapping.js';
import { versionText } from '../../console/datasets/model.js';
import { followColumns } from '../../console/datasets/rebase.js';
import { filledColumns, withColumn } from '../../console/datasets/filled-columns.js';
import { missingSpan } from '../../console/datasets/rows.js';
import { datasetCodec, datasetListCodec } from '../../console/datasets/state.js';
import { drawSeed } from '../support/test-environment.js';
import {
  applyEdits,
  cellsOf,
  datasets,
  draftOf,
  drawChanges,
  draws,
  rowFor,
  tableOf,
  type TestDataset,
} from './dataset-versions.js';

describe('the columns of rows made of records', () => {
  const known = new Set(['input', 'output', 'dataset_output', 'name', 'metrics/reward']);
  const role = (...columns: string[]) => ({ columns, flatten: false });
  const nothing = { input: null, output: null, generated_output: null, metadata: null, mgt: null };
  const proposed = (
    column_names: readonly string[],
    mapping: object | null,
    more: readonly string[] = [],
  ) =>
    filledColumns(
      { column_names, column_mapping: mapping && { ...nothing, ...mapping } },
      new Set([...known, ...more]),
    ).map(({ name, source, role: title }) => `${name} <- ${source ?? '(empty)'}, ${title ?? '-'}`);

  it('are filled by their roles, else by their names', () => {
    const mapping = {
      input: role('question'),
      output: role('answer'),
      metadata: role('plan'),
      mgt: { reward: role('truth') },
    };
    const names = ['question', 'answer', 'plan', 'truth', 'name', 'other', 'trace_id'];
    expect(proposed(names, mapping, ['user_metadata/plan'])).to.deep.equal([
      'question <- input, Input',
      'answer <- output, Expected output',
      'plan <- user_metadata/plan, Metadata',
      'truth <- metrics/reward, -',
      'name <- name, -',
      'other <- (empty), -',
    ]);
    const tested = { ...mapping, generated_output: role('reply') };
    expect(proposed(['answer', 'reply'], tested)).to.deep.equal([
      'answer <- dataset_output, Expected output',
      'reply <- output, Generated output',
    ]);
  });

  it('are input and expected output of a new dataset, and further ones by choice', () => {
    expect(proposed([], null)).to.deep.equal([
      'input <- input, Input',
      'output <- output, Expected output',
    ]);
    const one = withColumn([], 'metrics/reward');
    expect(withColumn(one, 'user_metadata/reward').map(({ name }) => name)).to.deep.equal([
      'reward',
      'reward 2',
    ]);
  });
});

describe('the difference of two versions', () => {
  it('equals a naive comparison (check 24)', () => {
    fc.assert(
      fc.property(datasets, draws, fc.nat(3), (dataset, drawn, size) => {
        const folded = foldDraft(draftOf(dataset, drawChanges(dataset, drawn)));
        const { dataset: next, counts } = applyEdits(dataset, editsOf(folded, rowFor('maker')));
        const to = next.columns.map(({ name }) => name);
        const from = dataset.columns.map(({ name }) => name);
        const followed = followColumns(from, [{ ...counts, column_names: to }]);
        const renames = [...followed].flatMap(([old, now]) =>
          now === null || now === old ? [] : [[old, now] as const],
        );
        const diff = openDatasetDiff({ from, to, renames });
        for (const side of ['from', 'to'] as const) {
          const rows = comparedRows(side === 'from' ? dataset : next);
          for (let at = 0; at < rows.length; at += size + 1) {
            diff.add(side, rows.slice(at, at + size + 1));
          }
        }
        const naive = naiveDifference(dataset, next, renames);
        expect(diff.result().counts).to.deep.equal(naive.counts);
        expect(diff.result().rows).to.have.deep.members(naive.rows as never[]);
      }),
      { seed: drawSeed(), numRuns: 300 },
    );
    expect(
      columnDifference({ from: ['a', 'b', 'c'], to: ['a', 'x', 'd'], renames: [['b', 'x']] }),
    ).to.deep.equal({ came: ['d'], went: ['c'], renames: [['b', 'x']] });
  });

  it('is in the order of the later version, a row that went at its place', () => {
    const row = (row_id: string, index: number, value: string): ComparedDatasetRow => ({
      row_id,
      index,
      values: [value],
    });
    const diff = openDatasetDiff({ from: ['q'], to: ['q'], renames: [] });
    diff.add('from', [row('a', 0, '1'), row('b', 1, '2'), row('c', 2, '3')]);
    diff.add('to', [row('a', 0, '1'), row('c', 1, '4'), row('d', 2, '5')]);
    const { rows, counts } = diff.result();
    expect(counts).to.deep.equal({ added: 1, removed: 1, edited: 1, same: 1 });
    expect(rows.map(({ rowId, kind }) => `${rowId} ${kind}`)).to.deep.equal([
      'b removed',
      'c edited',
      'd added',
    ]);
  });
});

describe('the pages of datasets', () => {
  it('ask for missing rows by pages of 500, none twice', () => {
    const totals = fc.integer({ min: 0, max: 2_500 });
    fc.assert(
      fc.property(totals, fc.nat(2_500), fc.nat(900), fc.nat(500), (total, from, count, cut) => {
        const present = new Set<number>();
        for (let asked = 0; asked < 100; asked += 1) {
          const span = missingSpan({ from, count }, total, (index) => present.has(index));
          if (span === null) break;
          expect(span.count).to.be.within(1, 500);
          expect(Math.floor(span.from / 500)).to.equal(
            Math.floor((span.from + span.count - 1) / 500),
          );
          // A page may end early (contract 1.10).
          const came = Math.min(span.count, Math.max(1, cut));
          for (let index = span.from; index < span.from + came; index += 1) {
            expect(present.has(index)).to.equal(false);
            present.add(index);
          }
          if (cut < 100) return;
        }
        for (let index = from; index < Math.min(total, from + count); index += 1) {
          expect(present.has(index)).to.equal(true);
        }
      }),
      { seed: drawSeed() },
    );
  });

  it('have their view in the address', () => {
    const text = 'tab=versions&v=2&at=00000000000005a1&from=2&to=4&q=To%20Oslo';
    const view = datasetCodec.read(text);
    expect(view).to.deep.equal({
      tab: 'versions',
      v: 2,
      at: '00000000000005a1',
      from: 2,
      to: 4,
      q: 'To Oslo',
    });
    expect(datasetCodec.write(view)).to.equal(text);
    expect(datasetCodec.read('v=0&from=x&to=-1')).to.deep.include({
      v: null,
      from: null,
      to: null,
    });
    const list = datasetListCodec.read('name=air&sort=-num_rows');
    expect(datasetListCodec.write(list)).to.equal('name=air&sort=-num_rows');
  });

  it('say what a version changed', () => {
    const none = { rows_removed: 0, columns_added: 0, columns_removed: 0, columns_renamed: 0 };
    expect(versionText({ ...none, rows_added: 1, rows_edited: 2, columns_added: 1 })).to.equal(
      '1 row added, 2 rows edited, 1 column added',
    );
    expect(versionText({ ...none, rows_added: 0, rows_edited: 0 })).to.equal('no change');
  });
});

describe('the mapping of a dataset', () => {
  const mapping = {
    input: { columns: ['question'], flatten: false },
    output: { columns: ['answer'], flatten: false },
    generated_output: null,
    metadata: { columns: ['lang', 'more'], flatten: true },
    mgt: { toxicity: { columns: ['tox'], flatten: false } },
  };

  it('is read and written without a loss, and edited by role', () => {
    const edited = editedMapping(mapping);
    expect(writtenMapping(edited)).to.deep.equal({
      input: mapping.input,
      output: mapping.output,
      metadata: mapping.metadata,
      mgt: { toxicity: ['tox'] },
    });
    const more = withRoleColumn(edited, 'input', 'answer');
    expect(isSameMapping(more, edited)).to.equal(false);
    expect(isSameMapping(withRoleColumn(more, 'input', 'answer'), edited)).to.equal(true);
    expect(withMetricColumn(edited, 'toxicity', null).metrics).to.deep.equal([]);
    expect(columnPurpose(mapping, 'question')).to.equal('input');
    expect(columnPurpose(mapping, 'tox')).to.equal('toxicity truth');
    expect(columnPurpose(null, 'question')).to.equal(null);
  });

  it('shows a row as an experiment sees it', () => {
    const row = { question: 'To Oslo?', answer: 'Yes', lang: 'en', more: { a: 1 }, tox: 0.5 };
    expect(rowOfExperiment(editedMapping(mapping), row)).to.deep.equal([
      { title: 'Input', text: 'To Oslo?' },
      { title: 'Expected output', text: 'Yes' },
      { title: 'Generated output', text: null },
      { title: 'Metadata', text: 'lang: en\na: 1' },
      { title: 'True toxicity', text: '0.5' },
    ]);
    expect(rowOfExperiment(null, { input: 'by name', output: 'too' })[0]?.text).to.equal('by name');
  });
});

const comparedRows = (dataset: TestDataset): readonly ComparedDatasetRow[] =>
  dataset.rows.map(({ id }, index) => ({
    row_id: id,
    index,
    values: tableOf(dataset).rows[index] ?? [],
  }));

/** Every row of one version beside every row of the other, cell by cell. */
const naiveDifference = (
  before: TestDataset,
  after: TestDataset,
  renames: readonly (readonly [string, string])[],
): DatasetDifference => {
  const counts = { added: 0, removed: 0, edited: 0, same: 0 };
  const rows: DatasetDifference['rows'][number][] = [];
  const oldNameOf = (column: string): string => {
    const pair = renames.find(([, now]) => now === column);
    if (pair !== undefined) return pair[0];
    return renames.some(([old]) => old === column) ? '(new)' : column;
  };
  for (const [to, { id: rowId }] of after.rows.entries()) {
    const from = before.rows.findIndex(({ id }) => id === rowId);
    const old = from < 0 ? {} : cellsOf(before, from);
    const now = cellsOf(after, to);
    const cells = after.columns.flatMap(({ name: column }) => {
      const cell = now[column] ?? null;
      const name = oldNameOf(column);
      const earlier = Object.hasOwn(old, name) ? (old[name] ?? null) : null;
      return JSON.stringify(earlier) === JSON.stringify(cell)
        ? []
        : [{ column, before: earlier, after: cell }];
    });
    const kind = from < 0 ? 'added' : 'edited';
    if (from >= 0 && cells.length === 0) counts.same += 1;
    else {
      counts[kind] += 1;
      rows.push({ rowId, kind, from: from < 0 ? null : from, to, cells });
    }
  }
  for (const [from, { id: rowId }] of before.rows.entries()) {
    if (after.rows.some(({ id }) => id === rowId)) continue;
    counts.removed += 1;
    const old = cellsOf(before, from);
    const cells = before.columns.flatMap(({ name: column }) => {
      const cell = old[column] ?? null;
      return cell === null ? [] : [{ column, before: cell, after: null }];
    });
    rows.push({ rowId, kind: 'removed', from, to: null, cells });
  }
  return { counts, rows };
};
