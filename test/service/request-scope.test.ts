import { expect } from 'chai';
import { openLimiter } from '../../kernel/limiter.js';
import type { QueryContext } from '../../kernel/ports.js';
import { recordQueries } from '../../kernel/records/record-queries.js';
import type { Records } from '../../kernel/records/records.js';
import { requestScopedPort } from '../../service/request-scope.js';

describe('requestScopedPort', () => {
  it('adds the context of the request, and makes scans wait for a slot', async () => {
    const calls: unknown[] = [];
    const running: (() => void)[] = [];
    const port = new Proxy({} as Records, {
      get:
        (_, name) =>
        (...values: readonly unknown[]) => {
          calls.push([name, ...values]);
          return new Promise<void>((resolve) => running.push(resolve));
        },
    });
    const current: QueryContext = { tenant: 'current' };
    const own: QueryContext = { tenant: 'own' };
    const limiter = openLimiter({ size: 1, shares: { project: 1 }, waitersMax: 8 });
    const records = requestScopedPort(port, recordQueries, () => current, limiter);
    const one = records.runCounts('p', ['r']);
    const other = records.ratings('p', null, own);
    const lookup = records.rowsByGroup([]);
    await new Promise((resolve) => setImmediate(resolve));
    const begun = [
      ['rowsByGroup', [], current],
      ['runCounts', 'p', ['r'], current],
    ];
    expect(calls).to.have.deep.members(begun);
    running.splice(0).forEach((end) => end());
    await Promise.all([one, lookup]);
    await new Promise((resolve) => setImmediate(resolve));
    expect(calls.slice(2)).to.deep.equal([['ratings', 'p', null, own]]);
    running.splice(0).forEach((end) => end());
    await other;
  });
});
