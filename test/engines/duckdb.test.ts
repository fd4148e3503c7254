import { expect } from 'chai';
import { hash } from 'node:crypto';
import { readdir, readFile, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { noProjectColumns } from '../../engines/duckdb/project-columns.js';
import { openColumnCache, type ProjectColumns } from '../../engines/duckdb/column-cache.js';
import { databaseFileName } from '../../engines/duckdb/generation-files.js';
import { openRecords } from '../../engines/duckdb/records.js';
import { tables } from '../../engines/duckdb/schema.js';
import { describeDamage } from '../../engines/duckdb/engine-errors.js';
import { logStart } from '../../kernel/ports.js';
import { Fault } from '../../kernel/fault.js';
import type { Incident, Records } from '../../kernel/records/records.js';
import type { TraceEvent } from '../../events/traces.js';
import { foldBatch } from '../../projections/records/batch.js';
import { recordsSuite } from '../suites/records.js';
import { temporaryFolder } from '../support/folder.js';
import {
  markAt,
  project,
  put,
  putRows,
  run,
  scopeOf,
  searchOf,
  sessionId,
  sessionRow,
  spanRow,
  traceRow,
} from '../support/record-rows.js';
import { logOf, traceStream } from '../support/random-trace-logs.js';
import { traceLoggedEvent } from '../support/trace-logged-event.js';
import { copyAsKilled } from '../support/killed-copy.js';
import { pollUntil } from '../support/poll-until.js';

recordsSuite('DuckDB', async () => {
  const { dir, remove } = await temporaryFolder();
  let records = await openRecords({ dir });
  return {
    records,
    reopen: async () => {
      await records.close();
      records = await openRecords({ dir });
      return records;
    },
    close: async () => {
      await records.close();
      await remove();
    },
  };
});

describe('DuckDB column cache', () => {
  it('keeps the names of the projects queried last', () => {
    const known = openColumnCache(10);
    const named = (count: number): ProjectColumns => ({
      ...noProjectColumns,
      numbers: new Map(Array.from({ length: count }, (_, at) => [`metrics/${at}`, at])),
    });
    for (let project = 0; project < 1_000; project += 1) {
      known.set(project, named(3));
      known.get(0);
    }
    const kept = Array.from({ length: 1_000 }, (_, project) => project).filter(
      (project) => known.get(project) !== null,
    );
    expect(kept).to.deep.equal([0, 999]);
    // One that is larger than all of it serves its own questions.
    known.set(5, named(100));
    expect(known.get(5)?.numbers.size).to.equal(100);
    expect(known.get(0)).to.equal(null);
    known.delete(5);
    expect(known.get(5)).to.equal(null);
  });
});

/** Result of `work`, and the number of its statements: counting takes no time. */
const statementsOf = async <T>(
  work: () => Promise<T>,
): Promise<{ readonly answer: T; readonly count: number }> => {
  const runAndReadAll = Reflect.get(DuckDBConnection.prototype, 'runAndReadAll');
  let count = 0;
  DuckDBConnection.prototype.runAndReadAll = function (...given) {
    count += 1;
    return Reflect.apply(runAndReadAll, this, given);
  };
  try {
    return { answer: await work(), count };
  } finally {
    DuckDBConnection.prototype.runAndReadAll = runAndReadAll;
  }
};

describe('DuckDB record files', () => {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  beforeEach(async () => {
    folder = await temporaryFolder();
  });
  afterEach(() => folder.remove());
  const openedOnce = async (): Promise<void> => {
    const records = await openRecords({ dir: folder.dir });
    await putRows(records, [traceRow(1)]);
    await records.close();
  };

  it('removes a half-built copy after a crash and keeps the live file', async () => {
    await openedOnce();
    await writeFile(join(folder.dir, databaseFileName(7)), 'torn');
    await writeFile(join(folder.dir, `${databaseFileName(7)}.wal`), 'torn');
    const records = await openRecords({ dir: folder.dir });
    expect(await records.count(scopeOf())).to.equal(1);
    const left = await readdir(folder.dir);
    expect(left.filter((name) => name.startsWith(databaseFileName(7)))).to.deep.equal([]);
    await records.close();
  });

  it('keeps a durable copy over a kill, also once it was promoted', async () => {
    const records = await openRecords({ dir: folder.dir });
    await putRows(records, [traceRow(1)]);
    const copy = await records.shadow({ durable: true });
    await putRows(copy.model, [traceRow(2), traceRow(3)]);
    await copy.model.flush?.();
    const killed = await copyAsKilled(folder.dir);
    await records.close();
    const lasting = join(killed.dir, 'records.lasting');
    const pointer = await readFile(lasting);
    let later = await openRecords({ dir: killed.dir });
    const resumed = await later.resume(copy.id);
    expect(await resumed?.model.count(scopeOf())).to.equal(2);
    await resumed?.promote();
    await later.close();
    // A kill right after the switch.
    await writeFile(lasting, pointer);
    later = await openRecords({ dir: killed.dir });
    expect(await later.resume(copy.id)).to.equal(null);
    await (await later.shadow({ durable: true })).discard();
    expect(await later.count(scopeOf())).to.equal(2);
    await later.close();
    const left = (await readdir(killed.dir)).filter((one) => !one.includes('spill'));
    expect(left).to.have.members([databaseFileName(Number(copy.id)), 'records.live']);
    await killed.remove();
  });

  it('starts over from the log with a file of another version or other tables', async () => {
    await openedOnce();
    const instance = await DuckDBInstance.create(join(folder.dir, databaseFileName(1)));
    const connection = await instance.connect();
    const [[version] = []] = await connection
      .runAndReadAll('SELECT version FROM schema_version')
      .then((reader) => reader.getRows());
    expect(version).to.include(hash('sha256', tables.join('\n')).slice(0, 16));
    await connection.run("UPDATE schema_version SET version = 'old'");
    connection.closeSync();
    instance.closeSync();
    const records = await openRecords({ dir: folder.dir });
    expect(await records.checkpoint()).to.equal(logStart);
    expect(await records.count(scopeOf())).to.equal(0);
    await records.close();
  });

  it('reads a session page with as many queries for many traces as for few', async () => {
    const records = await openRecords({ dir: folder.dir });
    const traces = Array.from({ length: 400 }, (_, at) =>
      traceRow(at + 1, { values: { session_id: sessionId(1) }, spanCount: 1 }),
    );
    await putRows(records, [
      sessionRow(1),
      ...traces.flatMap((trace) => [trace, spanRow(trace, 1)]),
    ]);
    const plan = { project, session: sessionId(1), offset: 0 };
    const few = await statementsOf(() => records.sessionPage({ ...plan, limit: 2 }));
    const many = await statementsOf(() => records.sessionPage({ ...plan, limit: 400 }));
    await records.close();
    expect(many.answer.traces.map(({ group }) => group)).to.deep.equal(
      traces.map(({ group }) => group),
    );
    expect(many.count).to.equal(few.count);
  });

  it('writes a growing trace of long texts beside eight concurrent searches', async () => {
    const records = await openRecords({ dir: folder.dir, memoryMb: 128 });
    const trace = traceRow(1);
    for (const spans of [4, 8, 12, 16]) {
      const rows = Array.from({ length: spans }, (_, at) =>
        spanRow(trace, at + 1, { values: { input: `${at} ${'long '.repeat(200_000)}` } }),
      );
      const grown = { group: trace.group, fresh: spans === 4, rows: [trace, ...rows] };
      const search = () => records.search(searchOf({ population: 'span' }));
      await Promise.all([put(records, { groups: [grown] }), ...Array.from({ length: 8 }, search)]);
    }
    expect(await records.count(scopeOf({ population: 'span' }))).to.equal(16);
    await records.close();
  });

  it('starts over from an unreadable file and reports it', async () => {
    await openedOnce();
    await writeFile(join(folder.dir, databaseFileName(1)), 'torn'.repeat(10_000));
    const seen: Incident[] = [];
    const records = await openRecords({ dir: folder.dir, onIncident: (one) => seen.push(one) });
    expect(await records.checkpoint()).to.equal(logStart);
    expect(seen.map(({ kind, did }) => [kind, did])).to.deep.equal([['corrupt', 'dropped']]);
    await records.close();
  });

  it('starts over from a truncated file', async () => {
    await openedOnce();
    await truncate(join(folder.dir, databaseFileName(1)), 9_000);
    const seen: Incident[] = [];
    const records = await openRecords({ dir: folder.dir, onIncident: (one) => seen.push(one) });
    expect(await records.checkpoint()).to.equal(logStart);
    expect(seen.map(({ kind, did }) => [kind, did])).to.deep.equal([['corrupt', 'dropped']]);
    await records.close();
  });

  it('says in the first error that a damaged file is rebuilt from the log', () => {
    const about = (message: string): string => {
      const cause = new Error(message);
      return (describeDamage(new Fault('unavailable', 'not now', { cause })) as Fault).message;
    };
    expect(about('Computed checksum does not match stored checksum')).to.include('rebuilt from');
    expect(about('Out of Memory')).to.equal('not now');
  });

  it('reopens an invalidated engine with everything flushed before', async () => {
    const seen: Incident[] = [];
    // So little that a batch of 30 MB cannot even be rolled back.
    const records = await openRecords({
      dir: folder.dir,
      memoryMb: 16,
      onIncident: (one) => seen.push(one),
    });
    await putRows(records, [traceRow(1)]);
    await records.flush?.();
    const long = Array.from({ length: 30 }, (_, at) =>
      traceRow(at + 2, { values: { input: 'canary '.repeat(150_000) } }),
    );
    const nothing = { groups: [], deletedRuns: [], deletedProjects: [] };
    const failure = await putRows(records, long).catch((error: unknown) => error);
    expect(failure).to.be.instanceOf(Fault).that.has.property('code', 'unavailable');
    const meanwhile = await records.count(scopeOf()).catch((error: unknown) => error);
    expect(meanwhile).to.be.instanceOf(Fault).that.has.property('retryAfterSeconds', 1);
    await records.apply(nothing, markAt(3));
    expect(await records.count(scopeOf())).to.equal(1);
    expect(await records.checkpoint()).to.equal(markAt(3).position);
    expect(seen.map(({ kind, did }) => [kind, did])).to.deep.equal([
      ['out-of-memory', 'nothing'],
      ['out-of-memory', 'reopened'],
    ]);
    expect(JSON.stringify(seen))
      .to.match(/Out of Memory/)
      .and.not.contain('canary');
    const ahead = { ...markAt(9), after: markAt(8).position };
    const refused = await records.apply(nothing, ahead).catch((error: unknown) => error);
    expect(refused).to.be.instanceOf(Fault).that.has.property('code', 'conflict');
    await records.close();
  });

  /** Bytes of a file; empty if it was replaced in this moment. */
  const read = (name: string): Promise<Buffer> =>
    readFile(join(folder.dir, name)).catch(() => Buffer.alloc(0));
  const bytes = async (): Promise<Buffer> => {
    const names = (await readdir(folder.dir)).filter((name) => name.includes('.duckdb'));
    return Buffer.concat(await Promise.all(names.map(read)));
  };
  const canary = 'a-canary-that-was-deleted';
  const canaryRow = traceRow(1, { body: { note: canary }, userMetadata: { [canary]: 'a name' } });
  const withCanary = async (purgeLaterMs: number): Promise<Records> => {
    const first = await openRecords({ dir: folder.dir });
    await putRows(first, [canaryRow, traceRow(2)]);
    await first.close();
    expect((await bytes()).includes(canary)).to.equal(true);
    return openRecords({ dir: folder.dir, purgeLaterMs });
  };
  const isForgotten = async (): Promise<boolean> => !(await bytes()).includes(canary);

  it('purges deleted data once writes are idle', async () => {
    const records = await withCanary(20);
    await put(records, { groups: [{ group: canaryRow.group, fresh: false, rows: [] }] });
    await pollUntil('the canary is forgotten', 10_000, isForgotten);
    expect(await records.count(scopeOf())).to.equal(1);
    await putRows(records, [traceRow(3)]);
    await put(records, { deletedRuns: [run] });
    await records.close();
    const again = await openRecords({ dir: folder.dir });
    expect(await again.count(scopeOf())).to.equal(0);
    await again.close();
  });

  /** The first statement like this waits until it is opened. */
  const gateAt = (
    like: RegExp,
  ): { readonly isReached: () => boolean; readonly open: () => void } => {
    const runAndReadAll = Reflect.get(DuckDBConnection.prototype, 'runAndReadAll');
    let open = (): void => undefined;
    let isReached = false;
    const opened = new Promise<void>((resolve) => {
      open = resolve;
    });
    DuckDBConnection.prototype.runAndReadAll = async function (...given) {
      if (!like.test(given[0]) || isReached) return runAndReadAll.apply(this, given);
      isReached = true;
      await opened;
      DuckDBConnection.prototype.runAndReadAll = runAndReadAll;
      return runAndReadAll.apply(this, given);
    };
    return { isReached: () => isReached, open };
  };
  const dumped = (records: Records): Promise<readonly unknown[]> => Array.fromAsync(records.dump());

  it('serves writes and queries during a purge without losing any', async () => {
    const records = await withCanary(20);
    const gate = gateAt(/^INSERT INTO texts FROM/);
    await put(records, { groups: [{ group: canaryRow.group, fresh: false, rows: [] }] });
    await pollUntil('a copy is being made', 10_000, () => Promise.resolve(gate.isReached()));
    await putRows(records, [traceRow(3), traceRow(4, { body: { note: 'late' } })]);
    await put(records, { groups: [{ group: traceRow(3).group, fresh: false, rows: [] }] });
    const logged = logOf().append(traceStream(5), traceLoggedEvent(5) as unknown as TraceEvent);
    await put(records, (await foldBatch(records, [logged])).writes);
    await putRows(records, [traceRow(5), traceRow(6)]);
    const before = await dumped(records);
    const checkpoint = await records.checkpoint();
    expect(await records.count(scopeOf())).to.equal(4);
    gate.open();
    await pollUntil('the canary is forgotten', 10_000, isForgotten);
    expect(await records.checkpoint()).to.equal(checkpoint);
    expect(await dumped(records)).to.deep.equal(before);
    // The first copy, not one that was repeated later without writes beside it.
    expect(await readdir(folder.dir)).to.include(databaseFileName(2));
    await putRows(records, [traceRow(7)]);
    await records.close();
    const again = await openRecords({ dir: folder.dir });
    expect(await again.count(scopeOf())).to.equal(5);
    await again.close();
  });

  it('closes at once during a purge and repeats it after the next start', async () => {
    const records = await withCanary(20);
    const gate = gateAt(/^INSERT INTO texts FROM/);
    await put(records, { deletedRuns: [run] });
    await pollUntil('a copy is being made', 10_000, () => Promise.resolve(gate.isReached()));
    const closing = records.close();
    gate.open();
    await closing;
    const again = await openRecords({ dir: folder.dir, purgeLaterMs: 20 });
    await pollUntil('the canary is forgotten', 10_000, isForgotten);
    expect(await again.count(scopeOf())).to.equal(0);
    await again.close();
  });

  it('starts no copy while closing', async () => {
    const records = await withCanary(20);
    const gate = gateAt(/SELECT DISTINCT kind FROM deleted/);
    await put(records, { deletedRuns: [run] });
    await pollUntil('a purge asks', 10_000, () => Promise.resolve(gate.isReached()));
    const closing = records.close();
    gate.open();
    await closing;
    const files = (await readdir(folder.dir)).filter((name) => name.startsWith('records'));
    expect(files).to.deep.equal([databaseFileName(1)]);
  });

  it('purges after a start what was deleted before it', async () => {
    const records = await withCanary(3_600_000);
    await put(records, { deletedRuns: [run] });
    await records.close();
    const again = await openRecords({ dir: folder.dir, purgeLaterMs: 20 });
    await pollUntil('the canary is forgotten', 10_000, isForgotten);
    await again.close();
    const names = (await readdir(folder.dir)).filter((name) => name.endsWith('.duckdb'));
    const last = await openRecords({ dir: folder.dir, purgeLaterMs: 0 });
    expect(await last.count(scopeOf())).to.equal(0);
    await last.close();
    expect((await readdir(folder.dir)).filter((name) => name.endsWith('.duckdb'))).to.deep.equal(
      names,
    );
  });
});
