import { expect } from 'chai';
import { AssayFault } from '../../clients/typescript/src/fault.js';
import { isRefusal, secretOf, writeFault } from '../../console/client/write-faults.js';

describe('the fault of a write', () => {
  it('keeps its key after an unclear end alone', () => {
    for (const code of ['unreachable', 'timeout', 'unavailable', 'internal_error'] as const) {
      expect(isRefusal(new AssayFault('unclear', { code })), code).to.equal(false);
    }
    for (const code of ['invalid_request', 'conflict', 'precondition_failed'] as const) {
      expect(isRefusal(new AssayFault('refused', { code })), code).to.equal(true);
    }
  });

  it('says of a form that was changed after an unclear end that the first was done', () => {
    const complaint = {
      loc: ['header', 'Idempotency-Key'],
      msg: 'Value error, this key was used with another request',
      type: 'value_error',
    };
    const facts = { code: 'invalid_request', status: 422 } as const;
    const fault = writeFault(new AssayFault('invalid', { ...facts, complaints: [complaint] }));
    expect(fault).to.include({ code: 'conflict' });
    expect((fault as AssayFault).message).to.match(/^What you sent before was done after all\./);
    const other = new AssayFault('invalid', facts);
    expect(writeFault(other)).to.equal(other);
  });

  it('never shows the empty secret of an answer that is repeated', () => {
    expect(secretOf('asy_1', 'Make another.')).to.equal('asy_1');
    expect(() => secretOf('', 'Make another.'))
      .to.throw(
        AssayFault,
        'It was made, but the answer with it was lost on its way. Make another.',
      )
      .with.property('code', 'conflict');
  });
});
