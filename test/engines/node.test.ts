import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import * as fc from 'fast-check';
import { systemClock } from '../../engines/node/clock.js';
import { diskFiles } from '../../engines/node/files.js';
import { randomIds } from '../../engines/node/ids.js';
import { runs } from '../support/runs.js';
import { temporaryFolder } from '../support/folder.js';

const version4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

describe('clock', () => {
  it("returns the machine's time in canonical form, to the microsecond", () => {
    const earliest = Date.now() - 5;
    const instants = Array.from({ length: 1_000 }, () => systemClock.now());
    const latest = Date.now() + 5;
    for (const instant of instants) {
      expect(instant).to.match(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
      expect(Date.parse(instant)).to.be.within(earliest, latest);
    }
  });

  it('waits, but not for an aborted signal', async () => {
    const controller = new AbortController();
    const begun = systemClock.milliseconds();
    await systemClock.wait(5, controller.signal);
    expect(systemClock.milliseconds() - begun).to.be.at.least(4);
    const waiting = systemClock.wait(1_000_000, controller.signal);
    controller.abort();
    await waiting;
    await systemClock.wait(1_000_000, controller.signal);
  });

  it('measures with a clock that never goes back', () => {
    const measured = Array.from({ length: 1_000 }, () => systemClock.milliseconds());
    expect(measured).to.deep.equal(measured.toSorted((one, other) => one - other));
  });
});

describe('ids', () => {
  it('are uuids of the version-4 layout, random or derived', () => {
    const parts = fc.array(fc.string({ unit: 'binary' }));
    fc.assert(
      fc.property(parts, (all) => {
        expect(randomIds.derive('Thing', ...all)).to.match(version4);
        expect(randomIds.next('Thing')).to.match(version4);
      }),
      { numRuns: runs(200) },
    );
  });

  it('are derived alike from the same parts and from no others', () => {
    const derived = [
      randomIds.derive('A', 'ab', 'c'),
      randomIds.derive('A', 'a', 'bc'),
      randomIds.derive('A', 'abc'),
      randomIds.derive('A', 'ab', 'c', ''),
      randomIds.derive('B', 'ab', 'c'),
    ];
    expect(new Set(derived).size).to.equal(derived.length);
    expect(randomIds.derive('A', 'ab', 'c')).to.equal(derived[0]);
  });

  it('stay as they were: derived ones are stored', () => {
    expect(randomIds.derive('EventId', 'request', 'stream', '0')).to.equal(
      '5c719433-c39e-4720-a41d-68e4517bff70',
    );
  });
});

describe('files', () => {
  let dir = '';
  let remove = async (): Promise<void> => {};
  beforeEach(async () => {
    ({ dir, remove } = await temporaryFolder());
  });
  afterEach(() => remove());

  it('are null until they are written, then complete, for the owner only', async () => {
    const path = join(dir, 'new', 'folder', 'key');
    expect(await diskFiles.read(path)).to.equal(null);
    await diskFiles.write(path, Buffer.from('first, and longer'));
    await diskFiles.write(path, Buffer.from('second'));
    expect(Buffer.from((await diskFiles.read(path)) ?? []).toString()).to.equal('second');
    expect((await stat(path)).mode & 0o777).to.equal(0o600);
    expect((await stat(join(dir, 'new'))).mode & 0o777).to.equal(0o700);
    expect(await readdir(join(dir, 'new', 'folder'))).to.deep.equal(['key']);
  });

  it('are unchanged when a write fails, whatever a crash left beside', async () => {
    const path = join(dir, 'key');
    await diskFiles.write(path, Buffer.from('first'));
    await writeFile(`${path}.new`, 'torn', { mode: 0o644 });
    await diskFiles.write(path, Buffer.from('second'));
    expect((await stat(path)).mode & 0o777).to.equal(0o600);
    await mkdir(`${path}.new`);
    const failed = await diskFiles
      .write(path, Buffer.from('third'))
      .catch((error: unknown) => error);
    expect(failed).to.be.instanceOf(Error);
    expect((await readFile(path)).toString()).to.equal('second');
  });
});
