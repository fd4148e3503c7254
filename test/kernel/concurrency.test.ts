import { expect } from 'chai';
import {
  openBatchLoader,
  openMutex,
  openKeyedMutex,
  singleFlight,
  singleFlightByKey,
} from '../../kernel/concurrency.js';

/** Work that ends when it is told to. */
const gated = () => {
  const gates: (() => void)[] = [];
  return {
    work: async (): Promise<void> => {
      await new Promise<void>((resolve) => gates.push(resolve));
    },
    begun: () => gates.length,
    open: (at: number) => gates[at]?.(),
  };
};
const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('mutex, single flight and batch loader', () => {
  it('mutex: runs work one after the other, even after a failure', async () => {
    const inSequence = openMutex();
    const order: string[] = [];
    const failed = inSequence(async () => {
      await turn();
      order.push('first');
      throw new Error('no');
    }).catch(() => order.push('told'));
    await inSequence(async () => {
      order.push('second');
    });
    await failed;
    expect(order).to.deep.equal(['first', 'told', 'second']);
  });

  it('keyed mutex: serialises work per key and does not wait for other keys', async () => {
    const keyedMutex = openKeyedMutex<string>();
    const { work, begun, open } = gated();
    const order: string[] = [];
    const held = keyedMutex(['a', 'b'], work).then(() => order.push('a and b'));
    const after = keyedMutex(['b'], async () => order.push('b'));
    await keyedMutex(['c'], async () => order.push('c'));
    expect([begun(), ...order]).to.deep.equal([1, 'c']);
    open(0);
    await Promise.all([held, after]);
    expect(order).to.deep.equal(['c', 'a and b', 'b']);
  });

  it('single flight: shares a run among callers that came before it started', async () => {
    let looks = 0;
    const look = singleFlight(async () => {
      looks += 1;
      const mine = looks;
      await turn();
      return mine;
    });
    const first = look();
    await Promise.resolve();
    const later = [look(), look()];
    expect([await first, ...(await Promise.all(later))]).to.deep.equal([1, 2, 2]);
  });

  it('keyed single flight: starts after its callers and does not delay other keys', async () => {
    const began: string[] = [];
    const gates = new Map<string, () => void>();
    const look = singleFlightByKey(async (key: string) => {
      began.push(key);
      if (key === 'slow') await new Promise<void>((resolve) => gates.set(key, resolve));
      if (key === 'bad') throw new Error('no');
      return began.length;
    });
    const slow = look('slow');
    await turn();
    const later = [look('slow'), look('slow')];
    expect(await look('other')).to.equal(2);
    expect(await look('other')).to.equal(3);
    const refused = await Promise.allSettled([look('bad'), look('bad')]);
    expect(refused.map(({ status }) => status)).to.deep.equal(['rejected', 'rejected']);
    expect(began).to.deep.equal(['slow', 'other', 'other', 'bad']);
    gates.get('slow')?.();
    await slow;
    await turn();
    gates.get('slow')?.();
    expect(await Promise.all(later)).to.deep.equal([5, 5]);
  });

  it('batch loader: collects the calls of one tick and returns each its result', async () => {
    const asked: string[] = [];
    const ask = openBatchLoader(async (questions: readonly string[]) => {
      asked.push(questions.join());
      if (questions.includes('bad')) throw new Error('no');
      return questions.map((question) => `${question}!`);
    });
    expect(await Promise.all([ask('a'), ask('b'), ask('a')])).to.deep.equal(['a!', 'b!', 'a!']);
    const refused = await Promise.allSettled([ask('c'), ask('bad')]);
    expect(refused.map(({ status }) => status)).to.deep.equal(['rejected', 'rejected']);
    expect(await ask('d')).to.equal('d!');
    expect(asked).to.deep.equal(['a,b,a', 'c,bad', 'd']);
  });
});
