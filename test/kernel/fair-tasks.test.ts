import { expect } from 'chai';
import { nextFairTask, type TaskClaim } from '../../kernel/fair-tasks.js';

const claim = (creator: string, number: number, owner = `${creator}'s`): TaskClaim => ({
  task: `${creator}${number}`,
  owner,
  creator,
});
const two = { ownerMax: 2, creatorMax: 2 };

describe('the choice of the next validation', () => {
  it('reaches every creator, however many tasks one creator queues', () => {
    const greedy = Array.from({ length: 20 }, (_, at) => claim('a', at, `project ${at}`));
    const waiting = [...greedy, claim('b', 0), claim('c', 0)];
    const order: string[] = [];
    const turns: string[] = [];
    while (order.length < 4) {
      const left = waiting.filter(({ task }) => !order.includes(task));
      const next = nextFairTask(left, [], turns, two);
      if (next === null) throw new Error('nobody is next');
      order.push(next.task);
      turns.push(next.creator);
    }
    expect(order).to.deep.equal(['a0', 'b0', 'c0', 'a1']);
  });

  it('skips a creator with more running tasks, but only while others wait', () => {
    const running = [claim('a', 0, 'one')];
    const more = claim('a', 1, 'two');
    expect(nextFairTask([more, claim('b', 0)], running, ['b', 'a'], two)?.task).to.equal('b0');
    expect(nextFairTask([more], running, ['b', 'a'], two)?.task).to.equal('a1');
  });

  it('allows two tasks of one owner, and two of one creator, at a time', () => {
    const running = [claim('a', 0, 'one'), claim('b', 0, 'one')];
    expect(nextFairTask([claim('c', 0, 'one')], running, [], two)).to.equal(null);
    const own = [claim('a', 0, 'one'), claim('a', 1, 'two')];
    expect(nextFairTask([claim('a', 2, 'three')], own, [], two)).to.equal(null);
  });
});
