import { expect } from 'chai';
import { open, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { openSpool } from '../../engines/duckdb/spool.js';
import { temporaryFolder } from '../support/folder.js';

describe('spool', () => {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  let handles: FileHandle;
  let found: Pick<FileHandle, 'read' | 'write'>;
  /** Bytes that one call takes or gives at most. */
  let bytesMax: number;
  beforeEach(async () => {
    folder = await temporaryFolder();
    const file = await open(join(folder.dir, 'any'), 'w');
    await file.close();
    handles = Object.getPrototypeOf(file) as FileHandle;
    found = { read: Reflect.get(handles, 'read'), write: Reflect.get(handles, 'write') };
    bytesMax = Infinity;
    for (const name of ['read', 'write'] as const) {
      Reflect.set(handles, name, function (this: FileHandle, ...given: readonly unknown[]) {
        const [buffer, from, bytes, at] = given as [Buffer, number, number, number];
        return Reflect.apply(found[name], this, [buffer, from, Math.min(bytes, bytesMax), at]);
      });
    }
  });
  afterEach(async () => {
    Object.assign(handles, found);
    await folder.remove();
  });

  it('returns a value that was written in parts', async () => {
    const spool = await openSpool<string>(join(folder.dir, 'spool'));
    bytesMax = 7;
    const values = ['first', 'a second one that is longer', 'third'];
    for (const value of values) await spool.put(value);
    for (const value of values) expect(await spool.take()).to.equal(value);
    expect(await spool.take()).to.equal(null);
    await spool.close();
  });

  it('throws for a value that is incomplete on disk', async () => {
    const spool = await openSpool<string>(join(folder.dir, 'spool'));
    await spool.put('a value');
    bytesMax = 0;
    const refusal = await spool.take().catch((error: unknown) => error);
    expect(refusal).to.be.instanceOf(Error).with.property('message').that.contains('spool');
    await spool.close();
  });
});
