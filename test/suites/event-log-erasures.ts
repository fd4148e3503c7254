import { expect } from 'chai';
import { array, assert, asyncProperty, integer, nat, tuple } from 'fast-check';
import {
  logStart,
  type Envelope,
  type EventLog,
  type Evidence,
  type StreamName,
} from '../../kernel/ports.js';
import { appendOf, newEvent, newStream } from '../support/new-events.js';
import { runs } from '../support/runs.js';
import { evidenceIn } from './event-log-evidence.js';

const withoutData = ({ data, ...envelope }: Envelope & { readonly data: unknown }): Envelope => {
  expect(data).to.not.equal(undefined);
  return envelope;
};

/** Remains of each event, in log order, read in pages of `limit`. */
const envelopesIn = async (log: EventLog, limit: number): Promise<readonly Envelope[]> => {
  const found: Envelope[] = [];
  for (let from = logStart; ;) {
    const { events, erased, through } = await log.page(from, limit);
    expect(events.length + erased.length).to.be.at.most(limit);
    const some = [...events.map(withoutData), ...erased];
    found.push(...some.toSorted((one, other) => (one.position < other.position ? -1 : 1)));
    if (through <= from) return found;
    from = through;
  }
};

const erasedFrom = (before: readonly Evidence[], gone: ReadonlySet<StreamName>) =>
  before.map((one) => (gone.has(one.stream) ? { ...one, salt: null, data: null } : one));

const withoutSalt = ({ salt, ...event }: Evidence): Envelope => {
  expect(salt).to.not.equal(undefined);
  return withoutData(event);
};

/** An erasure removes content only: the evidence of a chain stays in its place. */
export const erasedContentSuite = (log: () => EventLog, reopen: () => Promise<void>): void => {
  describe('the rest of erased events', () => {
    it('keeps everything but data and salt in place, also after a restart', async () => {
      const operation = tuple(nat(4), integer({ min: 0, max: 3 }), nat(1_000));
      const property = asyncProperty(array(operation, { maxLength: 25 }), async (operations) => {
        const streams = Array.from({ length: 5 }, () => ({ name: newStream(), last: -1 }));
        const gone = new Set<StreamName>();
        for (const [number, count, size] of operations) {
          const stream = streams[number] ?? expect.fail('five of them');
          if (gone.has(stream.name)) continue;
          if (count === 0) {
            await log().erase(stream.name);
            gone.add(stream.name);
            continue;
          }
          const events = Array.from({ length: count }, () => newEvent('x'.repeat(size)));
          const expected = stream.last < 0 ? 'none' : stream.last;
          await log().append([appendOf(stream.name, expected, ...events)]);
          stream.last += count;
        }
        const before = await evidenceIn(log());
        const head = await log().head();
        const going = streams.slice(0, 3).map(({ name }) => name);
        for (const name of going) await log().erase(name);
        const after = erasedFrom(before, new Set(going));
        expect(await evidenceIn(log())).to.deep.equal(after);
        await reopen();
        expect(await evidenceIn(log())).to.deep.equal(after);
        expect(await log().head()).to.equal(head);
        for (const limit of [1, 2, 7, 1_000]) {
          expect(await envelopesIn(log(), limit)).to.deep.equal(after.map(withoutSalt));
        }
      });
      await assert(property, { numRuns: runs(3) });
    });

    it('is the same for large events, and is left out of pages of some types', async () => {
      const [gone, kept] = [newStream(), newStream()];
      const large = newEvent({ text: 'é'.repeat(440_000) });
      await log().append([appendOf(gone, 'none', newEvent(1), large, newEvent(2))]);
      await log().append([appendOf(kept, 'none', newEvent('kept'))]);
      const before = await evidenceIn(log());
      await log().erase(gone);
      const after = erasedFrom(before, new Set([gone]));
      for (const wait of [async () => {}, reopen]) {
        await wait();
        expect(await evidenceIn(log())).to.deep.equal(after);
        const page = await log().page(logStart, 100, ['SomethingHappened']);
        expect(page.erased).to.deep.equal([]);
        expect(page.events.map(({ data }) => data)).to.deep.equal(['kept']);
        expect(page.through).to.equal(await log().head());
      }
    });

    it('includes every event that was acknowledged while the erasure ran', async () => {
      const acknowledged = new Map<StreamName, number>();
      for (let round = 0; round < runs(12); round += 1) {
        const stream = newStream();
        await log().append([appendOf(stream, 'none', newEvent(0))]);
        acknowledged.set(stream, 1);
        const appending = async (): Promise<void> => {
          for (let last = 0; last < 30; last += 1) {
            const [result] = await log().append([appendOf(stream, last, newEvent(last))]);
            if (result === 'conflict') return;
            acknowledged.set(stream, last + 2);
          }
        };
        const erasing = async (): Promise<void> => {
          for (let turn = 0; turn < round % 6; turn += 1) await log().head();
          await log().erase(stream);
        };
        await Promise.all([appending(), erasing()]);
        expect(await log().read(stream)).to.deep.equal([]);
      }
      const expected = [...acknowledged].map(([stream, count]) => [stream, count]);
      for (const wait of [async () => {}, reopen]) {
        await wait();
        const all = await evidenceIn(log(), 100);
        expect(all.every(({ data, salt }) => data === null && salt === null)).to.equal(true);
        const found = [...acknowledged.keys()].map((stream) => {
          const revisions = all.filter((one) => one.stream === stream).map((one) => one.revision);
          expect(revisions).to.deep.equal(revisions.map((_, revision) => revision));
          return [stream, revisions.length];
        });
        expect(found).to.deep.equal(expected);
      }
    });
  });
};
