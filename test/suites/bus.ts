import { expect } from 'chai';
import type { NotificationBus } from '../../kernel/ports.js';
import type { Json } from '../../kernel/schema-types.js';

/**
 * Two ends of one bus, as two threads or machines have them; `stranger` is on another one of its
 * kind.
 */
type OpenBuses = () => Promise<{
  readonly one: NotificationBus;
  readonly other: NotificationBus;
  readonly stranger: NotificationBus;
}>;

/**
 * Suite of the port Bus: guarantees of every engine. Delivery of every message is not one of them.
 */
export const busSuite = (name: string, open: OpenBuses): void => {
  describe(`the bus on ${name}`, () => {
    let buses: Awaited<ReturnType<OpenBuses>>;
    beforeEach(async () => {
      buses = await open();
    });
    afterEach(() => Promise.all(Object.values(buses).map((bus) => bus.close())));

    const next = (bus: NotificationBus, subject: string): Promise<Json> =>
      new Promise((resolve) => {
        const end = bus.subscribe(subject, (message) => {
          end();
          resolve(message);
        });
      });

    it('delivers a message to the other end and to its own', async () => {
      const heard = Promise.all([next(buses.one, 'a.b'), next(buses.other, 'a.b')]);
      buses.one.publish('a.b', { deep: [1, null, 'é\u0000😀'] });
      const message = { deep: [1, null, 'é\u0000😀'] };
      expect(await heard).to.deep.equal([message, message]);
    });

    it('keeps the order of one publisher', async () => {
      const heard: Json[] = [];
      buses.other.subscribe('count', (message) => heard.push(message));
      const last = next(buses.other, 'last');
      for (let count = 0; count < 100; count += 1) buses.one.publish('count', count);
      buses.one.publish('last', null);
      await last;
      expect(heard).to.deep.equal(Array.from({ length: 100 }, (_, count) => count));
    });

    it('keeps subjects apart, and buses', async () => {
      const heard: string[] = [];
      for (const subject of ['a', 'A', 'a.b', '', '__proto__']) {
        buses.other.subscribe(subject, () => heard.push(subject));
      }
      buses.stranger.subscribe('a', () => heard.push('stranger'));
      const last = next(buses.other, 'last');
      buses.one.publish('a', null);
      buses.one.publish('__proto__', null);
      buses.one.publish('last', null);
      await last;
      expect(heard).to.deep.equal(['a', '__proto__']);
    });

    it('calls handlers asynchronously, and never after their subscription ended', async () => {
      const heard: Json[] = [];
      const handler = (message: Json): void => void heard.push(message);
      const end = buses.one.subscribe('a', handler);
      buses.one.subscribe('a', handler);
      buses.one.publish('a', 'first');
      expect(heard).to.deep.equal([]);
      await next(buses.one, 'a');
      end();
      const last = next(buses.one, 'a');
      buses.one.publish('a', 'second');
      await last;
      expect(heard).to.deep.equal(['first', 'first', 'second']);
    });

    it('delivers nothing once closed', async () => {
      const heard: Json[] = [];
      buses.one.subscribe('a', (message) => heard.push(message));
      await buses.one.close();
      buses.one.publish('a', 'to nobody');
      buses.one.subscribe('a', (message) => heard.push(message));
      const last = next(buses.other, 'a');
      buses.other.publish('a', 'still there');
      expect(await last).to.equal('still there');
      expect(heard).to.deep.equal([]);
    });
  });
};
