import { expect } from 'chai';
import { streamNameOf } from '../../kernel/ports.js';
import { appendEvents } from '../../kernel/transact.js';
import { openClockSkewMonitor } from '../../engines/node/clock-skew.js';
import { authorAt, instantAfter, testClock, testLog } from '../support/test-log.js';

describe('the clock watch', () => {
  it('warns while the newest event is over 10 s later than the clock', async () => {
    const { log, close } = await testLog();
    const clock = testClock();
    const watch = openClockSkewMonitor(log, clock);
    expect(await watch.warnings(1_000)).to.deep.equal([]);
    const event = { type: 'ProjectDeleted', data: { project_id: '1' } };
    await appendEvents(
      log,
      [{ stream: streamNameOf('project', '1'), events: [event] }],
      authorAt(100),
    );
    const [warning = ''] = await watch.warnings(1_000);
    expect(warning).to.include(instantAfter(100)).and.include('100 s');
    clock.move(89);
    expect(await watch.warnings(1_000)).to.have.length(1);
    clock.move(1);
    expect(await watch.warnings(1_000)).to.deep.equal([]);
    await close();
  });
});
