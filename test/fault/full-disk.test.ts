import { appendFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { temporaryFolder } from '../support/folder.js';
import { describeWithTool, ownMounts } from '../support/required-tools.js';
import { pollUntil } from '../support/poll-until.js';
import {
  acknowledgedOf,
  refusalsOf,
  startWriterProcess,
  type WriterProcess,
} from './writer-process.js';

const diskMebibytes = 12;

/** Takes what room there is on the disk that only the writing process sees. */
const fill = (file: string): void => {
  for (const bytes of [65_536, 4_096]) {
    for (;;) {
      try {
        appendFileSync(file, Buffer.alloc(bytes));
      } catch {
        break;
      }
    }
  }
};

describeWithTool(ownMounts, 'a log whose disk is full', function () {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  let writing: WriterProcess;
  let filler: string;

  before(async () => {
    folder = await temporaryFolder();
    const mount = `mount -t tmpfs -o size=${diskMebibytes}m tmpfs "${folder.dir}"`;
    const apart = ['unshare', '-Urm', 'sh', '-c', `${mount} && exec "$@"`, 'sh'];
    writing = startWriterProcess(apart, { dir: folder.dir, writers: 4, bytes: 20_000, appends: 0 });
    await pollUntil('the first events are in', 10_000, async () => writing.said.length > 20);
    filler = join(`/proc/${writing.child.pid}/root`, folder.dir, 'filler');
    fill(filler);
    await pollUntil(
      'an append is refused',
      10_000,
      async () => refusalsOf(writing.said).length > 0,
    );
  });
  after(async () => {
    writing.child.kill('SIGKILL');
    await writing.ended;
    await folder.remove();
  });

  it('refuses appends with Retry-After, and knows the cause', () => {
    const [first] = refusalsOf(writing.said);
    expect(first).to.include({ code: 'unavailable', writable: false, fatal: false });
    expect(first?.again).to.be.greaterThan(0);
    expect(first?.cause).to.match(/SQLITE_FULL/);
  });

  it('accepts appends within 5 s of free space, in the same process', async () => {
    const before = acknowledgedOf(writing.said).length;
    rmSync(filler);
    await pollUntil('an append is acknowledged', 5_000, async () => {
      return acknowledgedOf(writing.said).length > before;
    });
  });

  it('has all that it acknowledged, once, and nothing that it refused', async () => {
    writing.finish();
    expect(await writing.ended).to.equal(0);
    const last = writing.said.at(-1);
    const stored = last !== undefined && 'stored' in last ? last.stored : [];
    expect([...stored].sort()).to.deep.equal([...acknowledgedOf(writing.said)].sort());
  });
});
