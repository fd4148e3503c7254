import { expect } from 'chai';
import type { EventLog, StreamAppend } from '../../kernel/ports.js';
import { appendOf, newEvent, newStream } from '../support/new-events.js';

/** Appends with `afterPrevious`. */
export const chainSuite = (log: () => EventLog): void => {
  describe('chained appends', () => {
    it('follow the ones before, and are a conflict after a conflict', async () => {
      const [taken, lost, free, last] = Array.from({ length: 4 }, () => newStream('chain'));
      const first = (stream = newStream()) => appendOf(stream, 'none', newEvent());
      const next = (stream = newStream()): StreamAppend => ({
        ...first(stream),
        afterPrevious: true,
      });
      await log().append([first(taken)]);
      const refused = await log().append([first(taken), next(lost), next(lost), first(free)]);
      expect(refused.slice(0, 3)).to.deep.equal(['conflict', 'conflict', 'conflict']);
      const chain = [first(lost), next(last)];
      const written = await log().append([...chain, next(taken), next()]);
      expect(written.slice(2)).to.deep.equal(['conflict', 'conflict']);
      const positions = [refused[3], ...written].flatMap((one = 'conflict') =>
        one === 'conflict' ? [] : [one.position],
      );
      expect(positions)
        .to.have.length(3)
        .and.deep.equal([...positions].toSorted());
      expect(await log().append(chain)).to.deep.equal(written.slice(0, 2));
    });
  });
};
