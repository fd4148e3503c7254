import { expect } from 'chai';
import { operations } from '../../contract/all.js';

describe('faults of operations', () => {
  it('include the 409 of contention for every write (contract 1.9)', () => {
    const lacking = operations.filter(
      ({ kind, faults }) => kind === 'w' && !faults.includes('conflict'),
    );
    expect(lacking.map(({ operationId }) => operationId)).to.deep.equal([]);
  });
});
