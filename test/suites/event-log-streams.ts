import { expect } from 'chai';
import type { EventLog, NewEvent, StoredEvent, StreamName } from '../../kernel/ports.js';
import { appendOf, newEvent, newStream } from '../support/new-events.js';

const ofType = (type: string, data: unknown): NewEvent => ({ ...newEvent(data), type });
const largeText = 'x'.repeat(400_000);
const largeEvents = 12;

/** Reads of a single stream of any length. */
export const streamSuite = (log: () => EventLog): void => {
  const long = async (): Promise<StreamName> => {
    const stream = newStream();
    for (let number = 0; number < largeEvents; number += 1) {
      const event = ofType(number % 5 === 0 ? 'Rare' : 'Common', { number, text: largeText });
      await log().append([appendOf(stream, number === 0 ? 'none' : number - 1, event)]);
    }
    return stream;
  };
  const numbers = (events: readonly StoredEvent[]): readonly number[] =>
    events.map(({ data }) => (data as { readonly number: number }).number);
  const all = Array.from({ length: largeEvents }, (_, number) => number);

  describe('a long stream', () => {
    it('is read in portions, in order and complete', async () => {
      const stream = await long();
      const portions = await Array.fromAsync(log().portions(stream), numbers);
      expect(portions.flat()).to.deep.equal(all);
      expect(portions.length).to.be.above(2);
      expect(numbers(await log().read(stream))).to.deep.equal(all);
      expect(numbers(await log().read(stream, { from: 3 }))).to.deep.equal(all.slice(3));
    });

    it('leaves the event loop to others while it is read, once and ten times', async () => {
      const stream = await long();
      for (const times of [1, 10]) {
        let turns = 0;
        let isDone = false;
        const count = (): void => {
          turns += 1;
          if (!isDone) setImmediate(count);
        };
        setImmediate(count);
        await Promise.all(Array.from({ length: times }, () => log().read(stream)));
        isDone = true;
        expect(turns).to.be.at.least((times * largeEvents) / 2);
      }
    });

    it('reports an erasure during the read, which voids the portions before', async () => {
      const stream = await long();
      const portions: number[] = [];
      for await (const portion of log().portions(stream)) {
        if (portions.length === 0) await log().erase(stream);
        portions.push(portion.length);
      }
      expect(portions).to.have.length(2);
      expect(portions[1]).to.equal(0);
    });
  });

  describe('a stream', () => {
    it('returns only its events of the requested types', async () => {
      const stream = await long();
      const rare = await log().read(stream, { types: ['Rare', 'Rarer'] });
      expect(numbers(rare)).to.deep.equal([0, 5, 10]);
      expect(rare.map(({ revision }) => revision)).to.deep.equal([0, 5, 10]);
      const later = await log().read(stream, { types: ['Rare'], from: 1, limit: 1 });
      expect(numbers(later)).to.deep.equal([5]);
      expect(await log().read(stream, { types: ['Rarer'] })).to.deep.equal([]);
    });

    it('returns at most the requested number of events', async () => {
      const stream = await long();
      expect(numbers(await log().read(stream, { limit: 1 }))).to.deep.equal([0]);
      expect(numbers(await log().read(stream, { from: 2, limit: 5 }))).to.deep.equal([
        2, 3, 4, 5, 6,
      ]);
      const small = newStream();
      await log().append([appendOf(small, 'none', newEvent(), newEvent())]);
      expect(await log().read(small, { limit: 10 })).to.have.length(2);
    });

    it('returns its last event, null without events and once erased', async () => {
      const stream = newStream();
      expect(await log().last(stream)).to.equal(null);
      await log().append([appendOf(stream, 'none', newEvent(), ofType('Latest', {}))]);
      const { type, revision, position } = (await log().read(stream))[1] ?? {};
      expect(await log().last(stream)).to.deep.equal({ type, revision, position });
      await log().erase(stream);
      expect(await log().last(stream)).to.equal(null);
    });
  });
};
