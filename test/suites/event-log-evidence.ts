import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { assert, asyncProperty, jsonValue, string } from 'fast-check';
import { logStart, type EventLog, type Evidence, type Position } from '../../kernel/ports.js';
import { appendOf, newEvent, newStream } from '../support/new-events.js';
import { readAllPages } from '../support/log-pages.js';
import { runs } from '../support/runs.js';

const digestOf = ({ salt, data }: Evidence): string =>
  createHash('sha256')
    .update(Buffer.from(salt ?? '', 'hex'))
    .update(data ?? '')
    .digest('hex');

export const evidenceIn = async (log: EventLog, limit = 3): Promise<readonly Evidence[]> => {
  const found: Evidence[] = [];
  for (let from = logStart; ;) {
    const page = await log.evidence(from, limit);
    found.push(...page.events);
    if (page.through <= from) return found;
    from = page.through;
  }
};

/** Evidence for an auditor's copy of the log. */
export const evidenceSuite = (log: () => EventLog, reopen: () => Promise<void>): void => {
  describe('evidence', () => {
    it('has the bytes of its digest, whatever JSON they are, also after a restart', async () => {
      const anyText = string({ unit: 'binary' });
      const property = asyncProperty(jsonValue(), anyText, async (value, text) => {
        const data = { value, text, ['__proto__']: text, '1': -0, large: 1e21 };
        await log().append([appendOf(newStream(), 'none', newEvent(data))]);
      });
      await assert(property, { numRuns: runs(4) });
      const large = newEvent({ text: 'é'.repeat(440_000) });
      await log().append([appendOf(newStream(), 'none', large, newEvent('a'), newEvent(1))]);
      const before = await evidenceIn(log());
      expect(before.map(digestOf)).to.deep.equal(before.map(({ digest }) => digest));
      expect(before.every(({ salt }) => salt?.length === 32)).to.equal(true);
      expect(new Set(before.map(({ salt }) => salt)).size).to.equal(before.length);
      await reopen();
      expect(await evidenceIn(log())).to.deep.equal(before);
    });

    it('has JSON that came as bytes byte for byte, which is read as its data', async () => {
      const text = '{ "a" :1.50,"é":"\\u0061", "a": [1e2 ]\n}';
      const data = { a: [100], é: 'a' };
      const pieces = [...Buffer.from(text)].map((byte) => Uint8Array.of(byte));
      const large = Buffer.from(`["${'é'.repeat(500_000)}" ]`);
      const events = [
        { ...newEvent(data), json: pieces },
        newEvent('written by the log'),
        { ...newEvent(['é'.repeat(500_000)]), json: [large] },
      ];
      const [small, two] = [newStream(), newStream()];
      const batch = [
        appendOf(small, 'none', ...events.slice(0, 2)),
        appendOf(two, 'none', ...events.slice(2)),
      ];
      const results = await log().append(batch);
      expect(await log().append(batch)).to.deep.equal(results);
      const other = {
        ...newEvent(data, events[0]?.id),
        json: [Buffer.from('{"a":[100],"é":"a"}')],
      };
      expect(await log().append([appendOf(small, 1, other)])).to.deep.equal(['conflict']);
      for (const look of ['at once', 'after a restart']) {
        const found = await evidenceIn(log());
        expect(
          found.map((one) => one.data),
          look,
        ).to.deep.equal([text, '"written by the log"', large.toString('utf8')]);
        expect(found.map(digestOf)).to.deep.equal(found.map(({ digest }) => digest));
        const read = [...(await log().read(small)), ...(await log().read(two))];
        expect(read.map((event) => event.data)).to.deep.equal(events.map((event) => event.data));
        expect((await readAllPages(log())).length).to.equal(3);
        await reopen();
      }
      await log().erase(small);
      expect((await evidenceIn(log()))[0]?.data).to.equal(null);
    });

    it('covers all events, in the order and at the positions of pages', async () => {
      for (let count = 0; count < 4; count += 1) {
        await log().append([appendOf(newStream(), 'none', newEvent(count), newEvent({ count }))]);
      }
      const all = await evidenceIn(log());
      const pages = await readAllPages(log());
      const events = all.map(({ data, ...one }) => ({
        ...one,
        data: JSON.parse(data ?? '') as unknown,
      }));
      const salted = pages.map((event, at) => ({ ...event, salt: all[at]?.salt }));
      expect(events).to.deep.equal(salted);
      const head = await log().head();
      expect(await log().evidence(head, 10)).to.deep.equal({ events: [], through: head });
    });

    it('covers one event at its position, also once its stream is erased', async () => {
      const [gone, kept] = [newStream(), newStream()];
      await log().append([appendOf(gone, 'none', newEvent(1), newEvent(2))]);
      await log().append([appendOf(kept, 'none', newEvent(3), newEvent('é'.repeat(600_000)))]);
      const eachAt = async (): Promise<readonly (Evidence | null)[]> =>
        Promise.all((await evidenceIn(log())).map(({ position }) => log().evidenceAt(position)));
      expect(await eachAt()).to.deep.equal(await evidenceIn(log()));
      await log().erase(gone);
      for (const count of [1, 2]) {
        const all = await evidenceIn(log());
        expect(all.filter(({ data }) => data === null).length).to.equal(2, `look ${count}`);
        expect(await eachAt()).to.deep.equal(all);
        await reopen();
      }
      expect(await log().evidenceAt(logStart)).to.equal(null);
    });

    it('keeps the first salt of an event that is sent again', async () => {
      const append = appendOf(newStream(), 'none', newEvent({ once: true }));
      await log().append([append]);
      const before = await evidenceIn(log());
      await log().append([append]);
      expect(await evidenceIn(log())).to.deep.equal(before);
    });
  });

  describe('the tail', () => {
    it('is the end of the log, in log order, and continues backwards', async () => {
      for (let count = 0; count < 5; count += 1) {
        await log().append([appendOf(newStream(), 'none', newEvent(count), newEvent({ count }))]);
      }
      const all = await readAllPages(log());
      expect(await log().tail(3)).to.deep.equal(all.slice(-3));
      expect(await log().tail(100)).to.deep.equal(all);
      const found = [];
      let before: Position | undefined;
      for (;;) {
        const events = await log().tail(4, before);
        if (events.length === 0) break;
        found.unshift(...events);
        before = events[0]?.position;
      }
      expect(found).to.deep.equal(all);
    });

    it('is empty on an empty log', async () => {
      expect(await log().tail(3)).to.deep.equal([]);
    });

    it('leaves out erased events', async () => {
      const [gone, kept] = [newStream(), newStream()];
      await log().append([appendOf(kept, 'none', newEvent(1))]);
      await log().append([appendOf(gone, 'none', newEvent(2), newEvent(3), newEvent(4))]);
      await log().erase(gone);
      expect((await log().tail(2)).map(({ data }) => data)).to.deep.equal([1]);
    });
  });
};
