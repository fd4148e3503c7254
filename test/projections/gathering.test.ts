import { expect } from 'chai';
import { systemClock } from '../../engines/node/clock.js';
import { temporaryFolder } from '../support/folder.js';
import { append, projectorIn, type OpenProjector } from '../support/projector.js';
import { room, said, wordsCounted } from '../support/said.js';
import { until } from '../support/until.js';

describe('the projector, once all is folded', () => {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  let open: OpenProjector;
  beforeEach(async () => {
    folder = await temporaryFolder();
  });
  afterEach(async () => {
    await open.close();
    await folder.remove();
  });

  it('lets events gather after some came together, and not after a few or very many', async () => {
    const rests: number[] = [];
    const clock = {
      ...systemClock,
      wait: (milliseconds: number, signal: AbortSignal): Promise<void> => {
        if (milliseconds > 100) return systemClock.wait(milliseconds, signal);
        rests.push(milliseconds);
        return Promise.resolve();
      },
    };
    open = await projectorIn({ dir: folder.dir, projections: [wordsCounted], clock });
    const counted = (name: string, count: number): Promise<void> =>
      until('it is counted', 5_000, async () => {
        const found = await open.documents.get<number>(wordsCounted.collection, room(name));
        return found?.body === count;
      });
    for (let number = 0; number < 5; number += 1) {
      await append(open.log, room('a'), number, said('x'));
      await counted('a', number + 1);
    }
    expect(rests).to.deep.equal([]);
    const together = async (name: string, length: number): Promise<void> => {
      const batch = Array.from({ length }, (_, at) => ({
        stream: room(`${name}${at}`),
        expected: 'none' as const,
        events: [said('y')],
      }));
      await open.log.append(batch);
    };
    await together('b', 20);
    await until('it rested', 5_000, async () => rests.length > 0);
    expect(rests).to.have.length(1);
    await append(open.log, room('a'), 5, said('z'));
    await counted('a', 6);
    expect(rests).to.have.length(1);
    await together('c', 200);
    await counted('c199', 1);
    await append(open.log, room('a'), 6, said('z'));
    await counted('a', 7);
    expect(rests).to.have.length(1);
  });
});
