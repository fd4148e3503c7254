import { expect } from 'chai';
import { byCodePoint } from '../../kernel/code-points.js';
import { logStart } from '../../kernel/ports.js';
import type { Records } from '../../kernel/records/records.js';
import type { RecordRow } from '../../kernel/records/record.js';
import {
  awkwardTrace,
  idsOf,
  positionAt,
  putRows,
  scopeOf,
  searchOf,
  traceId,
  traceRow,
} from '../support/record-rows.js';

/** A read model that is rebuilt beside the live one, and what `verify` compares. */
export const recordShadowSuite = (records: () => Records, reopen: () => Promise<void>): void => {
  it('are rebuilt next to the live ones and switched in one step', async () => {
    await putRows(records(), [traceRow(1)]);
    const beside = await records().shadow();
    expect(await beside.model.checkpoint()).to.equal(logStart);
    await putRows(beside.model, [traceRow(2), traceRow(3)]);
    await putRows(records(), [traceRow(4)]);
    expect(await records().count(scopeOf())).to.equal(2);
    await beside.promote();
    expect(idsOf((await records().search(searchOf())).rows)).to.deep.equal([
      traceId(3),
      traceId(2),
    ]);
    expect(await records().checkpoint()).to.equal(positionAt(1));
    await putRows(records(), [traceRow(5)]);
    await reopen();
    expect(await records().count(scopeOf())).to.equal(3);
  });

  it('serve without interruption while they are switched', async () => {
    await putRows(records(), [traceRow(1)]);
    const beside = await records().shadow();
    await putRows(beside.model, [traceRow(1)]);
    const adopting = beside.promote();
    const counts: number[] = [];
    for (let at = 0; at < 50; at += 1) {
      counts.push(...(await Promise.all([0, 1, 2, 3].map(() => records().count(scopeOf())))));
    }
    await adopting;
    expect(counts.filter((count) => count !== 1)).to.deep.equal([]);
  });

  it('stay live after promotion, whatever is done to the copy later', async () => {
    for (const lasting of [false, true]) {
      const beside = await records().shadow({ durable: lasting });
      await putRows(beside.model, [traceRow(1), traceRow(2)]);
      await beside.promote();
      await beside.detach();
      await beside.discard();
      expect(await records().count(scopeOf())).to.equal(2);
      await putRows(records(), [traceRow(3)]);
      await reopen();
      expect(await records().count(scopeOf())).to.equal(3);
    }
  });

  it('may discard a copy and build another', async () => {
    await putRows(records(), [traceRow(1)]);
    const dropped = await records().shadow();
    await putRows(dropped.model, [traceRow(2)]);
    await dropped.discard();
    const kept = await records().shadow();
    expect(await kept.model.count(scopeOf())).to.equal(0);
    await kept.promote();
    expect(await records().count(scopeOf())).to.equal(0);
  });

  it('resume a lasting copy after a restart, and switch to it', async () => {
    await putRows(records(), [traceRow(1)]);
    const begun = await records().shadow({ durable: true });
    const { id } = begun;
    await putRows(begun.model, [traceRow(2)]);
    await begun.detach();
    await reopen();
    const copy = await resumed(records(), id);
    expect(copy.id).to.equal(id);
    expect(await copy.model.checkpoint()).to.equal(positionAt(1));
    await putRows(copy.model, [traceRow(3)]);
    expect(await records().count(scopeOf())).to.equal(1);
    await copy.promote();
    expect(await records().resume(id)).to.equal(null);
    await reopen();
    expect(await records().count(scopeOf())).to.equal(2);
    expect(await records().checkpoint()).to.equal(positionAt(2));
    expect(await records().resume(id)).to.equal(null);
  });

  it('have no lasting copy once it is discarded', async () => {
    await putRows(records(), [traceRow(1)]);
    const begun = await records().shadow({ durable: true });
    const { id } = begun;
    await begun.detach();
    await reopen();
    const copy = await resumed(records(), id);
    expect(await copy.model.count(scopeOf())).to.equal(0);
    await copy.discard();
    expect(await records().resume(id)).to.equal(null);
    expect(await records().count(scopeOf())).to.equal(1);
  });

  it('dump the same rows alike, whatever order they came in', async () => {
    const rows = Array.from({ length: 30 }, (_, at) => awkwardTrace2(at + 1));
    await putRows(records(), rows);
    const beside = await records().shadow();
    for (const row of rows.toReversed()) await putRows(beside.model, [row]);
    const dump = await Array.fromAsync(records().dump());
    expect(await Array.fromAsync(beside.model.dump())).to.deep.equal(dump);
    const keys = dump.map(({ key }) => key);
    expect(keys).to.deep.equal(keys.toSorted(byCodePoint));
    expect(dump).to.have.lengthOf(30);
    await beside.discard();
  });
};

const resumed = async (records: Records, id: string) => {
  const copy = await records.resume(id);
  if (copy === null) throw new Error('the copy is gone');
  return copy;
};

const awkwardTrace2 = (at: number): RecordRow => {
  const { values, ...row } = awkwardTrace();
  const id = traceId(at);
  const trace = traceRow(at, { values: { ...values, id, session_id: id } });
  return { ...row, group: trace.group, values: trace.values };
};
