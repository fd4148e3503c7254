import { expect } from 'chai';
import { columnNamesMax } from '../../kernel/records/column-names.js';
import type { Records } from '../../kernel/records/records.js';
import { comparedCharactersMax, type MetadataEntryPlan } from '../../kernel/records/query-plans.js';
import { uuid } from '../support/record-generators.js';
import {
  project,
  put,
  putRows,
  run,
  sessionId,
  sessionRow,
  spanRow,
  traceId,
  traceRow,
} from '../support/record-rows.js';

const other = uuid(1, 2);
const odd = '1,001st. $key/"\'%\\\0 🎉';
const plan = (changes: Partial<MetadataEntryPlan> = {}): MetadataEntryPlan => ({
  project,
  population: 'trace',
  key: odd,
  value: 'Wanted',
  limit: 1_000,
  ...changes,
});

/** Column limit of a project. */
const allColumns = Object.fromEntries(
  Array.from({ length: columnNamesMax }, (_, at) => [`key ${at}`, 'Wanted']),
);

/** Queries that select records for deletion (contract 5.7, 5.13). */
export const recordSelectionSuite = (records: () => Records, reopen: () => Promise<void>): void => {
  const having = async (changes: Partial<MetadataEntryPlan> = {}): Promise<readonly string[]> => {
    const found = await records().recordsWithEntry(plan(changes));
    return found.map(({ id }) => id).sort();
  };

  it('match an entry exactly, whether its key is a column or not', async () => {
    expect(await having()).to.deep.equal([]);
    await putRows(records(), [traceRow(0, { userMetadata: allColumns })]);
    const entry = { [odd]: 'Wanted' };
    const trace = traceRow(1, { userMetadata: { ...entry, 'key 7': 'Wanted' }, spanCount: 1 });
    await putRows(records(), [
      trace,
      spanRow(trace, 1, { userMetadata: entry }),
      sessionRow(2, { userMetadata: entry }),
      traceRow(3, { userMetadata: { [odd]: 'wanted', [odd.toUpperCase()]: 'Wanted' } }),
      traceRow(4, { userMetadata: { [`${odd}","Wanted`]: '', Wanted: odd } }),
      traceRow(5, { userMetadata: entry, values: { project_id: other } }),
    ]);
    const check = async (): Promise<void> => {
      expect(await records().recordsWithEntry(plan())).to.deep.equal([
        { id: traceId(1), spanCount: 1 },
      ]);
      expect(await having({ population: 'session' })).to.deep.equal([sessionId(2)]);
      expect(await having({ value: 'wanted' })).to.deep.equal([traceId(3)]);
      expect(await having({ key: odd.toUpperCase() })).to.deep.equal([traceId(3)]);
      expect(await having({ project: other })).to.deep.equal([traceId(5)]);
      expect(await having({ project: uuid(1, 3) })).to.deep.equal([]);
      expect(await having({ key: 'key 7' })).to.deep.equal([traceId(0), traceId(1)]);
      expect(await having({ key: 'key 7', value: 'wanted' })).to.deep.equal([]);
      expect(await having({ key: 'key 7', limit: 1 })).to.have.lengthOf(1);
    };
    await check();
    await reopen();
    await check();
  });

  it('compare the whole of long values', async () => {
    const value = '🎉'.repeat(comparedCharactersMax - 1);
    for (const beyond of [false, true]) {
      if (beyond) await putRows(records(), [traceRow(0, { userMetadata: allColumns })]);
      const key = beyond ? 'beyond' : 'column';
      const values = ['', 'x', 'xx', 'xy'].map((end) => `${value}${end}`);
      const first = beyond ? 10 : 20;
      const rows = values.map((one, at) => traceRow(first + at, { userMetadata: { [key]: one } }));
      await putRows(records(), rows);
      for (const [at, one] of values.entries()) {
        expect(await having({ key, value: one })).to.deep.equal([traceId(first + at)]);
      }
    }
  });

  it('match no entry of replaced or deleted records', async () => {
    await putRows(records(), [traceRow(0, { userMetadata: allColumns })]);
    const entry = { [odd]: 'Wanted' };
    const rows = [1, 2, 3, 4].map((at) => traceRow(at, { userMetadata: entry }));
    await putRows(records(), rows);
    const [one, two, three] = rows.map(({ group }) => group);
    if (one === undefined || two === undefined || three === undefined) throw new TypeError('rows');
    const copies = { isComplete: true, annotators: [] };
    await put(records(), {
      groups: [
        { group: one, fresh: false, rows: [traceRow(1, { userMetadata: { [odd]: 'another' } })] },
        {
          group: two,
          fresh: false,
          rows: [traceRow(2, { userMetadata: entry })],
          partial: { inherited: copies },
        },
        { group: three, fresh: false, rows: [] },
      ],
    });
    expect(await having()).to.deep.equal([traceId(2), traceId(4)]);
    expect(await having({ value: 'another' })).to.deep.equal([traceId(1)]);
    await put(records(), { deletedRuns: [run] });
    expect(await having()).to.deep.equal([]);
  });

  it('return what deletion needs of traces of sessions, and only those', async () => {
    const inSession = (at: number, session: number) =>
      traceRow(at, { values: { session_id: sessionId(session) }, spanCount: at });
    const traces = [inSession(1, 1), inSession(2, 1), inSession(3, 2), traceRow(4)];
    await putRows(records(), [...traces, ...traces.map((trace) => spanRow(trace, 1))]);
    const asked = [1, 3, 2].map(sessionId);
    const found = async (sessions: readonly string[], tracesMax: number) =>
      (await records().tracesOfSessions({ project, sessions, tracesMax })).map((one) => ({
        session: one.session,
        traces: one.traces.toSorted((left, right) => left.spanCount - right.spanCount),
      }));
    const size = (at: number) => ({ id: traceId(at), spanCount: at });
    const first = { session: sessionId(1), traces: [size(1), size(2)] };
    const empty = { session: sessionId(3), traces: [] };
    const second = { session: sessionId(2), traces: [size(3)] };
    expect(await found(asked, 3)).to.deep.equal([first, empty, second]);
    // Whole sessions, at least one.
    expect(await found(asked, 2)).to.deep.equal([first, empty]);
    expect(await found(asked, 1)).to.deep.equal([first]);
    expect(await found([traceId(4)], 9)).to.deep.equal([{ session: traceId(4), traces: [] }]);
    expect(
      await records().tracesOfSessions({ project: other, sessions: [sessionId(1)], tracesMax: 9 }),
    ).to.deep.equal([{ session: sessionId(1), traces: [] }]);
  });
};
