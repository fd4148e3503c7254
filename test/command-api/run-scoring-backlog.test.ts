import { expect } from 'chai';
import { openBacklog, type PendingTrace } from '../../command-api/run-scoring/backlog.js';
import type { Position, StreamName } from '../../kernel/ports.js';
import type { RunId } from '../../kernel/schema-types.js';
import { projectId } from '../support/access-events.js';

const at = (number: number): Position => number.toString(16).padStart(16, '0') as Position;
const run = 'r' as RunId;
const noted = (number: number, of: RunId | null = run): PendingTrace => ({
  before: at(number),
  run: of,
});
const trace = (number: number): StreamName => `trace-${number}` as StreamName;
const [mine, theirs] = [projectId(1), projectId(2)];
const none: ReadonlySet<StreamName> = new Set();

describe('scoring backlog', () => {
  it('queues traces of every project, even when one project fills its queue', () => {
    const backlog = openBacklog({ perProject: 3, total: 4 });
    for (let number = 0; number < 10; number += 1) backlog.note(mine, trace(number), noted(number));
    backlog.note(theirs, trace(20), noted(20));
    backlog.note(theirs, trace(21), noted(21));
    expect(backlog.waiting()).to.deep.equal([mine, theirs]);
    expect(backlog.size()).to.equal(4);
    expect(backlog.take(theirs, 5)).to.deep.equal([[trace(20), noted(20)]]);
    expect(backlog.take(mine, 5).map(([stream]) => stream)).to.deep.equal([0, 1, 2].map(trace));
    expect(backlog.behind()).to.deep.equal([mine, at(3)]);
    expect(backlog.add(mine, trace(3), noted(3))).to.equal(true);
    backlog.caughtUp(mine, at(4), true);
    expect(backlog.behind()).to.deep.equal([theirs, at(21)]);
  });

  it('keeps taken traces until they are given back, at their old place', () => {
    const backlog = openBacklog();
    for (const number of [1, 2, 3, 4]) backlog.note(mine, trace(number), noted(number));
    const taken = backlog.take(mine, 3);
    expect(backlog.oldest()).to.equal(at(1));
    // Changed while it is scored.
    backlog.note(mine, trace(2), noted(9));
    backlog.giveBack(taken, new Set([trace(3)]), new Set([trace(2)]));
    expect(backlog.oldest()).to.equal(at(2));
    const again = backlog.take(mine, 9);
    expect(again).to.deep.equal([
      [trace(3), noted(3)],
      [trace(4), noted(4)],
      [trace(2), noted(2)],
    ]);
    backlog.giveBack(again, none, none);
    expect(backlog.oldest()).to.equal(null);
    expect(backlog.size()).to.equal(0);
    expect(backlog.waiting()).to.deep.equal([]);
  });

  it('holds back only runs that a queued trace may belong to', () => {
    const backlog = openBacklog({ perProject: 2, total: 9 });
    const other = 'o' as RunId;
    backlog.note(mine, trace(1), noted(1));
    expect([backlog.holds(mine, run), backlog.holds(mine, other)]).to.deep.equal([true, false]);
    expect(backlog.holds(theirs, run)).to.equal(false);
    const taken = backlog.take(mine, 1);
    expect(backlog.holds(mine, run)).to.equal(false);
    // An event from before it said the run.
    backlog.note(mine, trace(2), noted(2, null));
    expect(backlog.holds(mine, other)).to.equal(true);
    backlog.giveBack(backlog.take(mine, 1), none, none);
    backlog.giveBack(taken, none, none);
    for (const number of [3, 4, 5]) backlog.note(mine, trace(number), noted(number));
    // Whose traces come after the first two is not known yet.
    expect(backlog.holds(mine, other)).to.equal(true);
  });
});
