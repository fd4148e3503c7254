import { expect } from 'chai';
import { openBacklog } from '../../command-api/run-scoring/backlog.js';
import type { Position, StreamName } from '../../kernel/ports.js';
import { projectId } from '../support/people.js';

const at = (number: number): Position => number.toString(16).padStart(16, '0') as Position;
const trace = (number: number): StreamName => `trace-${number}` as StreamName;
const [mine, theirs] = [projectId(1), projectId(2)];
const none: ReadonlySet<StreamName> = new Set();

describe('traces that wait to be scored', () => {
  it('are noted for every project, however many one project has', () => {
    const backlog = openBacklog({ each: 3, all: 4 });
    for (let number = 0; number < 10; number += 1) backlog.note(mine, trace(number), at(number));
    backlog.note(theirs, trace(20), at(20));
    backlog.note(theirs, trace(21), at(21));
    expect(backlog.waiting()).to.deep.equal([mine, theirs]);
    expect(backlog.size()).to.equal(4);
    expect(backlog.take(theirs, 5)).to.deep.equal([[trace(20), at(20)]]);
    expect(backlog.take(mine, 5).map(([stream]) => stream)).to.deep.equal([0, 1, 2].map(trace));
    expect(backlog.behind()).to.deep.equal([mine, at(3)]);
    expect(backlog.add(mine, trace(3), at(3))).to.equal(true);
    backlog.caughtUp(mine, at(4), true);
    expect(backlog.behind()).to.deep.equal([theirs, at(21)]);
  });

  it('are kept until their turn is over, and come back where they were', () => {
    const backlog = openBacklog();
    for (const number of [1, 2, 3, 4]) backlog.note(mine, trace(number), at(number));
    const taken = backlog.take(mine, 3);
    expect(backlog.oldest()).to.equal(at(1));
    // Changed while it is scored.
    backlog.note(mine, trace(2), at(9));
    backlog.giveBack(taken, new Set([trace(3)]), new Set([trace(2)]));
    expect(backlog.oldest()).to.equal(at(2));
    const again = backlog.take(mine, 9);
    expect(again).to.deep.equal([
      [trace(3), at(3)],
      [trace(4), at(4)],
      [trace(2), at(2)],
    ]);
    backlog.giveBack(again, none, none);
    expect(backlog.oldest()).to.equal(null);
    expect(backlog.size()).to.equal(0);
    expect(backlog.waiting()).to.deep.equal([]);
  });
});
