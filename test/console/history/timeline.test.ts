import { expect } from 'chai';
import type { HistoryEntry } from '../../../clients/typescript/src/generated/history-types.js';
import {
  changeText,
  entryIndexAt,
  groupEntries,
  memberChanges,
  nextOpen,
} from '../../../console/history/model.js';
import { recordHistoryCodec, timelineCodec } from '../../../console/history/state.js';

const entry = (seq: number, correlation: string | null): HistoryEntry =>
  ({
    seq,
    correlation_id: correlation,
    position: seq.toString(16).padStart(16, '0'),
    at: `2026-03-01T09:00:0${seq}.000000Z`,
  }) as HistoryEntry;

describe('the timeline of the history', () => {
  it('groups entries of one correlation where the first of them stands, each once', () => {
    const entries = [entry(5, 'a'), entry(4, 'b'), entry(3, 'a'), entry(3, 'a'), entry(2, null)];
    const groups = groupEntries(entries).map((group) => group.entries.map(({ seq }) => seq));
    expect(groups).to.deep.equal([[5, 3], [4], [2]]);
    expect([null, '5', '3', '2'].map((open) => nextOpen(entries, open, 1))).to.deep.equal([
      '5',
      '3',
      '4',
      '2',
    ]);
  });

  it('shows members before and after, texts by size, and says which stayed', () => {
    const text = { sha256: 'ab'.repeat(32), bytes: 12_288 };
    const other = { sha256: 'cd'.repeat(32), bytes: 5 };
    const changes = memberChanges(
      { name: 'old', input: text, output: text, a: { b: 1 } },
      { name: 'new', input: text, output: other, a: { b: null, c: [text] } },
    );
    expect(changes.map((change) => `${change.path}: ${changeText(change)}`)).to.deep.equal([
      'name: old → new',
      'input: 12 KB, unchanged',
      'output: 12 KB, abababab… → 5 B, cdcdcdcd…',
      'a / b: 1 → –',
      'a / c: ["12 KB, abababab…"]',
    ]);
    expect(memberChanges(null, null)).to.deep.equal([]);
  });

  it('finds the entry of a position or an instant', () => {
    const entries = [entry(1, null), entry(3, null)];
    const find = (at: string | null) => entryIndexAt(entries, at);
    expect(find(null)).to.equal(1);
    expect(find('0000000000000000')).to.equal(-1);
    expect(find('0000000000000002')).to.equal(0);
    expect(find('2026-03-01T09:00:03.000000Z')).to.equal(1);
  });

  it('keeps filters and the open entry in the address', () => {
    const view = {
      ...timelineCodec.read(''),
      who: ['5c0d9d8e-1f0a-4a53-9d4b-3f1f6a1f7a20'],
      type: ['RatingGiven', 'DatasetRenamed'],
      technical: 'on' as const,
      sel: '4180',
    };
    expect(timelineCodec.read(timelineCodec.write(view))).to.deep.equal(view);
    const record = { project: null, at: '00000000000005a1', sel: null, prove: 'on' as const };
    expect(recordHistoryCodec.read(recordHistoryCodec.write(record))).to.deep.equal(record);
  });
});
