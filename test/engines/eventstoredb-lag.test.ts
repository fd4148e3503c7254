import { expect } from 'chai';
import * as fc from 'fast-check';
import {
  lagMax,
  openLagCounter,
  type ReadPositions,
} from '../../engines/eventstoredb/count-lag.js';
import type { Position } from '../../kernel/ports.js';
import { drawSeed } from '../support/test-environment.js';
import { runs } from '../support/runs.js';

const positionOf = (n: number): Position => n.toString(16).padStart(16, '0') as Position;

/** A log that grows, of events at every third position, and how many were read of it. */
const openLog = () => {
  const log: Position[] = [];
  const read = { count: 0 };
  const readPositions: ReadPositions = async (after, limit) => {
    const positions = log.filter((one) => one > after).slice(0, limit);
    read.count += positions.length;
    return { positions, through: positions.at(-1) ?? after };
  };
  const grow = (events: number): void => {
    for (let n = 0; n < events; n += 1) log.push(positionOf((log.length + 1) * 3));
  };
  return { log, read, readPositions, grow };
};

describe('EventStoreDB lag', () => {
  it('counts the events after a position, up to a limit, in any order of calls', async () => {
    const asks = fc.array(
      fc.oneof(
        fc.record({ grow: fc.integer({ min: 0, max: 1_500 }) }),
        fc.record({
          ask: fc.array(fc.double({ min: 0, max: 1.05, noNaN: true }), { maxLength: 12 }),
        }),
      ),
      { maxLength: 20 },
    );
    const property = fc.asyncProperty(asks, async (steps) => {
      const { log, readPositions, grow } = openLog();
      const lag = openLagCounter(readPositions);
      for (const step of steps) {
        if ('grow' in step) grow(step.grow);
        else {
          await Promise.all(
            step.ask.map(async (share) => {
              const after = positionOf(Math.floor(share * log.length * 3));
              const naive = log.filter((one) => one > after).length;
              expect(await lag(after)).to.equal(Math.min(lagMax, naive));
            }),
          );
        }
      }
    });
    await fc.assert(property, { seed: drawSeed('lags'), numRuns: runs(100) });
  });

  it('reads an event once, however many read models count and however often', async () => {
    const { read, readPositions, grow } = openLog();
    const lag = openLagCounter(readPositions);
    for (let round = 0; round < 20; round += 1) {
      grow(40);
      const places = Array.from({ length: 28 }, (_, n) => positionOf(round * 60 + n));
      await Promise.all(places.map((after) => lag(after)));
    }
    expect(read.count).to.equal(20 * 40);
  });
});
