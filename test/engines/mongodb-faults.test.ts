import { expect } from 'chai';
import { mapDriverErrors } from '../../engines/mongodb/connect.js';
import { Fault } from '../../kernel/fault.js';

describe('MongoDB driver errors', () => {
  it('maps socket errors of the system to a Fault', async () => {
    const dead = Object.assign(new Error('This socket has been ended by the other party'), {
      code: 'EPIPE',
    });
    const failure: unknown = await mapDriverErrors(() => Promise.reject(dead)).catch(
      (error) => error,
    );
    expect(failure).to.be.instanceOf(Fault).and.include({ code: 'unavailable', cause: dead });
  });
  it('passes other system errors on as defects', async () => {
    const defect = Object.assign(new Error('no such file'), { code: 'ENOENT' });
    const failure: unknown = await mapDriverErrors(() => Promise.reject(defect)).catch(
      (error) => error,
    );
    expect(failure).to.equal(defect);
  });
});
