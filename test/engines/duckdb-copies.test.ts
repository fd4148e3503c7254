import { expect } from 'chai';
import { access, mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { DuckDBConnection } from '@duckdb/node-api';
import { openShadowCopies } from '../../engines/duckdb/shadow-copies.js';
import { openModelFile } from '../../engines/duckdb/instance.js';
import { openInstanceSupervisor } from '../../engines/duckdb/instance-supervisor.js';
import type { RecordsModel } from '../../engines/duckdb/model.js';
import { databaseFileName } from '../../engines/duckdb/generation-files.js';
import { openRecords } from '../../engines/duckdb/records.js';
import { logStart } from '../../kernel/ports.js';
import type { Records } from '../../kernel/records/records.js';
import { faultOf } from '../suites/sample-documents.js';
import { failAt } from '../support/failing-statement.js';
import { temporaryFolder } from '../support/folder.js';
import { markAt, put, putRows, run, scopeOf, traceRow } from '../support/record-rows.js';
import { pollUntil } from '../support/poll-until.js';

/** Simulates a disk that deletes a file, but not its log. */
const inTheWayOf = (path: string): string => {
  const log = `${path}.wal`;
  const run = Reflect.get(DuckDBConnection.prototype, 'run');
  DuckDBConnection.prototype.run = async function (...given) {
    const result = await Reflect.apply(run, this, given);
    if (!given[0].startsWith('DETACH')) return result;
    DuckDBConnection.prototype.run = run;
    await mkdir(log);
    return result;
  };
  return log;
};

const isThere = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );

describe('DuckDB shadow copies', () => {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  beforeEach(async () => {
    folder = await temporaryFolder();
  });
  afterEach(() => folder.remove());

  it('keeps a durable copy that temporarily cannot be opened', async () => {
    const records = await openRecords({ dir: folder.dir, memoryMb: 16 });
    await putRows(records, [traceRow(1)]);
    const copy = await records.shadow({ durable: true });
    await putRows(copy.model, [traceRow(2), traceRow(3)]);
    await copy.model.flush?.();
    // Still open, and then with an engine that is being opened again.
    expect(await faultOf(records.resume(copy.id))).to.equal('unavailable');
    failAt(/^UPDATE mark/, 'FATAL Error: the database has been invalidated');
    expect(await faultOf(putRows(records, [traceRow(2)]))).to.equal('unavailable');
    expect(await faultOf(records.resume(copy.id))).to.equal('unavailable');
    await records.apply({ groups: [], deletedRuns: [], deletedProjects: [] }, markAt(2));
    const resumed = await records.resume(copy.id);
    expect(await resumed?.model.count(scopeOf())).to.equal(2);
    await records.close();
  });

  it('keeps a durable copy whose opening was interrupted', async () => {
    const records = await openRecords({ dir: folder.dir });
    const copy = await records.shadow({ durable: true });
    await putRows(copy.model, [traceRow(2), traceRow(3)]);
    await copy.detach();
    failAt(/^SELECT kind, id FROM deleted/, 'IO Error: Too many open files');
    expect(await faultOf(records.resume(copy.id))).to.equal('unavailable');
    const resumed = await records.resume(copy.id);
    expect(await resumed?.model.count(scopeOf())).to.equal(2);
    await records.close();
  });

  it('reopens although a broken file could not be set aside at first', async () => {
    const records = await openRecords({ dir: folder.dir });
    await putRows(records, [traceRow(1)]);
    const aside = join(folder.dir, `broken-${databaseFileName(1)}`);
    const inTheWay = `${aside}.wal`;
    await mkdir(inTheWay);
    failAt(/count/, 'Corrupt database file: checksums do not match');
    expect(await faultOf(records.count(scopeOf()))).to.equal('unavailable');
    await pollUntil('it is set aside in part', 10_000, () => isThere(aside));
    await rm(inTheWay, { recursive: true });
    const isOpen = async (): Promise<boolean> =>
      (await records.checkpoint().catch(() => null)) === logStart;
    await pollUntil('the records are open again', 10_000, isOpen);
    await records.close();
  });

  it('frees the memory of a closed copy', async () => {
    const { dir } = folder;
    const keeper = await openInstanceSupervisor({
      dir,
      memoryMb: 100,
      onIncident: () => undefined,
    });
    const forgotten: string[] = [];
    const forget = (model: RecordsModel): void => {
      keeper.untrack(model);
      forgotten.push(model.catalog);
    };
    const nothing = (): never => {
      throw new Error('nobody asks for records');
    };
    const over = () => ({ close: nothing }) as unknown as Records;
    const copies = openShadowCopies(
      dir,
      { ...keeper, untrack: forget },
      { over, promoted: nothing },
    );
    await (await copies.begin(2, true)).detach();
    await (await copies.begin(3, false)).discard();
    expect(forgotten).to.deep.equal(['records_2', 'records_3']);
    await keeper.close();
  });

  it('removes the replaced file once it can be removed', async () => {
    const { dir } = folder;
    const keeper = await openInstanceSupervisor({
      dir,
      memoryMb: 100,
      onIncident: () => undefined,
    });
    const { path } = keeper.live();
    const copy = await openModelFile(keeper.instance(), dir, 2);
    keeper.runOn(copy);
    const log = inTheWayOf(path);
    await keeper.runExclusive(() => keeper.promote(copy, 2));
    expect(keeper.live()).to.equal(copy);
    expect(await faultOf(keeper.removeReplacedFiles())).to.match(/EISDIR/);
    await rm(log, { recursive: true });
    await keeper.removeReplacedFiles();
    await keeper.close();
    const files = (await readdir(dir)).filter((name) => name.endsWith('.duckdb'));
    expect(files).to.deep.equal([databaseFileName(2)]);
  });

  it('purges although the replaced file was not released', async () => {
    const records = await openRecords({ dir: folder.dir, purgeLaterMs: 20 });
    await putRows(records, [traceRow(1), traceRow(2)]);
    failAt(/^DETACH records_1$/, 'IO Error: no answer', 'run');
    await put(records, { deletedRuns: [run] });
    const isGone = async (): Promise<boolean> =>
      !(await isThere(join(folder.dir, databaseFileName(1))));
    await pollUntil('the replaced file is gone', 10_000, isGone);
    expect(await records.count(scopeOf())).to.equal(0);
    await putRows(records, [traceRow(3)]);
    await records.close();
  });
});
