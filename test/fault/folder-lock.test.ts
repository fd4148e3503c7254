import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect } from 'chai';
import { lockFolder } from '../../engines/sqlite/folder-lock.js';
import { Fault } from '../../kernel/fault.js';
import { idleAwareClock } from '../support/idle-aware-clock.js';
import { temporaryFolder } from '../support/folder.js';

const inline = ['--input-type=module', '-e'];

/** Another process that holds the folder until it dies. */
const startHolder = async (dir: string) => {
  const module = JSON.stringify(
    new URL('../../engines/sqlite/folder-lock.js', import.meta.url).href,
  );
  const code = `const { lockFolder } = await import(${module});
    globalThis.release = lockFolder(${JSON.stringify(dir)});
    process.stdout.write('held');
    setInterval(() => {}, 1_000_000);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', code], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(child.stdout, 'data');
  return child;
};

const refusalOf = (dir: string): unknown => {
  try {
    lockFolder(dir)();
    return null;
  } catch (error) {
    return error;
  }
};

describe('a data folder', () => {
  it('is refused with the system’s error if it is read-only', async () => {
    const { dir, remove } = await temporaryFolder();
    lockFolder(dir)();
    const module = JSON.stringify(
      new URL('../../engines/sqlite/folder-lock.js', import.meta.url).href,
    );
    const code = `const { lockFolder } = await import(${module});
      try { lockFolder(${JSON.stringify(dir)}); }
      catch ({ code }) { process.stdout.write(code); }`;
    const mount = `mount --bind ${dir} ${dir} && mount -o remount,ro,bind ${dir}`;
    const child = spawn(
      'unshare',
      ['-Urm', 'sh', '-c', `${mount} && exec "$@"`, 'sh', process.execPath, ...inline, code],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    );
    const [said] = (await once(child.stdout, 'data')) as [Buffer];
    expect(said.toString('utf8')).to.equal('EROFS');
    await remove();
  });

  it('has one process: another is refused at once, with the reason and what to do', async () => {
    const { dir, remove } = await temporaryFolder();
    const holder = await startHolder(dir);
    const waited = idleAwareClock();
    const refusal = refusalOf(dir);
    expect(waited()).to.be.lessThan(1_000);
    expect(refusal).to.be.instanceOf(Fault).with.property('code', 'conflict');
    expect(refusal)
      .to.have.property('message')
      .that.includes(dir)
      .and.matches(/Stop it first/);
    holder.kill('SIGKILL');
    await once(holder, 'exit');
    await remove();
  });

  it('is free the moment its process is killed, time after time', async () => {
    const { dir, remove } = await temporaryFolder();
    for (let time = 0; time < 5; time += 1) {
      const holder = await startHolder(dir);
      expect(refusalOf(dir)).to.be.instanceOf(Fault);
      holder.kill('SIGKILL');
      await once(holder, 'exit');
      expect(refusalOf(dir)).to.equal(null);
    }
    await remove();
  });

  it('is held by one within a process too, until it is given back', async () => {
    const { dir, remove } = await temporaryFolder();
    const release = lockFolder(dir);
    expect(refusalOf(dir)).to.be.instanceOf(Fault);
    release();
    expect(refusalOf(dir)).to.equal(null);
    await remove();
  });
});
