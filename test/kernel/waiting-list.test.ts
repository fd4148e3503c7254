import { expect } from 'chai';
import { openTally } from '../../kernel/tally.js';
import { openWaitingList } from '../../kernel/waiting-list.js';

describe('a waiting list', () => {
  it('lets in one by one in the order of coming, and no more than may', async () => {
    const waiting = openWaitingList<string>();
    const order: string[] = [];
    const joined = ['a', 'b', 'c'].map((one) => waiting.join(one).then(() => order.push(one)));
    let places = 2;
    waiting.admit(() => (places -= 1) >= 0);
    await Promise.all(joined.slice(0, 2));
    expect([order, waiting.size()]).to.deep.equal([['a', 'b'], 1]);
  });

  it('passes over whoever may not go yet', async () => {
    const waiting = openWaitingList<string>();
    void waiting.join('a');
    const other = waiting.join('b');
    waiting.admit((one) => one === 'b');
    await other;
    expect(waiting.size()).to.equal(1);
  });

  it('loses who leaves, with the reason of their signal, also before they came', async () => {
    const waiting = openWaitingList<string>();
    const going = new AbortController();
    const left = waiting.join('a', going.signal).catch((error: unknown) => error);
    const why = new Error('gone');
    going.abort(why);
    expect(await left).to.equal(why);
    expect(await waiting.join('b', going.signal).catch((error: unknown) => error)).to.equal(why);
    expect(waiting.size()).to.equal(0);
  });
});

describe('a tally', () => {
  it('knows of which name there are most, and nothing of one that is gone', () => {
    const counts = openTally();
    counts.add('a', 2);
    counts.add('b', 1);
    expect([counts.of('a'), counts.of('c'), counts.most()]).to.deep.equal([2, 0, 'a']);
    counts.add('a', -2);
    expect(counts.most()).to.equal('b');
    counts.add('b', -1);
    expect(counts.most()).to.equal('');
  });
});
