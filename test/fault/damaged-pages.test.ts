import { expect } from 'chai';
import { randomBytes } from 'node:crypto';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { openDatabase } from '../../engines/sqlite/database.js';
import { openBus } from '../../engines/memory/bus.js';
import { openEventLog, openEventReader } from '../../engines/sqlite/event-log.js';
import { copyLog } from '../../engines/sqlite/log-copy.js';
import { logFile } from '../../engines/sqlite/log-schema.js';
import { Fault, redactedReason } from '../../kernel/fault.js';
import { logStart, type EventReader, type StreamName } from '../../kernel/ports.js';
import { temporaryFolder } from '../support/folder.js';
import { appendOf, newEvent, newStream } from '../support/new-events.js';

const pageBytes = 8_192;
const place = /position [0-9a-f]{16}|the position is unknown: ./;

type Page = { readonly of: string; readonly pages: readonly number[] };

/** Pages of the file by what they are of: roots, other nodes, free ones. */
const partsOf = (dir: string): readonly Page[] => {
  const database = openDatabase(logFile(dir), { readOnly: true });
  try {
    const rows = database
      .prepare<[], { name: string; pageno: number; pagetype: string; path: string }>(
        'SELECT name, pageno, pagetype, path FROM dbstat',
      )
      .all();
    const parts = new Map<string, number[]>();
    for (const { name, pageno, pagetype, path } of rows) {
      const part = `${path === '/' ? 'root' : pagetype} of ${name}`;
      parts.set(part, [...(parts.get(part) ?? []), pageno]);
    }
    return [...parts].map(([of, pages]) => ({ of, pages }));
  } finally {
    database.close();
  }
};

const filled = async (dir: string): Promise<readonly StreamName[]> => {
  const bus = openBus(dir);
  const log = await openEventLog({ dir, bus });
  const streams = Array.from({ length: 120 }, () => newStream(`trace-${'x'.repeat(120)}`));
  await log.append(streams.map((one) => appendOf(one, 'none', newEvent('y'.repeat(9_000)))));
  await log.append(streams.map((one) => appendOf(one, 0, newEvent('z'.repeat(300)))));
  for (const stream of streams.slice(0, 5)) await log.erase(stream);
  await log.close();
  await bus.close();
  return streams;
};

/** Reads as `verify` and `rebuild` do; what each of them fails with. */
const failures = async (dir: string, streams: readonly StreamName[]) => {
  const bus = openBus(dir);
  const found: string[] = [];
  const tried = async (work: () => Promise<unknown>): Promise<void> => {
    await work().catch((error: unknown) => {
      if (!(error instanceof Fault)) throw error;
      found.push(redactedReason(error));
    });
  };
  const all = async (reader: EventReader): Promise<void> => {
    for (let at = logStart; ;) {
      const { through } = await reader.page(at, 50);
      if (through <= at) return;
      at = through;
    }
  };
  await tried(async () => {
    const reader = await openEventReader({ dir, bus });
    await tried(() => all(reader));
    await tried(() => reader.page(logStart, 1_000, ['SomethingHappened']));
    await tried(() => reader.evidence(logStart, 1_000));
    await tried(() => reader.streams('trace-', null, 1_000));
    await tried(() => reader.head());
    for (const stream of streams.slice(0, 20)) await tried(() => reader.read(stream));
    await reader.close();
  });
  const to = `${dir}/copy`;
  await mkdir(to, { recursive: true });
  await tried(() => copyLog({ from: dir, to, progress: () => undefined }));
  await rm(to, { recursive: true, force: true });
  await bus.close();
  return found;
};

describe('a log with a damaged page', function () {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  let whole: Buffer;
  let streams: readonly StreamName[];
  before(async () => {
    folder = await temporaryFolder();
    streams = await filled(folder.dir);
    whole = await readFile(logFile(folder.dir));
  });
  after(() => folder.remove());

  it('names a position, or why it is unknown, whatever page it is', async () => {
    const parts = partsOf(folder.dir);
    expect(parts.length).to.be.greaterThan(8);
    const quiet: string[] = [];
    for (const { of, pages } of parts) {
      const damaged = Buffer.from(whole);
      const [page = 1] = pages;
      // The header of the first page opens the file.
      const from = page === 1 ? 100 : 0;
      randomBytes(pageBytes - from).copy(damaged, (page - 1) * pageBytes + from);
      await writeFile(logFile(folder.dir), damaged);
      const found = await failures(folder.dir, streams);
      if (found.length === 0) quiet.push(of);
      for (const said of found) expect(said, `${of}, page ${page}`).to.match(place);
      for (const ending of ['-wal', '-shm']) {
        await rm(`${logFile(folder.dir)}${ending}`, { force: true });
      }
    }
    await writeFile(logFile(folder.dir), whole);
    // Nothing that was read lies there.
    expect(quiet.filter((of) => !/probe|high_water/.test(of))).to.deep.equal([]);
  });
});
