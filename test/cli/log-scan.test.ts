import { expect } from 'chai';
import {
  eventsBackwards,
  newEvents,
  hasData,
  lastEventsOf,
  type ScannedEvent,
} from '../../cli/log-scan.js';
import { logStart } from '../../kernel/ports.js';
import { bothLogs, type TestEventLog } from '../support/both-logs.js';
import { appendOf, newEvent, newStream } from '../support/new-events.js';

for (const [engine, open] of bothLogs) {
  describe(`a walk through a log on ${engine}`, () => {
    let opened: TestEventLog;
    const streams = Array.from({ length: 6 }, () => newStream());
    const [gone = newStream(), kept = newStream()] = streams;
    before(async () => {
      opened = await open();
      const { log } = opened;
      // More than are read at a time.
      for (let round = 0; round < 4; round += 1) {
        for (const name of streams) {
          const events = Array.from({ length: 30 }, (_, at) => newEvent(round * 30 + at));
          await log.append([appendOf(name, round === 0 ? 'none' : round * 30 - 1, ...events)]);
        }
      }
      await log.erase(gone);
    });
    after(() => opened.close());
    /** Events in log order, and those of them that are erased. */
    const known = async () => {
      const { events } = await opened.log.evidence(logStart, 10_000);
      return events.map(({ position, data }) => [position, data !== null]);
    };
    const placed = (event: ScannedEvent) => [event.position, hasData(event)];

    it('visits every event once, the newest first', async () => {
      const walked = await Array.fromAsync(eventsBackwards(opened.log), placed);
      expect(walked.reverse()).to.deep.equal(await known());
    });

    it('ends at the first event of a stream', async () => {
      const last = await lastEventsOf(opened.log, kept, 3);
      expect(last.map(({ revision }) => revision)).to.deep.equal([117, 118, 119]);
      expect((await lastEventsOf(opened.log, gone, 3)).every((event) => !hasData(event))).to.equal(
        true,
      );
    });

    it('follows new events', async () => {
      const told = new AbortController();
      const after = await opened.log.head();
      await opened.log.append([appendOf(kept, 119, newEvent('new'))]);
      for await (const event of newEvents(opened.log, after, told.signal)) {
        expect([event.stream, event.revision]).to.deep.equal([kept, 120]);
        told.abort();
        break;
      }
    });
  });
}
