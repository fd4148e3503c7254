import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import fs, { access, open, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { flushMarkerPath } from '../../engines/duckdb/flush-marker.js';
import { databaseFileName } from '../../engines/duckdb/generation-files.js';
import { checkRecordsFile } from '../../engines/duckdb/integrity-check.js';
import { openRecords } from '../../engines/duckdb/records.js';
import { isDiskError } from '../../kernel/disk-errors.js';
import { Fault } from '../../kernel/fault.js';
import { logStart, type Position } from '../../kernel/ports.js';
import type { Incident, Records } from '../../kernel/records/records.js';
import { filesContaining } from '../support/files-containing.js';
import { temporaryFolder } from '../support/folder.js';
import { copyAsKilled } from '../support/killed-copy.js';
import {
  markAt,
  positionAt,
  put,
  putRows,
  run,
  scopeOf,
  searchOf,
  sessionId,
  traceRow,
} from '../support/record-rows.js';
import { pollUntil } from '../support/poll-until.js';

/** The engine's headers at the begin of a file: the next one names the blocks of a flush. */
const headerBytes = 3 * 4_096;
const nothing = { groups: [], deletedRuns: [], deletedProjects: [] };

describe('DuckDB flushes', function () {
  this.timeout(60_000);
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  let records: Records;
  const begin = async (options: { readonly flushIdleMs?: number } = {}): Promise<void> => {
    records = await openRecords({ dir: folder.dir, ...options });
  };
  beforeEach(async () => {
    folder = await temporaryFolder();
  });
  afterEach(async () => {
    await records.close();
    await folder.remove();
  });

  /** Opens the records as a kill now would leave them. */
  const afterKill = async <T>(look: (killed: Records) => Promise<T>): Promise<T> => {
    const killed = await copyAsKilled(folder.dir);
    const found = await openRecords({ dir: killed.dir });
    try {
      return await look(found);
    } finally {
      await found.close();
      await killed.remove();
    }
  };
  const positionAfterKill = (): Promise<Position> => afterKill((killed) => killed.checkpoint());
  /** Batches of four rows with a megabyte each, more than may wait for a flush. */
  const putLongRows = async (): Promise<void> => {
    for (let batch = 0; batch < 18; batch += 1) {
      const rows = Array.from({ length: 4 }, (_, at) =>
        traceRow(batch * 4 + at + 1, { values: { input: `${at} ${'long '.repeat(200_000)}` } }),
      );
      await putRows(records, rows);
    }
  };

  it('writes no write-ahead log, and the tables at once', async () => {
    await begin();
    await putRows(records, [traceRow(1)]);
    const wal = join(folder.dir, `${databaseFileName(1)}.wal`);
    const isThere = await access(wal).then(
      () => true,
      () => false,
    );
    expect(isThere).to.equal(false);
    const killed = await copyAsKilled(folder.dir);
    expect(await checkRecordsFile(killed.dir)).to.deep.include({ problem: null });
    await killed.remove();
  });

  it('takes rows and checkpoint back to the last flush together after a kill', async () => {
    await begin();
    await putRows(records, [traceRow(1), traceRow(2)]);
    await records.flush?.();
    await put(records, { groups: [{ group: traceRow(2).group, fresh: false, rows: [] }] });
    await putRows(records, [traceRow(3), traceRow(4)]);
    await afterKill(async (killed) => {
      expect(await killed.checkpoint()).to.equal(positionAt(1));
      expect(await killed.count(scopeOf())).to.equal(2);
      const later = { ...markAt(4), after: positionAt(3) };
      const refused = await killed.apply(nothing, later).catch((error: unknown) => error);
      expect(refused).to.be.instanceOf(Fault).that.has.property('code', 'conflict');
      await put(killed, { groups: [{ group: traceRow(2).group, fresh: false, rows: [] }] });
      await putRows(killed, [traceRow(3), traceRow(4)]);
      expect(await Array.fromAsync(killed.dump())).to.deep.equal(
        await Array.fromAsync(records.dump()),
      );
    });
  });

  it('flushes before the batch after many rows', async () => {
    await begin();
    for (let batch = 0; batch < 11; batch += 1) {
      const rows = Array.from({ length: 2_000 }, (_, at) => traceRow(batch * 2_000 + at + 1));
      await putRows(records, rows);
    }
    expect(await positionAfterKill()).to.equal(positionAt(10));
  });

  it('flushes before the batch after many bytes', async () => {
    await begin();
    await putLongRows();
    expect(await positionAfterKill()).to.equal(positionAt(17));
  });

  it('flushes once writes are idle', async () => {
    await begin({ flushIdleMs: 20 });
    await putRows(records, [traceRow(1)]);
    await pollUntil('the batch is in the file', 10_000, async () => {
      return (await positionAfterKill()) === positionAt(1);
    });
  });

  it('flushes beside searches, which see all rows', async () => {
    await begin();
    for (let at = 1; at <= 20; at += 1) {
      await putRows(records, [traceRow(at)]);
      const searches = Array.from({ length: 8 }, () => records.search(searchOf()));
      const [found] = await Promise.all([Promise.all(searches), records.flush?.()]);
      expect(new Set(found.map(({ rows }) => rows.length))).to.deep.equal(new Set([at]));
    }
    expect(await positionAfterKill()).to.equal(positionAt(20));
  });

  it('flushes a copy before it replaces the live file', async () => {
    await begin();
    await putRows(records, [traceRow(1)]);
    const copy = await records.shadow();
    await putRows(copy.model, [traceRow(2), traceRow(3)]);
    await copy.promote();
    await afterKill(async (killed) => {
      expect(await killed.checkpoint()).to.equal(positionAt(1));
      expect(await killed.count(scopeOf())).to.equal(2);
    });
  });

  it('keeps a deletion over a kill once its data left the files', async () => {
    records = await openRecords({ dir: folder.dir, purgeLaterMs: 20 });
    await putRows(records, [traceRow(1)]);
    await records.flush?.();
    await put(records, { deletedRuns: [run] });
    expect(records.erasingSince?.()).to.be.a('string');
    await pollUntil('nothing waits', 10_000, async () => records.erasingSince?.() === null);
    await afterKill(async (killed) => {
      expect(await killed.count(scopeOf())).to.equal(0);
      expect(await killed.checkpoint()).to.equal(positionAt(2));
      expect(killed.erasingSince?.()).to.equal(null);
    });
  });

  it('writes nothing of what was deleted and purged before any flush', async () => {
    records = await openRecords({ dir: folder.dir, purgeLaterMs: 20 });
    const canary = 'a-canary-in-memory-only';
    await putRows(records, [traceRow(1, { body: { note: canary } }), traceRow(2)]);
    await put(records, { groups: [{ group: traceRow(1).group, fresh: false, rows: [] }] });
    await pollUntil('nothing waits', 10_000, async () => records.erasingSince?.() === null);
    await putRows(records, [traceRow(3)]);
    await records.close();
    expect(await filesContaining(folder.dir, canary)).to.deep.equal([]);
    await begin();
    expect(await records.count(scopeOf())).to.equal(2);
  });

  it('wipes the temporary files that unflushed rows were moved to', async () => {
    // Room for the engine, but not for all rows.
    records = await openRecords({ dir: folder.dir, memoryMb: 56, purgeLaterMs: 20 });
    for (let batch = 0; batch < 10; batch += 1) {
      const rows = [1, 2, 3, 4].map((at) =>
        traceRow(batch * 4 + at, {
          values: { input: `${batch} ${at} ${'canary'.repeat(160_000)}` },
        }),
      );
      await putRows(records, rows);
    }
    expect(await filesContaining(join(folder.dir, 'records-spill'), 'canary')).not.to.deep.equal(
      [],
    );
    await put(records, { deletedRuns: [run] });
    await pollUntil('nothing waits', 20_000, async () => records.erasingSince?.() === null);
    expect(await filesContaining(folder.dir, 'canary')).to.deep.equal([]);
  });

  it('leaves no bytes of a flush that was cut off, whose trace was erased since', async () => {
    await begin();
    await putRows(records, [traceRow(1)]);
    await records.flush?.();
    const name = databaseFileName(1);
    const headers = (await readFile(join(folder.dir, name))).subarray(0, headerBytes);
    const canary = 'a-canary-that-no-header-names';
    await putRows(records, [traceRow(2, { values: { input: canary } })]);
    await records.flush?.();
    const killed = await copyAsKilled(folder.dir);
    // A kill leaves blocks, the headers from before, and the marker of the flush.
    const file = await open(join(killed.dir, name), 'r+');
    await file.write(headers, 0, headerBytes, 0);
    await file.close();
    await writeFile(flushMarkerPath(join(killed.dir, name)), '');
    expect(await filesContaining(killed.dir, canary)).to.deep.equal([name]);
    const found = await openRecords({ dir: killed.dir, purgeLaterMs: 20 });
    expect(await found.checkpoint()).to.equal(positionAt(1));
    await pollUntil('nothing waits', 10_000, async () => found.erasingSince?.() === null);
    expect(await filesContaining(killed.dir, canary)).to.deep.equal([]);
    expect(await found.count(scopeOf())).to.equal(1);
    await found.close();
    expect(await readdir(killed.dir)).to.have.members([databaseFileName(2), 'records.live']);
    await killed.remove();
  });

  it('begins no copy where the disk has no room for it, and reports why once', async () => {
    const incidents: Incident[] = [];
    const onIncident = (incident: Incident): void => void incidents.push(incident);
    records = await openRecords({ dir: folder.dir, purgeLaterMs: 20, onIncident });
    await putRows(records, [traceRow(1)]);
    await records.flush?.();
    const { statfs } = fs;
    let looks = 0;
    fs.statfs = (async () => {
      looks += 1;
      return { bavail: 10, bsize: 4_096 };
    }) as unknown as typeof statfs;
    syncBuiltinESMExports();
    try {
      await put(records, { deletedRuns: [run] });
      await pollUntil('a copy is wanted', 10_000, async () => looks > 0);
      await put(records, { deletedRuns: [sessionId(1)] });
      await pollUntil('a copy is wanted again', 20_000, async () => looks > 1);
      expect(incidents.map(({ did }) => did)).to.deep.equal(['uncompacted']);
      expect(incidents[0]?.cause).to.match(/bytes of disk for a flush or copy, and 40960 are free/);
      expect(records.erasingSince?.()).to.be.a('string');
      expect(await readdir(folder.dir)).not.to.include(databaseFileName(2));
    } finally {
      fs.statfs = statfs;
      syncBuiltinESMExports();
    }
  });

  it('copies the rows that are left where the disk has room for them only', async () => {
    records = await openRecords({ dir: folder.dir, purgeLaterMs: 20 });
    const rows = Array.from({ length: 100 }, (_, at) =>
      traceRow(at + 1, { values: { input: randomBytes(150_000).toString('hex') } }),
    );
    await putRows(records, rows);
    await records.flush?.();
    const { size } = await stat(join(folder.dir, databaseFileName(1)));
    const { statfs } = fs;
    fs.statfs = (async () => ({
      bavail: size / 2 / 4_096,
      bsize: 4_096,
    })) as unknown as typeof statfs;
    syncBuiltinESMExports();
    try {
      const groups = rows.slice(10).map(({ group }) => ({ group, fresh: false, rows: [] }));
      await put(records, { groups });
      await pollUntil('nothing waits', 20_000, async () => records.erasingSince?.() === null);
    } finally {
      fs.statfs = statfs;
      syncBuiltinESMExports();
    }
    expect(await records.count(scopeOf())).to.equal(10);
    const copy = await stat(join(folder.dir, databaseFileName(2)));
    expect(copy.size).to.be.lessThan(size / 4);
  });

  it('serves what it has while the disk has no room for a flush', async () => {
    await begin();
    const { statfs } = fs;
    fs.statfs = (async () => ({ bavail: 10, bsize: 4_096 })) as unknown as typeof statfs;
    syncBuiltinESMExports();
    try {
      const refused: unknown = await putLongRows().catch((error: unknown) => error);
      expect(refused).to.be.instanceOf(Fault).that.has.property('code', 'unavailable');
      expect(isDiskError(refused)).to.equal(true);
      expect(await records.count(scopeOf())).to.equal(68);
      expect(await positionAfterKill()).to.equal(logStart);
    } finally {
      fs.statfs = statfs;
      syncBuiltinESMExports();
    }
    await putRows(records, [traceRow(69)]);
    expect(await positionAfterKill()).to.equal(positionAt(17));
  });
});
