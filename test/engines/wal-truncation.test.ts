import { expect } from 'chai';
import { openWalTruncation } from '../../engines/sqlite/wal-truncation.js';
import { pollUntil } from '../support/poll-until.js';

describe('the truncation of a write-ahead log', () => {
  it('is tried again while the disk is full or the log is read', async () => {
    const full = Object.assign(new Error('database or disk is full'), { code: 'SQLITE_FULL' });
    const outcomes: readonly (Error | number)[] = [full, 1, full, 0];
    let tries = 0;
    const database = {
      pragma: (): number => {
        const outcome = outcomes[tries] ?? 0;
        tries += 1;
        if (typeof outcome === 'number') return outcome;
        throw outcome;
      },
    };
    const truncation = openWalTruncation(database, 1);
    truncation.soon();
    expect(truncation.since()).to.be.a('string');
    await pollUntil('the log is empty', 5_000, async () => truncation.since() === null);
    expect(tries).to.equal(4);
    truncation.end();
  });
});
