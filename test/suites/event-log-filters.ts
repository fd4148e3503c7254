import { expect } from 'chai';
import { logStart, type EventLog, type NewEvent, type StreamName } from '../../kernel/ports.js';
import { appendOf, newEvent } from '../support/new-events.js';

const ofType = (type: string, data: unknown = {}): NewEvent => ({ ...newEvent(data), type });

/** Pages filtered by types or streams. */
export const eventFilterSuite = (log: () => EventLog): void => {
  describe('pages of some types', () => {
    it('have only these events, in log order, and the position read up to', async () => {
      for (let number = 0; number < 10; number += 1) {
        const type = number % 4 === 0 ? 'Rare' : 'Common';
        await log().append([
          appendOf(`thing-${number}` as StreamName, 'none', ofType(type, number)),
        ]);
      }
      const numbers: unknown[] = [];
      let from = logStart;
      for (let looked = 0; looked < 20; looked += 1) {
        const page = await log().page(from, 3, ['Rare', 'Rarer']);
        expect(page.events.length).to.be.lessThan(4);
        numbers.push(...page.events.map(({ data }) => data));
        from = page.through;
      }
      expect(numbers).to.deep.equal([0, 4, 8]);
      expect(from).to.equal(await log().head());
    });

    it('are empty at the head and do not move past it', async () => {
      await log().append([appendOf('thing-1' as StreamName, 'none', ofType('Rare'))]);
      const head = await log().head();
      expect(await log().page(head, 100, ['Rare'])).to.deep.equal({
        events: [],
        erased: [],
        through: head,
      });
    });

    it('never move past the head, however often read and whatever was erased', async () => {
      const erased = 'thing-1' as StreamName;
      await log().append([
        appendOf(erased, 'none', ofType('Common')),
        appendOf('thing-2' as StreamName, 'none', ofType('Common')),
      ]);
      await log().erase(erased);
      const head = await log().head();
      for (const from of [logStart, head, logStart, head, head]) {
        for (let place = from, looked = 0; looked < 3; looked += 1) {
          place = (await log().page(place, 100, ['Rare'])).through;
          expect(place <= head, `${place} is behind ${head}`).to.equal(true);
        }
      }
      // A reader at the head must not miss the next event.
      await log().append([appendOf('thing-3' as StreamName, 'none', ofType('Rare', 'next'))]);
      const next = await log().page(head, 100, ['Rare']);
      expect(next.events.map(({ data }) => data)).to.deep.equal(['next']);
    });
  });

  describe('streams by the beginning of their name', () => {
    const names = ['a-1', 'a-10', 'a-2', 'a-é', 'a-😀', 'b-1', 'a'];

    it('are listed in code point order, page by page, each once', async () => {
      await log().append(
        names.map((name) => appendOf(name as StreamName, 'none', newEvent(), newEvent())),
      );
      const first = await log().streams('a-', null, 3);
      expect(first).to.deep.equal(['a-1', 'a-10', 'a-2']);
      const rest = await log().streams('a-', first[2] ?? null, 3);
      expect(rest).to.deep.equal(['a-é', 'a-😀']);
      expect(await log().streams('a-', rest[1] ?? null, 3)).to.deep.equal([]);
    });

    it('leave out streams that were erased', async () => {
      await log().append(names.map((name) => appendOf(name as StreamName, 'none', newEvent())));
      await Promise.all(['a-1', 'a-é'].map((name) => log().erase(name as StreamName)));
      expect(await log().streams('a-', null, 10)).to.deep.equal(['a-10', 'a-2', 'a-😀']);
    });
  });
};
