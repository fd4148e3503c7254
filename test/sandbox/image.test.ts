import { stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { openImage } from '../../engines/sandbox/image.js';
import { temporaryFolder } from '../support/folder.js';

describe('the image that scorers run from', () => {
  it('stays where it is when another process has made one too', async () => {
    const { dir, remove } = await temporaryFolder();
    let isMade = (): void => undefined;
    const made = new Promise<void>((resolve) => (isMade = resolve));
    const late = openImage(dir, async () => {
      await made;
      return Buffer.from('snapshot');
    });
    const { dir: app } = await openImage(dir, async () => Buffer.from('snapshot'));
    const { ino } = await stat(app);
    isMade();
    expect((await late).dir).to.equal(app);
    expect((await stat(app)).ino).to.equal(ino);
    await remove();
  });

  it('is rebuilt when one of its files changed', async () => {
    const { dir, remove } = await temporaryFolder();
    const open = () => openImage(dir, async () => Buffer.from('snapshot'));
    const { dir: app } = await open();
    const { ino } = await stat(app);
    expect(await open().then((image) => stat(image.dir))).to.have.property('ino', ino);
    await writeFile(join(app, 'inside.mjs'), 'another program');
    const { size } = await stat(join((await open()).dir, 'inside.mjs'));
    expect(size).to.be.greaterThan(100);
    await remove();
  });
});
