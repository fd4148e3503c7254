import {
  BIGINT,
  BOOLEAN,
  DOUBLE,
  DuckDBInstance,
  DuckDBListValue,
  LIST,
  UINTEGER,
  UUID,
  VARCHAR,
  type DuckDBValue,
} from '@duckdb/node-api';
import { expect } from 'chai';
import * as fc from 'fast-check';
import type { CellValue } from '../../engines/duckdb/column-vector.js';
import { addRow, appendChunks, openChunkBuffer } from '../../engines/duckdb/chunk-buffer.js';
import { drawSeed } from '../support/test-environment.js';
import { runs } from '../support/runs.js';

const columns = [
  { type: BIGINT },
  { type: UINTEGER },
  { type: DOUBLE },
  { type: BOOLEAN },
  { type: UUID },
  { type: VARCHAR },
  { type: LIST(VARCHAR) },
] as const;

const text = fc.string({ unit: 'grapheme', maxLength: 40 });
const cells: readonly fc.Arbitrary<CellValue>[] = [
  fc.oneof(fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n), fc.maxSafeInteger()),
  fc.integer({ min: 0, max: 2 ** 32 - 1 }),
  fc.double({ noNaN: true }),
  fc.boolean(),
  fc.uuid(),
  fc.oneof(
    text,
    fc.constantFrom('', 'a\u0000b', 'twelve bytes', 'thirteen byte', 'x'.repeat(5_000)),
  ),
  fc.array(text, { maxLength: 4 }),
];
type Row = readonly (CellValue | null)[];
const row: fc.Arbitrary<Row> = fc.tuple(...cells.map((cell) => fc.option(cell)));

const read = (value: DuckDBValue, column: number): CellValue | null => {
  if (value === null) return null;
  if (value instanceof DuckDBListValue) return value.items.map(String);
  if (column === 4) return String(value);
  return value as CellValue;
};
const asRead = (values: Row): Row =>
  values.map((value, column) =>
    column === 0 && value !== null ? BigInt(value as bigint | number) : value,
  );

describe('column vector', () => {
  const seed = drawSeed('cells');

  it('returns cells as they were set, and null for unset ones', async () => {
    const instance = await DuckDBInstance.create(':memory:');
    const connection = await instance.connect();
    const types = columns.map(({ type }, at) => `c${at} ${type.toString()}`).join(', ');
    // More rows than a chunk has, and a column that has no value in any of them.
    const rows = fc.tuple(
      fc.array(row, { maxLength: 30 }),
      fc.integer({ min: 0, max: 6 }),
      fc.nat(90),
    );
    const property = fc.asyncProperty(rows, async ([some, empty, times]) => {
      await connection.run(`CREATE OR REPLACE TABLE t (${types})`);
      const chunks = openChunkBuffer('t', columns);
      const given = Array.from({ length: times }, () => some)
        .flat()
        .map((values) => values.map((value, column) => (column === empty ? null : value)));
      for (const values of given) addRow(chunks, values);
      await appendChunks(connection, chunks);
      const found = await connection.runAndReadAll('SELECT * FROM t');
      expect(found.getRows().map((values) => values.map(read))).to.deep.equal(given.map(asRead));
    });
    await fc.assert(property, { seed, numRuns: runs(60) });
    connection.closeSync();
    instance.closeSync();
  });
});
