import { expect } from 'chai';
import { failureSaid } from '../../cli/failure.js';
import { Fault } from '../../kernel/fault.js';

describe('what a command says when it fails', () => {
  it('names the file or folder and the next step', () => {
    const crossed = { code: 'SQLITE_CORRUPT' };
    expect(failureSaid(crossed, 'data')).to.match(/^the data folder data has a damaged file: doc/);
    expect(failureSaid({ code: 'SQLITE_CANTOPEN_ISDIR' }, 'data')).to.include('may not open');
    const refused = Object.assign(new Error('no'), { code: 'EACCES', path: '/srv/data' });
    expect(failureSaid(refused, 'data')).to.match(/^\/srv\/data may not be .* \(EACCES\)$/);
  });

  it('says all it knows where it knows no step', () => {
    expect(failureSaid(new Fault('conflict', 'held'), 'data')).to.equal('held');
    expect(failureSaid({ code: 'ODD' }, 'data')).to.equal('{"code":"ODD"}');
    expect(failureSaid(new TypeError('a defect'), 'data')).to.include('failure.test');
  });
});
