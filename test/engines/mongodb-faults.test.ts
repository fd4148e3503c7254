import { expect } from 'chai';
import { mapDriverErrors } from '../../engines/mongodb/connect.js';
import { Fault } from '../../kernel/fault.js';

describe('what MongoDB answers when its server dies', () => {
  it('is a Fault also where the driver passes on what the system said', async () => {
    const dead = Object.assign(new Error('This socket has been ended by the other party'), {
      code: 'EPIPE',
    });
    const failure: unknown = await mapDriverErrors(() => Promise.reject(dead)).catch(
      (error) => error,
    );
    expect(failure).to.be.instanceOf(Fault).and.include({ code: 'unavailable', cause: dead });
  });
  it('is a defect where the system said nothing of a socket', async () => {
    const defect = Object.assign(new Error('no such file'), { code: 'ENOENT' });
    const failure: unknown = await mapDriverErrors(() => Promise.reject(defect)).catch(
      (error) => error,
    );
    expect(failure).to.equal(defect);
  });
});
