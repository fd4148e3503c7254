import { monitorEventLoopDelay } from 'node:perf_hooks';
import { expect } from 'chai';
import { openOverlapComputer } from '../../engines/overlaps/overlap-computer.js';
import { bleu } from '../../kernel/records/bleu.js';
import { rouge } from '../../kernel/records/rouge.js';

describe('overlap computer', () => {
  it('computes long texts like short ones without blocking the event loop', async () => {
    const overlaps = openOverlapComputer();
    const [output, reference] = ['a b '.repeat(8_000), 'b a a '.repeat(5_000)];
    const wanted = [bleu(output, reference), rouge(output, reference)];
    await overlaps.compute('bleu', output, reference, 'warm');
    const delay = monitorEventLoopDelay({ resolution: 1 });
    delay.enable();
    const begun = performance.now();
    const found = await Promise.all([
      overlaps.compute('bleu', output, reference, 'one'),
      overlaps.compute('rouge', output, reference, 'other'),
    ]);
    const took = performance.now() - begun;
    delay.disable();
    expect(found).to.deep.equal(wanted);
    expect(await overlaps.compute('rouge', 'a b', 'a b', 'one')).to.equal(1);
    // Computed here, the longest delay is nearly all of it.
    expect(delay.max / 1e6).to.be.below(Math.max(50, took / 2));
    expect(await overlaps.compute('rouge', 'a b '.repeat(9_000), 'a b', 'one')).to.equal(null);
    await overlaps.close();
  });
});
