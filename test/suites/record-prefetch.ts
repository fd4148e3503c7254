import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect } from 'chai';
import type { Records, RecordWrites } from '../../kernel/records/records.js';
import type { RecordRow } from '../../kernel/records/record.js';
import { uuid } from '../support/record-generators.js';
import {
  groupsOf,
  markAt,
  put,
  putRows,
  searchOf,
  sessionRow,
  spanRow,
  traceRow,
} from '../support/record-rows.js';

const writesOf = (rows: readonly RecordRow[], more: Partial<RecordWrites> = {}): RecordWrites => ({
  groups: groupsOf(rows),
  deletedRuns: [],
  deletedProjects: [],
  ...more,
});
const traceWith = (at: number, text: string, values: RecordRow['values'] = {}): RecordRow => {
  const cell = { value: at, rolledUp: false };
  const first = { ...cell, first: { at: `${at}`, type: 'integer' as const, fraction: false } };
  const members = { metrics: { cost: cell, [text]: first }, userMetadata: { [text]: text } };
  return traceRow(at, { ...members, values: { ...values, input: text } });
};

/** Writes that are prefetched while others are applied, or before others. */
export const recordPrefetchSuite = (records: () => Records, reopen: () => Promise<void>): void => {
  const stored = async (): Promise<unknown> => {
    const found = await Promise.all(
      (['trace', 'span', 'session'] as const).map((population) =>
        records().search(searchOf({ population })),
      ),
    );
    return [found.map(({ rows }) => rows), await Array.fromAsync(records().dump())];
  };
  /** Applies the prefetched writes themselves. */
  const applyNext = async (writes: RecordWrites): Promise<void> => {
    const at = Number.parseInt(await records().checkpoint(), 16) + 1;
    await records().apply(writes, markAt(at));
  };
  /** The stored rows after applying without prefetch. */
  const usual = async (rows: readonly RecordRow[], before: readonly RecordRow[]) => {
    const copy = await records().shadow();
    await putRows(copy.model, before);
    await putRows(copy.model, rows);
    const dump = await Array.fromAsync(copy.model.dump());
    await copy.discard();
    return dump;
  };

  it('are prepared while others are applied, and give the same rows', async () => {
    const first = [traceWith(1, 'known'), spanRow(traceWith(1, 'known'), 1)];
    await putRows(records(), first);
    const batches = [2, 3, 4].map((at) => {
      const trace = traceWith(at, 'known', { name: `${at}`, output: 'ΟΔΟΣ' });
      return [trace, spanRow(trace, 1), spanRow(trace, 2), sessionRow(at)];
    });
    let applied: Promise<void> = Promise.resolve();
    for (const [at, rows] of batches.entries()) {
      const writes = writesOf(rows);
      // The previous apply has begun.
      await nextTurn();
      await records().prefetch(writes);
      await applied;
      applied = records().apply(writes, markAt(2 + at));
    }
    await applied;
    const dump = await Array.fromAsync(records().dump());
    expect(dump).to.deep.equal(await usual(batches.flat(), first));
    const before = await stored();
    await reopen();
    expect(await stored()).to.deep.equal(before);
  });

  it('are invisible before they are applied, and if they never are', async () => {
    await putRows(records(), [traceWith(1, 'known')]);
    const before = await stored();
    await records().prefetch(writesOf([traceWith(2, 'known'), traceWith(3, 'new')]));
    expect(await stored()).to.deep.equal(before);
    await putRows(records(), [traceWith(2, 'new')]);
    expect(await Array.fromAsync(records().dump())).to.deep.equal(
      await usual([traceWith(2, 'new')], [traceWith(1, 'known')]),
    );
  });

  it('leave out what was deleted after they were prepared', async () => {
    const [run, project] = [uuid(2, 2), uuid(1, 2)];
    await putRows(records(), [
      traceWith(1, 'known'),
      traceWith(2, 'known', { run_id: run }),
      traceWith(3, 'known', { project_id: project }),
    ]);
    const late = [
      [traceWith(4, 'known'), traceWith(5, 'known', { run_id: run })],
      [traceWith(6, 'known'), traceWith(7, 'known', { project_id: project })],
    ].map((rows) => writesOf(rows));
    const deletions = [{ deletedRuns: [run] }, { deletedProjects: [project] }];
    for (const [at, writes] of late.entries()) {
      await records().prefetch(writes);
      await put(records(), deletions[at] ?? {});
      await applyNext(writes);
    }
    const left = (await Array.fromAsync(records().dump())).map(({ key }) => key.split(' ')[0]);
    expect([...new Set(left)]).to.have.members([1, 4, 6].map((at) => traceRow(at).group));
  });

  it('have the columns of names that others added meanwhile', async () => {
    await putRows(records(), [traceWith(1, 'known')]);
    const writes = writesOf([traceWith(2, 'new'), traceWith(3, 'known')]);
    await records().prefetch(writes);
    await putRows(records(), [traceWith(4, 'new'), traceWith(5, 'other')]);
    await applyNext(writes);
    const dump = await Array.fromAsync(records().dump());
    const before = [1, 4, 5].map((at) => traceWith(at, { 1: 'known', 4: 'new' }[at] ?? 'other'));
    expect(dump).to.deep.equal(await usual([traceWith(2, 'new'), traceWith(3, 'known')], before));
  });

  it('are applied again when they were refused', async () => {
    await putRows(records(), [traceWith(1, 'known')]);
    await records().apply(writesOf([]), markAt(2, 2));
    const writes = writesOf([traceWith(2, 'known')]);
    await records().prefetch(writes);
    const refused = await records()
      .apply(writes, markAt(3, 1))
      .then(
        () => null,
        (error: unknown) => error,
      );
    expect(refused).to.have.property('code', 'conflict');
    await records().apply(writes, markAt(3, 2));
    expect(await Array.fromAsync(records().dump())).to.deep.equal(
      await usual([traceWith(2, 'known')], [traceWith(1, 'known')]),
    );
  });
};
