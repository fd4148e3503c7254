import { expect } from 'chai';
import { nextOf, type Claim } from '../../command-api/scorer-tasks/fair.js';

const claim = (creator: string, number: number, owner = `${creator}'s`): Claim => ({
  task: `${creator}${number}`,
  owner,
  creator,
});

describe('turns of validations', () => {
  it('come to everybody, however many one asks for', () => {
    const greedy = Array.from({ length: 20 }, (_, at) => claim('a', at, `project ${at}`));
    const waiting = [...greedy, claim('b', 0), claim('c', 0)];
    const order: string[] = [];
    const turns: string[] = [];
    while (order.length < 4) {
      const left = waiting.filter(({ task }) => !order.includes(task));
      const next = nextOf(left, [], turns, 2);
      if (next === null) throw new Error('nobody is next');
      order.push(next.task);
      turns.push(next.creator);
    }
    expect(order).to.deep.equal(['a0', 'b0', 'c0', 'a1']);
  });

  it('pass by who has more running while others wait, and no longer', () => {
    const running = [claim('a', 0, 'one')];
    const more = claim('a', 1, 'two');
    expect(nextOf([more, claim('b', 0)], running, ['b', 'a'], 2)?.task).to.equal('b0');
    expect(nextOf([more], running, ['b', 'a'], 2)?.task).to.equal('a1');
  });

  it('are for two of one owner at a time', () => {
    const running = [claim('a', 0, 'one'), claim('b', 0, 'one')];
    expect(nextOf([claim('c', 0, 'one')], running, [], 2)).to.equal(null);
  });
});
