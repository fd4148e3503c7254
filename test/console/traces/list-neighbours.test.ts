import { expect } from 'chai';
import * as fc from 'fast-check';
import { neighboursIn, partAround, wholePart } from '../../../console/traces/list-neighbours.js';
import { runs } from '../../support/runs.js';
import { drawSeed } from '../../support/test-environment.js';

const list = Array.from({ length: 400 }, (_id, index) => `t${index + 1}`);
const idsOf = ({ starting_token: start, limit }: ReturnType<typeof partAround>) =>
  list.slice(start, start + limit);

describe('the neighbours of a trace in a list', () => {
  it('are in the part around its row, with ten rows to spare', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: list.length }),
        fc.integer({ min: -10, max: 10 }),
        (row, shift) => {
          const moved = Math.max(1, Math.min(list.length, row + shift));
          const part = partAround(row);
          expect(neighboursIn(part, idsOf(part), `t${moved}`)).to.deep.equal({
            row: moved,
            before: list[moved - 2] ?? null,
            after: list[moved] ?? null,
          });
        },
      ),
      { seed: drawSeed(), numRuns: runs(100), examples: [[61, -10]] },
    );
  });

  it('are unknown where the part lacks the trace', () => {
    expect(neighboursIn(wholePart, list, 'another')).to.equal(null);
  });
});
