import { expect } from 'chai';
import * as fc from 'fast-check';
import { checkPresenceBits, packRow, unpackRow } from '../../engines/duckdb/packed-row.js';
import type { StreamName } from '../../kernel/ports.js';
import { standardColumns } from '../../kernel/records/columns.js';
import { cellsOfRow } from '../../kernel/records/record-cells.js';
import type { RecordRow } from '../../kernel/records/record.js';
import { drawSeed } from '../support/test-environment.js';
import { recordGroups } from '../support/record-generators.js';
import { spanRow, traceId, traceRow } from '../support/record-rows.js';
import { runs } from '../support/runs.js';

const packed = (row: RecordRow): string =>
  packRow(cellsOfRow(row), { elsewhere: [], annotators: row.annotators, body: row.body });
const again = (row: RecordRow): RecordRow => unpackRow(packed(row));

describe('packed row', () => {
  it('has a bit per standard column and refuses one column more', () => {
    expect(() => checkPresenceBits(standardColumns)).not.to.throw();
    const more = Array.from({ length: 54 });
    expect(() => checkPresenceBits(more)).to.throw(TypeError, '54 standard columns');
  });

  const seed = drawSeed('packed records');

  it('round-trips', () => {
    fc.assert(
      fc.property(recordGroups(3), (groups) => {
        for (const row of groups.flat()) expect(again(row)).to.deep.equal(row);
      }),
      { seed, numRuns: runs(200) },
    );
  });

  it('round-trips a record without usual values', () => {
    const trace = traceRow(1, { group: 'trace' as StreamName, spanCount: 1 });
    const span = spanRow(trace, 1, {
      group: 'elsewhere-1' as StreamName,
      values: { session_id: traceId(2), parent_id: traceId(3) },
      metrics: { tokens: { value: 1, rolledUp: true, method: 'sum' } },
      errors: { tokens: { code: 1, message: null } },
    });
    for (const row of [trace, span]) expect(again(row)).to.deep.equal(row);
  });

  it('contains nothing twice', () => {
    const span = spanRow(traceRow(1), 1);
    expect(packed(span).split(traceId(1))).to.have.length(2);
    expect(packed(span)).not.to.include('{}');
  });
});
