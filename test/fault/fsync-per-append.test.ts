import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { temporaryFolder } from '../support/folder.js';
import { describeWithTool, strace } from '../support/required-tools.js';
import { acknowledgedOf, startWriterProcess } from './writer-process.js';

const appends = 60;

/** Number of syncs by the process and its threads, by the summary of strace. */
const syncsIn = (report: string): number =>
  report
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter((words) => /^(fsync|fdatasync)$/.test(words.at(-1) ?? ''))
    .reduce((sum, words) => sum + Number(words[3]), 0);

describeWithTool(strace, 'appends that come one by one', () => {
  it('are each synced to the disk before they are acknowledged', async () => {
    const { dir, remove } = await temporaryFolder();
    const report = join(dir, 'syncs');
    const counted = [
      'strace',
      '-f',
      '--seccomp-bpf',
      '-c',
      '-e',
      'trace=fsync,fdatasync',
      '-o',
      report,
    ];
    const options = { dir: join(dir, 'log'), writers: 1, bytes: 100, appends };
    const writing = startWriterProcess(counted, options);
    expect(await writing.ended).to.equal(0);
    expect(acknowledgedOf(writing.said)).to.have.length(appends);
    expect(syncsIn(await readFile(report, 'utf8'))).to.be.at.least(appends);
    await remove();
  });
});
