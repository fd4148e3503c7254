import { expect } from 'chai';
import * as fc from 'fast-check';
import {
  partitionedRecords,
  partitionPredicate,
  partitionOf,
} from '../../kernel/records/partitions.js';
import { streamNameOf } from '../../kernel/ports.js';
import { drawSeed } from '../support/test-environment.js';
import { runs } from '../support/runs.js';

describe('partitions of the records', () => {
  const count = fc.integer({ min: 2, max: 64 });

  it('have each trace and session once, with the rest of its project', () => {
    const seed = drawSeed();
    fc.assert(
      fc.property(fc.uuid(), fc.uuid(), count, (project, id, parts) => {
        const at = partitionOf(project, parts);
        for (let index = 1; index <= parts; index += 1) {
          const isMine = partitionPredicate({ index, count: parts });
          expect(isMine({ stream: streamNameOf('trace', project, id) })).to.equal(index === at);
          expect(isMine({ stream: streamNameOf('session', project, id) })).to.equal(index === at);
          expect(isMine({ stream: streamNameOf('run', id) })).to.equal(true);
          expect(isMine({ stream: streamNameOf('project', project) })).to.equal(true);
        }
      }),
      { seed, numRuns: runs(100) },
    );
  });

  it('are balanced: each within a fifth above its share of 10,000 projects', () => {
    const seed = drawSeed();
    const projects = fc.sample(fc.uuid({ version: 4 }), { seed, numRuns: 10_000 });
    const sizes = [0, 0, 0, 0];
    for (const project of projects) {
      const at = partitionOf(project, sizes.length) - 1;
      sizes[at] = (sizes[at] ?? 0) + 1;
    }
    for (const size of sizes) expect(size).to.be.within(2_000, 3_000);
  });

  it('are two or more', () => {
    expect(() => partitionedRecords([])).to.throw(RangeError);
  });
});
