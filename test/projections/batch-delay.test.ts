import { expect } from 'chai';
import { systemClock } from '../../engines/node/clock.js';
import { temporaryFolder } from '../support/folder.js';
import { append, projectorIn, type OpenProjector } from '../support/projector.js';
import { wordStream, wordSaid, wordCounts } from '../support/word-projection.js';
import { pollUntil } from '../support/poll-until.js';

describe("the projector's batch delay", () => {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  let open: OpenProjector;
  beforeEach(async () => {
    folder = await temporaryFolder();
  });
  afterEach(async () => {
    await open.close();
    await folder.remove();
  });

  it('delays the next batch after a medium one, not after a few events or very many', async () => {
    const rests: number[] = [];
    const clock = {
      ...systemClock,
      wait: (milliseconds: number, signal: AbortSignal): Promise<void> => {
        if (milliseconds > 100) return systemClock.wait(milliseconds, signal);
        rests.push(milliseconds);
        return Promise.resolve();
      },
    };
    open = await projectorIn({ dir: folder.dir, projections: [wordCounts], clock });
    const counted = (name: string, count: number): Promise<void> =>
      pollUntil('it is counted', 5_000, async () => {
        const found = await open.documents.get<number>(wordCounts.collection, wordStream(name));
        return found?.body === count;
      });
    for (let number = 0; number < 5; number += 1) {
      await append(open.log, wordStream('a'), number, wordSaid('x'));
      await counted('a', number + 1);
    }
    expect(rests).to.deep.equal([]);
    const together = async (name: string, length: number): Promise<void> => {
      const batch = Array.from({ length }, (_, at) => ({
        stream: wordStream(`${name}${at}`),
        expected: 'none' as const,
        events: [wordSaid('y')],
      }));
      await open.log.append(batch);
    };
    await together('b', 20);
    await pollUntil('it rested', 5_000, async () => rests.length > 0);
    expect(rests).to.have.length(1);
    await append(open.log, wordStream('a'), 5, wordSaid('z'));
    await counted('a', 6);
    expect(rests).to.have.length(1);
    await together('c', 200);
    await counted('c199', 1);
    await append(open.log, wordStream('a'), 6, wordSaid('z'));
    await counted('a', 7);
    expect(rests).to.have.length(1);
  });
});
