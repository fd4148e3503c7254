import { execFileSync } from 'node:child_process';
import { expect } from 'chai';
import { openBus } from '../../engines/memory/bus.js';
import { openEventLog } from '../../engines/sqlite/event-log.js';
import type { StreamName } from '../../kernel/ports.js';
import { temporaryFolder } from '../support/folder.js';
import { appendOf, newEvent } from '../support/new-events.js';
import { program } from '../support/outside.js';

type Row = Readonly<Record<string, unknown>>;

describe('assay inspect', () => {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  const asked = (...args: readonly string[]): readonly Row[] =>
    execFileSync(process.execPath, [program, 'inspect', ...args, '--json'], {
      env: { ...process.env, ASSAY_DATA_DIR: folder.dir },
      encoding: 'utf8',
    })
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Row);
  before(async () => {
    folder = await temporaryFolder();
    const bus = openBus(folder.dir);
    const log = await openEventLog({ dir: folder.dir, bus });
    const [one, two] = ['trace-1', 'trace-2'] as StreamName[];
    if (one === undefined || two === undefined) throw new Error('no names');
    await log.append([appendOf(one, 'none', newEvent(1), newEvent(2))]);
    await log.append([appendOf(two, 'none', newEvent(3))]);
    await log.append([appendOf(one, 1, newEvent(4))]);
    await log.close();
    await bus.close();
  });
  after(() => folder.remove());

  it('shows the last events of the log or of a stream, the newest first', () => {
    const places = (rows: readonly Row[]) => rows.map(({ stream, revision }) => [stream, revision]);
    expect(places(asked('events', '--limit', '2'))).to.deep.equal([
      ['trace-1', 2],
      ['trace-2', 0],
    ]);
    const own = asked('events', 'trace-1', '--limit', '2');
    expect(own.map(({ revision, data }) => [revision, data])).to.deep.equal([
      [2, '4'],
      [1, '2'],
    ]);
  });

  it('shows streams by their last event, the newest first', () => {
    const rows = asked('streams');
    expect(rows.map(({ stream, events }) => [stream, events])).to.deep.equal([
      ['trace-1', 3],
      ['trace-2', 1],
    ]);
    expect(asked('streams', '--limit', '1')).to.deep.equal(rows.slice(0, 1));
  });
});
