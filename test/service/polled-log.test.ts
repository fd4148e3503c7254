import { expect } from 'chai';
import { logStart, streamNameOf } from '../../kernel/ports.js';
import { openPolledLog } from '../../service/polled-log.js';
import { remoteTestLog, testClock, testLog } from '../support/test-log.js';

const event = { type: 'ProjectDeleted', data: { project_id: '1' } };

for (const [name, open] of [
  ['SQLite', testLog],
  ['an EventStoreDB test server', remoteTestLog],
] as const) {
  describe(`the log of polling loops on ${name}`, () => {
    it('requests no page after the head, and one head for all loops', async () => {
      const { log, append, close } = await open();
      const requests: string[] = [];
      const clock = testClock();
      const polled = openPolledLog(
        {
          ...log,
          head: () => (requests.push('head'), log.head()),
          page: (...asked) => (requests.push('page'), log.page(...asked)),
        },
        clock,
      );
      const loops = ['one', 'two', 'three'];
      const poll = (after: typeof logStart) =>
        Promise.all(loops.map(() => polled.page(after, 100, ['ProjectDeleted'])));
      expect((await poll(logStart)).flatMap(({ events }) => events)).to.deep.equal([]);
      expect(requests).to.deep.equal(['head']);
      await append(streamNameOf('project', '1'), event);
      clock.move(1);
      const [first] = await poll(logStart);
      expect(first?.events).to.have.length(1);
      expect(requests.splice(0)).to.deep.equal(['head', 'head', ...loops.map(() => 'page')]);
      await append(streamNameOf('project', '2'), event);
      const through = first?.through ?? logStart;
      const [late] = await poll(through);
      expect(late).to.deep.equal({ events: [], erased: [], through });
      expect(requests).to.deep.equal([]);
      clock.move(1);
      const [next] = await poll(through);
      expect(next?.events).to.have.length(1);
      await close();
    });
  });
}
