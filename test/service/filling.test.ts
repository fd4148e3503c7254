import { expect } from 'chai';
import { Fault } from '../../kernel/fault.js';
import { onceWhole } from '../../service/filling.js';

describe('a replica that is not whole yet', () => {
  it('refuses questions until it is, and says when to come back', async () => {
    let reason: string | null = 'filled';
    const records = {
      search: async () => 3,
      dump: async function* () {},
      checkpoint: async () => 'p',
      close: async () => 0,
    };
    const port = onceWhole(records, () => reason);
    const isRefusal = (error: unknown) =>
      expect(error).to.be.instanceOf(Fault).that.includes({
        message: 'The records here are filled',
        code: 'read-model-behind',
        retryAfterSeconds: 1,
      });
    const asked = port.search();
    isRefusal(await asked.catch((error: unknown) => error));
    expect(() => port.dump()).to.throw(Fault, 'The records here are filled');
    expect([await port.checkpoint(), await port.close()]).to.deep.equal(['p', 0]);
    reason = null;
    expect(await port.search()).to.equal(3);
  });
});
