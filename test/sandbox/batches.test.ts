import { expect } from 'chai';
import { openScorerRunner } from '../../command-api/run-scoring/scorer-runner.js';
import { scoringBudgets } from '../../command-api/run-scoring/budgets.js';
import type { ScoreResult } from '../../command-api/run-scoring/scorer-steps.js';
import { systemClock } from '../../engines/node/clock.js';
import { neverEnds, sharedSandbox, stepOf } from '../support/sandboxes.js';

const source = `
import os
results = {"long": "x" * 300_000, "flood": "y" * 3_000_000}
def scorer_fn(*, node_output, **kwargs) -> str:
    if node_output == "crash": os._exit(1)
    if node_output == "hang": ${neverEnds}
    if node_output == "hungry": return str(len([bytearray(2**24) for _ in range(1000)]))
    return results.get(node_output, "ok")
`;

describe('a batch of records', () => {
  const judged = async (
    outputs: readonly string[],
    budgets: Partial<typeof scoringBudgets> = {},
  ): Promise<readonly unknown[]> => {
    const judge = openScorerRunner({
      sandbox: sharedSandbox(),
      clock: systemClock,
      budgets: { ...scoringBudgets, ...budgets },
    });
    const found = new Map<number, ScoreResult>();
    let left: readonly number[] = [...outputs.keys()];
    // A process that has not begun in time says nothing of anybody.
    for (let attempt = 0; attempt < 5 && left.length > 0; attempt += 1) {
      const places = left;
      const again = await judge(
        {
          key: 'a',
          whose: 'a',
          source,
          count: places.length,
          stepAt: async (at) =>
            stepOf(0, { node_type: 'trace', output: outputs[places[at] ?? -1] ?? '' }),
          onResults: async (made) =>
            made.forEach((one, at) => void found.set(places[at] ?? -1, one)),
          mayContinue: () => true,
        },
        new AbortController().signal,
      );
      left = again.map((at) => places[at] ?? -1);
    }
    expect(left).to.deep.equal([]);
    return outputs.map((_, place) => {
      const one = found.get(place);
      if (one === undefined) return null;
      return 'code' in one ? one.code : String(one.score).slice(0, 2);
    });
  };

  it('blames those that crash or eat all memory, and scores the others', async () => {
    const found = await judged(['crash', 'a', 'hungry', 'b', 'crash', 'c']);
    expect(found).to.deep.equal([1_001, 'ok', 1_003, 'ok', 1_001, 'ok']);
  }).timeout(60_000);

  it('scores those whose results are too much for one answer together', async () => {
    const found = await judged(['long', 'long', 'long', 'long', 'a', 'flood', 'b']);
    expect(found).to.deep.equal(['xx', 'xx', 'xx', 'xx', 'ok', 1_003, 'ok']);
  }).timeout(60_000);

  it('gives up on a file that hangs three times, and says so of the rest', async () => {
    const found = await judged(['hang', 'hang', 'hang', 'a'], {
      batchMs: 3_000,
      recordMs: 4_000,
      vainMs: 10_000,
    });
    expect(found).to.deep.equal([1_003, 1_003, 1_003, 1_003]);
  }).timeout(60_000);
});
