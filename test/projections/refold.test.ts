import { expect } from 'chai';
import { checkRecordsFile } from '../../engines/duckdb/integrity-check.js';
import type { Decode, Position } from '../../kernel/ports.js';
import { temporaryFolder } from '../support/folder.js';
import { copyAsKilled } from '../support/killed-copy.js';
import { append, newEvent, projectorIn, type OpenProjector } from '../support/projector.js';
import { projectId, traceId, traceStream } from '../support/random-trace-logs.js';
import { traceLoggedEvent } from '../support/trace-logged-event.js';

const updated = (number: number, output: string) =>
  newEvent('TraceUpdated', {
    project_id: projectId,
    trace_id: traceId(number),
    changes: { output },
  });
const deleted = (number: number) =>
  newEvent('TraceDeleted', { project_id: projectId, trace_id: traceId(number) });

describe('records after a kill', () => {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  let open: OpenProjector;
  let isBroken = false;
  const decode: Decode = (type, _schema, data) => {
    if (isBroken && type === 'TraceUpdated') throw new TypeError('unreadable today');
    return data;
  };
  const begin = async (dir: string): Promise<void> => {
    open = await projectorIn({ dir, decode });
  };
  beforeEach(async () => {
    folder = await temporaryFolder();
    isBroken = false;
    await begin(folder.dir);
  });
  afterEach(async () => {
    await open.close();
    await folder.remove();
  });

  const outputOf = async (number: number): Promise<unknown> => {
    const rows = await open.records.rowsByGroup([traceStream(number)]);
    return rows.get(traceStream(number))?.[0]?.values['output'];
  };
  /** Kills the process, of which `flushed` is in the file, and starts it again. */
  const killAndBegin = async (flushed: Position): Promise<void> => {
    const killed = await copyAsKilled(folder.dir);
    const { summary } = await checkRecordsFile(killed.dir, { quick: true });
    expect(summary).to.match(new RegExp(`at ${flushed}$`));
    await open.close();
    await folder.remove();
    folder = killed;
    await begin(folder.dir);
    await open.untilCaughtUp();
  };

  it('are folded again from the last flush, each event once', async () => {
    for (const number of [1, 2, 3])
      await append(open.log, traceStream(number), 0, traceLoggedEvent(number));
    const flushed = await open.untilCaughtUp();
    await open.records.flush?.();
    await append(open.log, traceStream(1), 1, updated(1, 'done'));
    await append(open.log, traceStream(2), 1, deleted(2));
    await append(open.log, traceStream(4), 0, traceLoggedEvent(4));
    const reached = await open.untilCaughtUp();
    const before = await Array.fromAsync(open.records.dump());
    await killAndBegin(flushed);
    expect(await open.records.checkpoint()).to.equal(reached);
    expect(await Array.fromAsync(open.records.dump())).to.deep.equal(before);
    expect(await outputOf(1)).to.equal('done');
    expect(await outputOf(2)).to.equal(undefined);
    const verified = await open.projector.verify('records');
    expect(verified.map(({ difference }) => difference)).to.deep.equal([null]);
  });

  it('have the events of a stream that was unparked before the kill', async () => {
    await append(open.log, traceStream(1), 0, traceLoggedEvent(1));
    isBroken = true;
    await append(open.log, traceStream(1), 1, updated(1, 'late'));
    await append(open.log, traceStream(2), 0, traceLoggedEvent(2));
    const parkedAt = await open.untilCaughtUp();
    expect((await open.projector.parked()).map(({ stream }) => stream)).to.deep.equal([
      traceStream(1),
    ]);
    await open.records.flush?.();
    isBroken = false;
    expect(await open.projector.retry('records', traceStream(1))).to.equal(true);
    await killAndBegin(parkedAt);
    expect(await open.projector.parked()).to.deep.equal([]);
    expect(await outputOf(1)).to.equal('late');
    await append(open.log, traceStream(1), 2, updated(1, 'later'));
    await open.untilCaughtUp();
    expect(await outputOf(1)).to.equal('later');
  });
});
