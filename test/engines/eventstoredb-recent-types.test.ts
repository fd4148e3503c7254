import { expect } from 'chai';
import * as fc from 'fast-check';
import { openEventStore } from '../../engines/eventstoredb/event-log.js';
import { openRecentTypes } from '../../engines/eventstoredb/recent-types.js';
import { logStart, type Position, type StreamName } from '../../kernel/ports.js';
import { startEventStoreServer } from '../support/eventstore-server/server.js';
import { temporaryFolder } from '../support/folder.js';
import { appendOf, newEvent, newStream } from '../support/new-events.js';
import { drawSeed } from '../support/test-environment.js';
import { runs } from '../support/runs.js';

const positionOf = (n: number): Position =>
  n === 0 ? logStart : (n.toString(16).padStart(16, '0') as Position);

describe('EventStoreDB cache of recent types', () => {
  it('never hides an event of a requested type, however the log was read', () => {
    const place = fc.nat(60);
    const steps = fc.array(
      fc.oneof(
        fc.record({ read: place, limit: fc.integer({ min: 1, max: 20 }) }),
        fc.record({ ask: place, types: fc.subarray(['a', 'b', 'c']) }),
      ),
      { maxLength: 40 },
    );
    const property = fc.property(
      fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 50 }),
      steps,
      fc.integer({ min: 1, max: 4 }),
      (types, asked, keptMax) => {
        const log = types.map((type, at) => ({ type, position: positionOf(at + 1) }));
        const passed = openRecentTypes(keptMax);
        for (const step of asked) {
          if ('read' in step) {
            const after = positionOf(Math.min(step.read, log.length));
            const events = log.filter(({ position }) => position > after).slice(0, step.limit);
            passed.record(after, events, events.at(-1)?.position ?? after);
          } else {
            const after = positionOf(Math.min(step.ask, log.length));
            const through = passed.firstPositionWithout(step.types, after);
            expect(through >= after).to.equal(true);
            const hidden = log.filter(
              ({ type, position }) =>
                position > after && position <= through && step.types.includes(type),
            );
            expect(hidden).to.deep.equal([]);
            expect(passed.firstPositionWithout(step.types, through)).to.equal(through);
          }
        }
      },
    );
    fc.assert(property, { seed: drawSeed('passed types'), numRuns: runs(300) });
  });

  it('covers the range that was read, and at most its number of events', () => {
    const passed = openRecentTypes(10);
    const log = Array.from({ length: 100 }, (_, at) => ({
      type: at === 94 ? 'rare' : 'common',
      position: positionOf(at + 1),
    }));
    for (let at = 0; at < 100; at += 5) {
      passed.record(positionOf(at), log.slice(at, at + 5), positionOf(at + 5));
    }
    expect(passed.firstPositionWithout(['rare'], positionOf(92))).to.equal(positionOf(94));
    expect(passed.firstPositionWithout(['rare'], positionOf(94))).to.equal(positionOf(94));
    expect(passed.firstPositionWithout(['rare'], positionOf(95))).to.equal(positionOf(100));
    expect(passed.firstPositionWithout(['rare'], positionOf(5))).to.equal(positionOf(5));
  });

  it('reads the server once, however many workers follow the log', async () => {
    const { dir, remove } = await temporaryFolder();
    const server = await startEventStoreServer({ dir });
    const log = await openEventStore({ url: server.url });
    try {
      const common = Array.from({ length: 50 }, () => appendOf(newStream(), 'none', newEvent()));
      await log.append(common);
      const rare = { ...newEvent('rare'), type: 'Rare' };
      const [result] = await log.append([appendOf('thing-rare' as StreamName, 'none', rare)]);
      const first = await log.page(logStart, 100, ['Seldom']);
      expect(first.through).to.equal(result === 'conflict' ? null : result?.position);
      // Whoever asks the server now would be refused.
      server.faults.plan('read', { kind: 'access-denied' }, Infinity);
      const others = await Promise.all(
        Array.from({ length: 7 }, (_, n) => log.page(logStart, 100, [`Seldom${n}`])),
      );
      expect(others.map(({ through }) => through)).to.deep.equal(others.map(() => first.through));
      const { through, events } = await log.page(logStart, 100, ['Rare']);
      expect(events).to.deep.equal([]);
      server.faults.clear();
      expect((await log.page(through, 100, ['Rare'])).events[0]?.data).to.equal('rare');
    } finally {
      await log.close();
      await server.close();
      await remove();
    }
  });
});
