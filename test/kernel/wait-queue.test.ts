import { expect } from 'chai';
import { openCounter } from '../../kernel/counter.js';
import { openWaitQueue } from '../../kernel/wait-queue.js';

describe('a wait queue', () => {
  it('admits in FIFO order, and no more than may enter', async () => {
    const waiting = openWaitQueue<string>();
    const order: string[] = [];
    const joined = ['a', 'b', 'c'].map((one) => waiting.enqueue(one).then(() => order.push(one)));
    let places = 2;
    waiting.admit(() => (places -= 1) >= 0);
    await Promise.all(joined.slice(0, 2));
    expect([order, waiting.size()]).to.deep.equal([['a', 'b'], 1]);
  });

  it('skips items that may not enter yet', async () => {
    const waiting = openWaitQueue<string>();
    void waiting.enqueue('a');
    const other = waiting.enqueue('b');
    waiting.admit((one) => one === 'b');
    await other;
    expect(waiting.size()).to.equal(1);
  });

  it('drops aborted items, even before they are queued, with their signal’s reason', async () => {
    const waiting = openWaitQueue<string>();
    const going = new AbortController();
    const left = waiting.enqueue('a', going.signal).catch((error: unknown) => error);
    const why = new Error('gone');
    going.abort(why);
    expect(await left).to.equal(why);
    expect(await waiting.enqueue('b', going.signal).catch((error: unknown) => error)).to.equal(why);
    expect(waiting.size()).to.equal(0);
  });
});

describe('a counter', () => {
  it('counts by name, and forgets names with count 0', () => {
    const counts = openCounter();
    counts.add('a', 2);
    counts.add('b', 1);
    expect([counts.count('a'), counts.count('b'), counts.count('c')]).to.deep.equal([2, 1, 0]);
    counts.add('a', -2);
    expect(counts.count('a')).to.equal(0);
  });
});
