import { expect } from 'chai';
import { madeOf } from '../../command-api/run-scoring/batch.js';
import type { Made } from '../../command-api/run-scoring/scoring.js';
import type { SandboxLimits } from '../../kernel/sandbox.js';
import { sandboxOf, stepOf } from '../support/sandboxes.js';

const source = `
import os, time
results = {"long": "x" * 300_000, "flood": "y" * 3_000_000}
def scorer_fn(*, node_output, **kwargs) -> str:
    if node_output == "crash": os._exit(1)
    if node_output == "hang": time.sleep(1000)
    if node_output == "hungry": return str(len([bytearray(2**24) for _ in range(1000)]))
    return results.get(node_output, "ok")
`;

describe('a batch of records', () => {
  const judged = async (
    outputs: readonly string[],
    limits: Partial<SandboxLimits> = {},
  ): Promise<readonly unknown[]> => {
    const sandbox = sandboxOf('strict', limits);
    const steps = outputs.map((output, index) => stepOf(index, { node_type: 'trace', output }));
    const made = await madeOf(sandbox, { source }, steps, new AbortController().signal);
    await sandbox.close();
    return (made ?? []).map((one: Made) =>
      'code' in one ? one.code : String(one.score).slice(0, 2),
    );
  };

  it('blames those that crash or eat all memory, and scores the others', async () => {
    const found = await judged(['crash', 'a', 'crash', 'hungry', 'b', 'crash', 'crash', 'c']);
    expect(found).to.deep.equal([1_001, 'ok', 1_001, 1_003, 'ok', 1_001, 1_001, 'ok']);
  }).timeout(60_000);

  it('scores those whose results are too much for one answer together', async () => {
    const found = await judged(['long', 'long', 'long', 'long', 'a', 'flood', 'b']);
    expect(found).to.deep.equal(['xx', 'xx', 'xx', 'xx', 'ok', 1_003, 'ok']);
  }).timeout(60_000);

  it('gives up on a file that hangs three times, and says so of the rest', async () => {
    const found = await judged(['hang', 'hang', 'hang', 'a'], { wallMs: 6_000 });
    expect(found).to.deep.equal([1_003, 1_003, 1_003, 1_003]);
  }).timeout(60_000);
});
