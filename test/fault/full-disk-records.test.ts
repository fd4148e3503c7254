import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { temporaryFolder } from '../support/folder.js';
import { describeWithTool, ownMounts } from '../support/required-tools.js';
import type { FullDiskReport } from './records-child.js';

const script = fileURLToPath(new URL('./records-child.js', import.meta.url));
const disk = { mebibytes: 64, fillerMebibytes: 56 };

/** Runs test/fault/records-child.ts on a disk of its own, which is gone with it. */
const runOnFullDisk = async (shown: 'as it is' | 'large'): Promise<FullDiskReport> => {
  const { dir, remove } = await temporaryFolder();
  const mount = `mount -t tmpfs -o size=${disk.mebibytes}m tmpfs "${dir}"`;
  const fill = `head -c ${disk.fillerMebibytes}M /dev/zero > "${dir}/filler"`;
  const words = ['-Urm', 'sh', '-c', `${mount} && ${fill} && exec "$@"`, 'sh', process.execPath];
  const ran = spawnSync('unshare', [...words, script, dir, shown], { encoding: 'utf8' });
  await remove();
  expect(ran.status, ran.stderr).to.equal(0);
  return JSON.parse(ran.stdout) as FullDiskReport;
};

describeWithTool(ownMounts, 'records whose disk has no room for a flush', function () {
  this.timeout(120_000);

  it('are served without a try while the disk shows that it is full', async () => {
    const { refused, incidents, counts } = await runOnFullDisk('as it is');
    expect(refused).to.have.length(3);
    for (const reason of refused)
      expect(reason).to.match(/the records need \d+ bytes of disk for a flush .* \d+ are free/);
    expect(incidents).not.to.include.oneOf(['reopened', 'dropped']);
    expect(counts).to.deep.equal([16, 16, 16]);
  });

  it('are flushed once a pause where a quota refuses what the disk shows as free', async () => {
    const { refused, incidents, counts } = await runOnFullDisk('large');
    expect(refused[0]).to.match(/No space left on device/);
    expect(refused.slice(1)).to.have.length(2);
    for (const reason of refused.slice(1))
      expect(reason).to.match(/quota refused the last flush; the next one is in \d+ s. Make room/);
    expect(incidents.filter((did) => did === 'reopened')).to.have.length(1);
    expect(counts).to.deep.equal([16, 16, 16]);
  });
});
