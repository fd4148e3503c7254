import { expect } from 'chai';
import { neighbourOf } from '../../console/traces/neighbour-order.js';
import {
  nextErrorTurn,
  sessionLengthMs,
  stripBars,
  turnsOf,
} from '../../console/traces/session-turns.js';

const at = (second: number): string =>
  `2026-03-01T09:00:${String(second).padStart(2, '0')}.000000Z`;
const turns = turnsOf([
  { id: 'a', created_at: at(0), status_code: 200, metrics: { duration_ns: 2e9, cost: 0.5 } },
  { id: 'b', created_at: at(5), status_code: 500, metric_info: { cost: { value: 0.25 } } },
  { id: 'c', created_at: at(9), metrics: { duration_ns: 3e9 } },
]);

describe('the turns of a session', () => {
  it('last from the first begin to the last end', () => {
    expect(sessionLengthMs(turns)).to.equal(12_000);
    expect(sessionLengthMs([])).to.equal(0);
  });

  it('find the next error around the end', () => {
    expect(nextErrorTurn(turns, -1)?.id).to.equal('b');
    expect(nextErrorTurn(turns, 1)?.id).to.equal('b');
    expect(nextErrorTurn(turns.slice(0, 1), 0)).to.equal(null);
  });

  it('fold into bars that keep sums and errors', () => {
    expect(stripBars(turns, 2)).to.deep.equal([
      { cost: 0.75, hasError: true },
      { cost: 0, hasError: false },
    ]);
    expect(stripBars(turns, 10)).to.have.length(3);
  });
});

describe('the neighbours of a trace', () => {
  it('are in the order of lists: by time, then by id', () => {
    const records = ['e', 'b', 'a'].map((id) => ({ id, created_at: at(4) }));
    const trace = { id: 'b', created_at: at(4) };
    const later = { id: 'x', created_at: at(5) };
    const earlier = { id: 'y', created_at: at(3) };
    expect(neighbourOf(trace, [...records, earlier], 'older')).to.equal('a');
    expect(neighbourOf(trace, [later, ...records], 'newer')).to.equal('e');
    expect(neighbourOf(trace, [trace, earlier], 'older')).to.equal('y');
    expect(neighbourOf(trace, [trace], 'newer')).to.equal(null);
  });
});
