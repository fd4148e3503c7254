import { expect } from 'chai';
import { assert, asyncProperty, jsonValue, string } from 'fast-check';
import { Fault } from '../../kernel/fault.js';
import {
  logStart,
  type AppendResult,
  type EventLog,
  type Position,
  type StreamAppend,
} from '../../kernel/ports.js';
import { appendOf, metadata, newEvent, newStream } from '../support/new-events.js';
import { readAllPages } from '../support/log-pages.js';
import { runs } from '../support/runs.js';
import { warningsDuring } from '../support/node-warnings.js';
import { eventFilterSuite } from './event-log-filters.js';
import { erasedContentSuite } from './event-log-erasures.js';
import { evidenceSuite } from './event-log-evidence.js';
import { streamSuite } from './event-log-streams.js';
import { raceSuite } from './event-log-races.js';
import { chainSuite } from './event-log-chains.js';

/**
 * A log on an empty store. `reopen` closes it gracefully and opens the same store; `close` also
 * removes it.
 */
type OpenEventLog = () => Promise<{
  readonly log: EventLog;
  readonly reopen: () => Promise<EventLog>;
  readonly close: () => Promise<void>;
}>;

export const appendOne = async (log: EventLog, append: StreamAppend): Promise<AppendResult> => {
  const [result] = await log.append([append]);
  if (result === undefined) throw new Error('the log answered less than it was asked');
  return result;
};

export const positionOf = (result: AppendResult): Position => {
  if (result === 'conflict') throw new Error('the log answered conflict');
  return result.position;
};

type Opened = { readonly log: () => EventLog; readonly reopen: () => Promise<void> };

const suiteOf = (name: string, open: OpenEventLog, tests: (opened: Opened) => void): void => {
  describe(`the event log on ${name}`, function () {
    let opened: Awaited<ReturnType<OpenEventLog>>;
    let log: EventLog;
    beforeEach(async () => {
      opened = await open();
      ({ log } = opened);
    });
    afterEach(() => opened.close());
    const reopen = async (): Promise<void> => {
      log = await opened.reopen();
    };
    tests({ log: () => log, reopen });
  });
};

/** Suite of the port EventLog. */
export const eventLogSuite = (name: string, open: OpenEventLog): void =>
  suiteOf(name, open, (opened) => {
    writing(opened);
    reading(opened);
  });

/** The part of the suite that depends on how an engine appends and erases. */
export const logWritingSuite = (name: string, open: OpenEventLog): void =>
  suiteOf(name, open, writing);

const writing = ({ log, reopen }: Opened): void => {
  revisionSuite(log);
  chainSuite(log);
  repeatSuite(log, reopen);
  erasureSuite(log, reopen);
  erasedContentSuite(log, reopen);
  closedSuite(log);
  raceSuite(log);
};

const reading = ({ log, reopen }: Opened): void => {
  readingSuite(log, reopen);
  contentSuite(log);
  evidenceSuite(log, reopen);
  eventFilterSuite(log);
  streamSuite(log);
};

const revisionSuite = (log: () => EventLog): void => {
  describe('expected revisions', () => {
    it('count from 0 without gaps', async () => {
      const stream = newStream();
      await appendOne(log(), appendOf(stream, 'none', newEvent(1), newEvent(2)));
      await appendOne(log(), appendOf(stream, 1, newEvent(3)));
      const events = await log().read(stream);
      expect(events.map(({ revision, data }) => [revision, data])).to.deep.equal([
        [0, 1],
        [1, 2],
        [2, 3],
      ]);
    });

    for (const expected of ['none', 0, 2] as const) {
      it(`refuse ${expected} for a stream whose last is 1, and write nothing`, async () => {
        const stream = newStream();
        await appendOne(log(), appendOf(stream, 'none', newEvent(), newEvent()));
        const head = await log().head();
        expect(await appendOne(log(), appendOf(stream, expected, newEvent()))).to.equal('conflict');
        expect(await log().read(stream)).to.have.length(2);
        expect(await log().head()).to.equal(head);
      });
    }

    it('refuse a revision of a stream that does not exist', async () => {
      expect(await appendOne(log(), appendOf(newStream(), 0, newEvent()))).to.equal('conflict');
    });

    it('let exactly one of several appends at the same revision win', async () => {
      const stream = newStream();
      const racers = Array.from({ length: 20 }, (_, index) =>
        appendOne(log(), appendOf(stream, 'none', newEvent(index))),
      );
      const results = await Promise.all(racers);
      expect(results.filter((result) => result !== 'conflict')).to.have.length(1);
      expect(await log().read(stream)).to.have.length(1);
    });

    it('are checked by an empty append too', async () => {
      const stream = newStream();
      const none = await appendOne(log(), appendOf(stream, 'none'));
      expect(none).to.deep.equal({ position: await log().head() });
      await appendOne(log(), appendOf(stream, 'none', newEvent()));
      expect(await appendOne(log(), appendOf(stream, 'none'))).to.equal('conflict');
      expect(await appendOne(log(), appendOf(stream, 0))).to.have.property('position');
      expect(await log().append([])).to.deep.equal([]);
    });

    it('are checked stream by stream: a conflict spares the others of its batch', async () => {
      const [first, taken, last] = [newStream(), newStream(), newStream()];
      await appendOne(log(), appendOf(taken, 'none', newEvent('before')));
      const results = await log().append([
        appendOf(first, 'none', newEvent(1), newEvent(2)),
        appendOf(taken, 'none', newEvent('lost'), newEvent('lost')),
        appendOf(last, 'none', newEvent(3)),
        appendOf(first, 1, newEvent(4)),
      ]);
      expect(results.map((result) => result === 'conflict')).to.deep.equal([
        false,
        true,
        false,
        false,
      ]);
      expect((await log().read(first)).map(({ data }) => data)).to.deep.equal([1, 2, 4]);
      expect((await log().read(taken)).map(({ data }) => data)).to.deep.equal(['before']);
      expect(await log().read(last)).to.have.length(1);
    });
  });
};

const closedSuite = (log: () => EventLog): void => {
  it('throws unavailable from every call once closed', async () => {
    const stream = newStream();
    await appendOne(log(), appendOf(stream, 'none', newEvent()));
    await log().close();
    const asked = await Promise.allSettled([
      log().read(stream),
      log().last(stream),
      log().page(logStart, 10),
      log().page(logStart, 10, ['Said']),
      log().streams('', null, 10),
      log().append([appendOf(stream, 0, newEvent())]),
    ]);
    for (const one of asked) {
      const reason: unknown = one.status === 'rejected' ? one.reason : null;
      expect(reason, JSON.stringify(one)).to.be.instanceOf(Fault);
      expect(reason).to.include({ code: 'unavailable' });
    }
  });
};

const repeatSuite = (log: () => EventLog, reopen: () => Promise<void>): void => {
  describe('the same event id again', () => {
    it('is stored once at its first position, now, later and after a restart', async () => {
      const stream = newStream();
      const append = appendOf(stream, 'none', newEvent({ a: 1 }), newEvent({ b: 2 }));
      const [first, atOnce] = await Promise.all([
        appendOne(log(), append),
        appendOne(log(), append),
      ]);
      expect(atOnce).to.deep.equal(first);
      await appendOne(log(), appendOf(stream, 1, newEvent()));
      expect(await appendOne(log(), append)).to.deep.equal(first);
      await reopen();
      expect(await appendOne(log(), append)).to.deep.equal(first);
      expect(await log().read(stream)).to.have.length(3);
    });

    it('is stored once, whatever revision the repeat expects', async () => {
      const append = appendOf(newStream(), 'none', newEvent());
      const first = await appendOne(log(), append);
      expect(await appendOne(log(), { ...append, expected: 0 })).to.deep.equal(first);
      expect(await appendOne(log(), { ...append, expected: 7 })).to.deep.equal(first);
      expect(await log().read(append.stream)).to.have.length(1);
    });

    it('is a conflict with another payload, and the first stays', async () => {
      const stream = newStream();
      const event = newEvent({ amount: 1 });
      await appendOne(log(), appendOf(stream, 'none', event));
      const other = { ...event, data: { amount: 2 } };
      expect(await appendOne(log(), appendOf(stream, 'none', other))).to.equal('conflict');
      expect(await appendOne(log(), appendOf(stream, 0, other))).to.equal('conflict');
      const renamed = { ...event, type: 'SomethingElseHappened' };
      expect(await appendOne(log(), appendOf(stream, 'none', renamed))).to.equal('conflict');
      expect((await log().read(stream)).map(({ data }) => data)).to.deep.equal([{ amount: 1 }]);
    });

    it('is a conflict with more events behind it, or twice in one append', async () => {
      const stream = newStream();
      const [event, twin] = [newEvent(), newEvent()];
      await appendOne(log(), appendOf(stream, 'none', event));
      expect(await appendOne(log(), appendOf(stream, 'none', event, newEvent()))).to.equal(
        'conflict',
      );
      expect(await appendOne(log(), appendOf(stream, 0, newEvent(), event))).to.equal('conflict');
      expect(await appendOne(log(), appendOf(newStream(), 'none', twin, twin))).to.equal(
        'conflict',
      );
      expect(await log().read(stream)).to.have.length(1);
    });
  });
};

const readingSuite = (log: () => EventLog, reopen: () => Promise<void>): void => {
  describe('reading', () => {
    it('returns nothing for an unknown stream, an empty log or past the head', async () => {
      expect(await log().read(newStream())).to.deep.equal([]);
      expect(await log().head()).to.equal(logStart);
      expect(await log().page(logStart, 10)).to.deep.equal({
        events: [],
        erased: [],
        through: logStart,
      });
      const append = appendOf(newStream(), 'none', newEvent());
      const at = positionOf(await appendOne(log(), append));
      expect(await log().head()).to.equal(at);
      expect(await log().page(at, 10)).to.deep.equal({ events: [], erased: [], through: at });
      expect(await log().read(append.stream, { from: 1 })).to.deep.equal([]);
    });

    it('returns what was appended, with its position', async () => {
      const stream = newStream();
      const event = newEvent({ text: 'as it was' });
      const at = positionOf(await appendOne(log(), appendOf(stream, 'none', event)));
      const [{ digest } = { digest: '' }] = await log().read(stream);
      expect(digest).to.match(/^[0-9a-f]{64}$/);
      expect(await log().read(stream)).to.deep.equal([
        { ...event, stream, revision: 0, position: at, digest },
      ]);
      expect((await log().page(logStart, 10)).events).to.deep.equal(await log().read(stream));
    });

    it('starts after the requested position', async () => {
      const stream = newStream();
      await appendOne(log(), appendOf(stream, 'none', ...[0, 1, 2, 3].map((n) => newEvent(n))));
      const events = await log().read(stream, { from: 2 });
      expect(events.map(({ data }) => data)).to.deep.equal([2, 3]);
    });

    it('reads the whole log in one order over all streams, page by page', async () => {
      const [one, other] = [newStream(), newStream()];
      await appendOne(log(), appendOf(one, 'none', newEvent('a'), newEvent('b')));
      await appendOne(log(), appendOf(other, 'none', newEvent('c')));
      await appendOne(log(), appendOf(one, 1, newEvent('d')));
      for (const limit of [1, 2, 3, 4, 5]) {
        const events = await readAllPages(log(), logStart, limit);
        expect(events.map(({ data }) => data)).to.deep.equal(['a', 'b', 'c', 'd']);
        const positions = events.map((event) => event.position);
        expect(positions).to.deep.equal([...new Set(positions)].sort());
      }
    });

    it('continues after a restart at its position', async () => {
      const stream = newStream();
      const at = positionOf(await appendOne(log(), appendOf(stream, 'none', newEvent('old'))));
      await reopen();
      expect(await log().head()).to.equal(at);
      const next = positionOf(await appendOne(log(), appendOf(stream, 0, newEvent('new'))));
      expect(next > at).to.equal(true);
      expect((await readAllPages(log(), at)).map(({ data }) => data)).to.deep.equal(['new']);
    });

    it('counts the events after a position', async () => {
      const before = await log().head();
      expect(await log().lag(before)).to.equal(0);
      const stream = newStream();
      const first = positionOf(await appendOne(log(), appendOf(stream, 'none', newEvent())));
      await appendOne(log(), appendOf(stream, 0, newEvent(), newEvent()));
      expect([await log().lag(before), await log().lag(first)]).to.deep.equal([3, 2]);
    });

    it('resolves a wait when the log grows, at once if it already has', async () => {
      const waiting = log().waitForGrowth(logStart);
      await appendOne(log(), appendOf(newStream(), 'none', newEvent()));
      await waiting;
      await log().waitForGrowth(logStart);
    });

    it('resolves any number of waits for growth', async () => {
      const first = log().waitForGrowth(logStart);
      await appendOne(log(), appendOf(newStream(), 'none', newEvent()));
      await first;
      const head = await log().head();
      const warnings = await warningsDuring(async () => {
        const waiting = Array.from({ length: 12 }, () => log().waitForGrowth(head));
        await appendOne(log(), appendOf(newStream(), 'none', newEvent()));
        await Promise.all(waiting);
      });
      expect(warnings).to.deep.equal([]);
    });

    it('stops waiting for growth when its signal aborts or the log closes', async () => {
      const head = await log().head();
      const controller = new AbortController();
      const waiting = log().waitForGrowth(head, controller.signal);
      controller.abort();
      await waiting;
      await log().waitForGrowth(head, controller.signal);
      const untilClosed = log().waitForGrowth(head);
      await reopen();
      await untilClosed;
    });
  });
};

const contentSuite = (log: () => EventLog): void => {
  describe('content', () => {
    it('is returned equal, whatever JSON it is', async () => {
      const anyText = string({ unit: 'binary' });
      const property = asyncProperty(jsonValue(), anyText, async (value, text) => {
        const stream = newStream();
        const data = { value, text, ['__proto__']: text };
        await appendOne(log(), appendOf(stream, 'none', newEvent(data)));
        const [event] = await log().read(stream);
        expect(event?.data).to.deep.equal(JSON.parse(JSON.stringify(data)));
      });
      await assert(property, { numRuns: runs(20) });
    });

    it('may hold NUL, lone surrogates, quotes and 900 KB', async () => {
      const awkward = ['a\u0000b', '\ud800', '\udfff!', `'"; DROP TABLE events`, '😀', '\u2028'];
      const data = { awkward, large: 'é'.repeat(450_000) };
      const stream = newStream("o'dd\u0000😀");
      const event = { ...newEvent(data), metadata: { ...metadata, request_id: 'r"\u0000' } };
      await appendOne(log(), appendOf(stream, 'none', event));
      const [read] = await log().read(stream);
      expect(read?.data).to.deep.equal(data);
      expect(read?.stream).to.equal(stream);
      expect(read?.metadata).to.deep.equal(event.metadata);
    });

    it('is split over pages when events are huge', async () => {
      const stream = newStream();
      const huge = Array.from({ length: 12 }, (_, n) => newEvent({ n, text: 'x'.repeat(900_000) }));
      for (const [index, event] of huge.entries()) {
        await appendOne(log(), appendOf(stream, index === 0 ? 'none' : index - 1, event));
      }
      const { events } = await log().page(logStart, 1_000);
      expect(events.length).to.be.greaterThan(0).and.lessThan(12);
      expect(await readAllPages(log())).to.have.length(12);
    });
  });
};

const erasureSuite = (log: () => EventLog, reopen: () => Promise<void>): void => {
  describe('erasing a stream', () => {
    it('empties the stream and refuses every append to it', async () => {
      const [gone, kept] = [newStream(), newStream()];
      const append = appendOf(gone, 'none', newEvent(), newEvent());
      await appendOne(log(), append);
      await appendOne(log(), appendOf(kept, 'none', newEvent('kept')));
      await log().erase(gone);
      for (const after of [async () => {}, reopen]) {
        await after();
        expect(await log().read(gone)).to.deep.equal([]);
        expect((await readAllPages(log())).map(({ stream }) => stream)).to.deep.equal([kept]);
        expect(await appendOne(log(), appendOf(gone, 'none', newEvent()))).to.equal('conflict');
        expect(await appendOne(log(), appendOf(gone, 1, newEvent()))).to.equal('conflict');
        expect(await appendOne(log(), appendOf(gone, 'none'))).to.equal('conflict');
        expect(await appendOne(log(), append)).to.equal('conflict');
      }
    });

    it('succeeds again, and for a stream that never existed', async () => {
      const [gone, never] = [newStream(), newStream()];
      await appendOne(log(), appendOf(gone, 'none', newEvent()));
      await log().erase(gone);
      await log().erase(gone);
      await log().erase(never);
      expect(await appendOne(log(), appendOf(never, 'none', newEvent()))).to.equal('conflict');
    });

    it('reuses no position and lets readers pass the gap', async () => {
      const [gone, next] = [newStream(), newStream()];
      const before = await log().head();
      const at = positionOf(await appendOne(log(), appendOf(gone, 'none', newEvent(), newEvent())));
      await log().erase(gone);
      await reopen();
      expect(await log().head()).to.equal(at);
      expect(await log().page(before, 10)).to.deep.include({ events: [], through: at });
      const later = positionOf(await appendOne(log(), appendOf(next, 'none', newEvent())));
      expect(later > at).to.equal(true);
    });
  });
};
