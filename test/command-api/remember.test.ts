import { expect } from 'chai';
import { openMemory } from '../../command-api/access/remember.js';

describe('remembered rights', () => {
  it('are forgotten at the first hint, and only a few times in a flood of hints', async () => {
    let waits: (() => void)[] = [];
    const memory = openMemory({
      milliseconds: () => 0,
      wait: () => new Promise((resolve) => waits.push(resolve)),
    });
    let asked = 0;
    const remember = memory.remembering<number>();
    const ask = (): Promise<number> => remember('one', async () => (asked += 1));
    await ask();
    expect(await ask()).to.equal(1);
    memory.forgetSoon();
    expect(await ask()).to.equal(2);
    for (let count = 0; count < 1_000; count += 1) memory.forgetSoon();
    expect(await ask()).to.equal(2);
    const [rested] = waits;
    waits = [];
    rested?.();
    await Promise.resolve();
    // The last of them may have been true.
    expect(await ask()).to.equal(3);
    expect(waits).to.have.length(1);
  });

  it('are forgotten whenever this process changed something', async () => {
    const memory = openMemory({ milliseconds: () => 0, wait: () => new Promise(() => undefined) });
    let asked = 0;
    const remember = memory.remembering<number>();
    for (let count = 1; count <= 3; count += 1) {
      expect(await remember('one', async () => (asked += 1))).to.equal(count);
      memory.forget();
    }
  });
});
