import { expect } from 'chai';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { failureMessage } from '../../cli/failure.js';
import { openBus } from '../../engines/memory/bus.js';
import { openEventLog } from '../../engines/sqlite/event-log.js';
import { Fault } from '../../kernel/fault.js';
import { temporaryFolder } from '../support/folder.js';

describe('the error message of a command', () => {
  it('names the file or folder and the next step', () => {
    const crossed = { code: 'SQLITE_CORRUPT' };
    expect(failureMessage(crossed, 'data')).to.match(
      /^the data folder data has a damaged file: read models/,
    );
    expect(failureMessage({ code: 'SQLITE_CANTOPEN' }, 'data')).to.include('read-only, or not');
    expect(failureMessage({ code: 'SQLITE_CANTOPEN_ISDIR' }, 'data')).to.include(
      'is a folder where',
    );
    const loading = { code: 'EMFILE', path: '/opt/assay/dist/chunks/a.js' };
    expect(failureMessage(loading, 'data')).to.match(/^too many open files: raise .* \(EMFILE\)$/);
    const refused = Object.assign(new Error('no'), { code: 'EACCES', path: '/srv/data' });
    expect(failureMessage(refused, '/srv/data/assay')).to.match(
      /^\/srv\/data may not be .* service \(EACCES\)$/,
    );
  });

  it('names the data folder only for its own errors', () => {
    const elsewhere = Object.assign(new Error('no'), { code: 'EEXIST', path: '/tmp/afile' });
    expect(failureMessage(elsewhere, '/srv/data')).to.equal(
      '/tmp/afile is a file: name a folder (EEXIST)',
    );
    const full = Object.assign(new Error('no'), {
      code: 'SQLITE_FULL',
      path: '/backups/log.sqlite',
    });
    expect(failureMessage(full, '/srv/data')).to.equal(
      '/backups/log.sqlite has no room: free space on its volume (SQLITE_FULL)',
    );
  });

  it('advises to restore a damaged log, without retrying', async () => {
    const { dir, remove } = await temporaryFolder();
    await writeFile(join(dir, 'log.sqlite'), 'torn'.repeat(10_000));
    const fault: unknown = await openEventLog({ dir, bus: openBus('damaged') }).catch(
      (error: unknown) => error,
    );
    expect(fault).to.be.instanceOf(Fault).that.has.property('code', 'invalid');
    expect(failureMessage(fault, dir)).to.match(/is damaged; .*see: assay doctor, assay restore$/);
    await remove();
  });

  it('prints the whole cause where it knows no next step', () => {
    expect(failureMessage(new Fault('conflict', 'held'), 'data')).to.equal('held');
    expect(failureMessage({ code: 'ODD' }, 'data')).to.equal('{"code":"ODD"}');
    expect(failureMessage(new TypeError('a defect'), 'data')).to.include('failure.test');
  });
});
