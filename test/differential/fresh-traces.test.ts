import { DuckDBInstance } from '@duckdb/node-api';
import { expect } from 'chai';
import * as fc from 'fast-check';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { databaseFileName } from '../../engines/duckdb/generation-files.js';
import { openRecords } from '../../engines/duckdb/records.js';
import { tableNames } from '../../engines/duckdb/schema.js';
import { columnIndex } from '../../kernel/records/columns.js';
import { rowOfCells, type RecordCells } from '../../kernel/records/record-cells.js';
import type { GroupWrite, Records, RecordWrites } from '../../kernel/records/records.js';
import { foldBatch } from '../../projections/records/batch.js';
import { temporaryFolder } from '../support/folder.js';
import { freshTraceLogs } from '../support/fresh-trace-logs.js';
import { append, projectorIn } from '../support/projector.js';
import { traceStream, type TraceLogEvent } from '../support/random-trace-logs.js';
import { markAt } from '../support/record-rows.js';
import { runs } from '../support/runs.js';
import { drawSeed } from '../support/test-environment.js';
import { traceLoggedEvent } from '../support/trace-logged-event.js';

const tracesPerLog = 300;

type Way = 'columns' | 'rows';
type Cells = ReadonlyMap<string, readonly (readonly unknown[])[]>;

/** Writes the log's batches into a new file and returns all its tables. */
const writeLog = async (
  batches: readonly (readonly TraceLogEvent[])[],
  freshAs: Way,
  visit: (writes: RecordWrites) => void = () => undefined,
): Promise<Cells> => {
  const { dir, remove } = await temporaryFolder();
  try {
    const records = await openRecords({ dir });
    for (const [at, batch] of batches.entries()) {
      const folded = await foldBatch(records, batch, 'older groups', { freshAs });
      expect(folded.poisons).to.deep.equal([]);
      visit(folded.writes);
      await records.apply(folded.writes, markAt(at + 1));
    }
    await records.close();
    return await readTables(join(dir, databaseFileName(1)));
  } finally {
    await remove();
  }
};

const readTables = async (path: string): Promise<Cells> => {
  const instance = await DuckDBInstance.create(path, { access_mode: 'READ_ONLY' });
  const connection = await instance.connect();
  const tables = new Map<string, readonly (readonly unknown[])[]>();
  for (const name of tableNames) {
    const found = await connection.runAndReadAll(`SELECT * FROM ${name} ORDER BY ALL`);
    tables.set(name, [found.columnNames(), ...found.getRowsJson()]);
  }
  connection.closeSync();
  instance.closeSync();
  return tables;
};

/** The cells that differ, by table and column. */
const differences = (one: Cells, other: Cells) => {
  let compared = 0;
  const found: unknown[] = [];
  for (const [name, rows] of one) {
    const others = other.get(name) ?? [];
    expect(others.length, name).to.equal(rows.length);
    for (const [at, row] of rows.entries()) {
      for (const [column, cell] of row.entries()) {
        compared += 1;
        const wanted = others[at]?.[column];
        if (JSON.stringify(cell) !== JSON.stringify(wanted))
          found.push({ table: name, row: row[0], column: rows[0]?.[column], cell, wanted });
      }
    }
  }
  return { compared, found };
};

const inBatches = (events: readonly TraceLogEvent[], sizes: readonly number[]) => {
  const batches: (readonly TraceLogEvent[])[] = [];
  for (let at = 0, index = 0; at < events.length; index += 1) {
    const size = sizes[index % sizes.length] ?? 1;
    batches.push(events.slice(at, at + size));
    at += size;
  }
  return batches;
};

describe('fresh traces', () => {
  const seed = drawSeed('fresh traces');
  const logs = fc.tuple(
    freshTraceLogs(tracesPerLog),
    fc.array(fc.integer({ min: 1, max: 120 }), { minLength: 1, maxLength: 9 }),
  );

  it('fill the same cells from their events as from their rows', async () => {
    for (const [at, [events, sizes]] of fc.sample(logs, { seed, numRuns: runs(1) }).entries()) {
      const batches = inBatches(events, sizes);
      let fresh = 0;
      const byColumns = await writeLog(batches, 'columns', ({ groups }) => {
        for (const write of groups) {
          if (write.columns === undefined) continue;
          fresh += 1;
          const records = Array.from(write.columns.records(), (cells) => rowOfCells(cells));
          // Chai compares long texts slowly.
          if (!isDeepStrictEqual(records, write.rows)) expect(records).to.deep.equal(write.rows);
        }
      });
      const byRows = await writeLog(batches, 'rows', ({ groups }) => {
        expect(groups.every(({ columns }) => columns === undefined)).to.equal(true);
      });
      const { compared, found } = differences(byColumns, byRows);
      process.stdout.write(
        `    log ${at}: ${fresh} of ${tracesPerLog} traces from their events, ` +
          `${compared} cells compared, ${found.length} differ\n`,
      );
      expect(found.slice(0, 5)).to.deep.equal([]);
      expect(fresh).to.be.greaterThan(tracesPerLog / 4);
    }
  }).timeout(240_000 * runs(1));

  it('are written without folding their rows', async () => {
    const [[events] = [[]]] = fc.sample(logs, { seed, numRuns: 1 });
    const { dir, remove } = await temporaryFolder();
    const records = await openRecords({ dir });
    const { writes } = await foldBatch(records, events.slice(0, 50));
    const groups = writes.groups.flatMap(({ group, fresh, columns }) => {
      const get = (): never => {
        throw new Error('the rows were folded');
      };
      if (columns === undefined) return [];
      return [Object.defineProperty({ group, fresh, columns, rows: [] }, 'rows', { get })];
    });
    expect(groups).not.to.deep.equal([]);
    await records.prefetch({ ...writes, groups });
    await records.apply({ ...writes, groups }, markAt(1));
    const names = groups.map(({ group }) => group);
    expect((await records.groupBytes(names)).size).to.equal(groups.length);
    await records.close();
    await remove();
  });

  it('are compared with their rows when records are verified', async () => {
    const { dir, remove } = await temporaryFolder();
    const damaged = (records: Records): Records => ({
      ...records,
      apply: (writes, mark) =>
        records.apply({ ...writes, groups: writes.groups.map(withWrongName) }, mark),
      shadow: async (copying) => {
        const copy = await records.shadow(copying);
        return { ...copy, model: damaged(copy.model) };
      },
    });
    const open = await projectorIn({ dir, records: damaged });
    const name = traceStream(1);
    await append(open.log, name, 0, traceLoggedEvent(1, { name: 'right' }));
    await open.untilCaughtUp();
    const [result] = await open.projector.verify('records');
    const [stored, replayed] = [result?.difference?.stored, result?.difference?.replayed];
    expect(stored).to.have.nested.property('values.name', 'wrong');
    expect(replayed).to.have.nested.property('values.name', 'right');
    await open.close();
    await remove();
  });
});

/** Another name where the trace is written as columns. */
const withWrongName = (write: GroupWrite): GroupWrite => {
  const { group, fresh, columns } = write;
  if (columns === undefined) return write;
  function* records(): Iterable<RecordCells> {
    for (const cells of columns?.records() ?? []) {
      yield { ...cells, values: cells.values.with(columnIndex.name, 'wrong') };
    }
  }
  return { group, fresh, rows: [], columns: { ...columns, records } };
};
