import { expect } from 'chai';
import { randomBytes } from 'node:crypto';
import { cp, open, readFile, stat } from 'node:fs/promises';
import { openDatabase } from '../../engines/sqlite/database.js';
import { openBus } from '../../engines/memory/bus.js';
import { openEventLog, openEventReader } from '../../engines/sqlite/event-log.js';
import { logFile } from '../../engines/sqlite/log-schema.js';
import { scanLog } from '../../engines/sqlite/log-scan.js';
import { Fault } from '../../kernel/fault.js';
import { logStart, type Position } from '../../kernel/ports.js';
import { appendOne } from '../suites/event-log.js';
import { temporaryFolder } from '../support/folder.js';
import { appendOf, newEvent, newStream } from '../support/new-events.js';
import { drawSeed } from '../support/test-environment.js';
import { runAssay, startService } from '../support/service-process.js';
import { pollUntil } from '../support/poll-until.js';

const pageBytes = 8_192;
const pagesDamaged = 20;

/** Overwrites pages of the file, but for the first, without which nothing opens it. */
const damaged = async (path: string, pages: readonly number[]): Promise<void> => {
  const file = await open(path, 'r+');
  for (const page of pages) {
    await file.write(randomBytes(pageBytes), 0, pageBytes, page * pageBytes);
  }
  await file.close();
};

const anyPages = async (path: string, seed: number): Promise<readonly number[]> => {
  const all = Math.floor((await stat(path)).size / pageBytes);
  const pages: number[] = [];
  for (let at = seed; pages.length < pagesDamaged;) {
    at = (at * 48_271) % 2_147_483_647;
    pages.push(1 + (at % (all - 1)));
  }
  return pages;
};

/** Pages with content of events only: a start succeeds without them. */
const contentPages = async (path: string): Promise<readonly number[]> => {
  const bytes = await readFile(path);
  const content = Buffer.alloc(2_500, 'x');
  const pages = Array.from({ length: Math.floor(bytes.length / pageBytes) }, (_, page) => page);
  return pages
    .filter((page) => {
      const own = bytes.subarray(page * pageBytes, (page + 1) * pageBytes);
      // Pages of trees begin with their kind; those of long events with the number of the next.
      return own[0] === 0 && own.includes(content);
    })
    .slice(-pagesDamaged);
};

/** The first position that cannot be read. */
const firstLost = (dir: string): string => {
  const database = openDatabase(logFile(dir), { readOnly: true });
  try {
    for (const { unreadable } of scanLog(database, 0)) {
      const [first] = unreadable;
      if (first !== undefined) return first.position;
    }
    return 'none';
  } finally {
    database.close();
  }
};

describe('a service whose log is damaged on the disk', function () {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  let lost = '';
  /** The same service, damaged wherever it may be. */
  let anywhere = '';
  before(async () => {
    const { dir, remove } = await temporaryFolder();
    folder = { dir: `${dir}/data`, remove };
    anywhere = `${dir}/anywhere`;
    const service = await startService({ dir: folder.dir });
    const { body } = await service.client.call<{ id: string }>('POST', '/v2/projects', {
      body: { name: 'damaged by night' },
    });
    for (let part = 0; part < 8; part += 1) {
      const traces = Array.from({ length: 20 }, (_, at) => ({
        input: `${part} ${at} ${'x'.repeat(20_000)}`,
        output: 'y',
      }));
      await service.client.call('POST', `/v2/projects/${body.id}/traces`, { body: { traces } });
    }
    await service.stop();
    await cp(folder.dir, anywhere, { recursive: true });
    await damaged(logFile(folder.dir), await contentPages(logFile(folder.dir)));
    await damaged(logFile(anywhere), await anyPages(logFile(anywhere), drawSeed('damaged pages')));
    lost = firstLost(folder.dir);
    expect(lost).not.to.equal('none');
  });
  after(() => folder.remove());

  it('is red, takes no writes, and says so once', async () => {
    const service = await startService({ dir: folder.dir });
    const ready = async () => {
      const answer = await fetch(`${service.opsUrl}/readyz`);
      return { status: answer.status, body: (await answer.json()) as { log: { cause: string } } };
    };
    await pollUntil('red', 10_000, async () => (await ready()).status === 503);
    const { log } = (await ready()).body;
    expect(log.cause).to.include(`the log is damaged: position ${lost}`);
    const refused = await service.client.send<{ code: string }>('POST', '/v2/projects', {
      body: { name: 'on a damaged log' },
    });
    expect([refused.status, refused.body.code]).to.deep.equal([503, 'log_damaged']);
    expect(refused.headers['retry-after']).to.equal(undefined);
    const told = () =>
      service
        .output()
        .split('\n')
        .filter((line) => line.includes('is damaged'));
    const errors = () => told().filter((line) => line.includes('"level":50'));
    await pollUntil('it is said', 5_000, async () => errors().length > 0);
    // Some rounds of all that looks through the log.
    let rounds = 0;
    await pollUntil('some rounds', 20_000, async () => {
      await ready();
      rounds += 1;
      return rounds > 30;
    });
    expect(errors(), errors().join('\n')).to.have.length(1);
    await service.stop();
  });

  for (const command of ['verify', 'rebuild --all', 'backup'] as const) {
    it(`is reported by assay ${command}, with the position`, async () => {
      const where = command === 'backup' ? [`${folder.dir}.kept`] : [];
      const { code, output } = await runAssay(folder.dir, ...command.split(' '), ...where);
      expect(code).to.equal(1);
      expect(output)
        .to.match(/damaged/)
        .and.to.include(`position ${lost}`);
    });
  }

  it('starts, or says what the damage is and what to do, wherever that is', async () => {
    const told = await startService({ dir: anywhere }).then(
      async (service) => {
        const red = async () => (await fetch(`${service.opsUrl}/readyz`)).status === 503;
        await pollUntil('red', 10_000, red);
        await service.stop();
        return 'the log is damaged; assay.js doctor';
      },
      (error: unknown) => String(error),
    );
    expect(told)
      .to.match(/damaged/)
      .and.to.include('assay.js doctor');
    for (const command of ['verify', 'rebuild --all', `backup ${anywhere}.kept`]) {
      const { code, output } = await runAssay(anywhere, ...command.split(' '));
      expect(code, command).to.equal(1);
      expect(output, command)
        .to.match(/damaged/)
        .and.to.match(/position [0-9a-f]{16}|the position is unknown: ./);
    }
  });

  it('is reported by the doctor, with the first damaged position', async () => {
    const { code, output } = await runAssay(folder.dir, 'doctor', '--json');
    expect(code).to.equal(1);
    expect(output).to.match(new RegExp(`\\d+ positions are lost, first ${lost}`));
  });
});

describe('an event that is not what was stored', () => {
  const isRefused = async (change: string, why: string): Promise<void> => {
    const { dir, remove } = await temporaryFolder();
    const bus = openBus(dir);
    const stream = newStream();
    const first = await openEventLog({ dir, bus });
    const event = newEvent({ text: 'as it was' });
    await appendOne(first, appendOf(stream, 'none', event));
    await first.close();
    const database = openDatabase(logFile(dir));
    database.exec(`UPDATE events SET ${change}`);
    database.close();
    const log = await openEventLog({ dir, bus });
    const code = (work: Promise<unknown>): Promise<unknown> =>
      work.then(
        () => 'done',
        (error: unknown) => (error instanceof Fault ? [error.code, error.message] : error),
      );
    const at = '0000000000000001' as Position;
    const said = `The log is damaged at position ${at}: ${why}`;
    const ofType = log.page(logStart, 10, [event.type]);
    expect(await code(log.read(stream))).to.deep.equal(['log-damaged', said]);
    expect(await code(ofType)).to.deep.equal(['log-damaged', said]);
    expect(await code(log.page(logStart, 10))).to.deep.equal(['log-damaged', said]);
    expect(log.health()).to.include({ writable: false, fatal: false });
    const more = appendOne(log, appendOf(newStream(), 'none', newEvent({ text: 'more' })));
    expect(await code(more)).to.include('log-damaged');
    await log.close();
    await bus.close();
    await remove();
  };

  it('is found by its digest when it is folded, and then nothing is written', () =>
    isRefused(`data = replace(data, 'as it was', 'as it is!')`, 'its digest is of other data'));

  it('is found where a cell has become one of another type', async () => {
    await isRefused('data = CAST(data AS BLOB)', 'a cell is not of its type');
    await isRefused('digest = hex(digest)', 'a cell is not of its type');
  });
});

describe('an event that is missing from the log', () => {
  it('is named by a page that would skip it, unless an erasure removed it', async () => {
    const { dir, remove } = await temporaryFolder();
    const bus = openBus(dir);
    const first = await openEventLog({ dir, bus });
    for (let nth = 0; nth < 4; nth += 1) {
      await appendOne(first, appendOf(newStream(), 'none', newEvent({ nth })));
    }
    await first.close();
    const reader = await openEventReader({ dir, bus });
    const positions = (await reader.page(logStart, 10)).events.map(({ position }) => position);
    const database = openDatabase(logFile(dir));
    const missingAfter = async (nth: number): Promise<unknown> =>
      reader.page(positions[nth] ?? logStart, 10).then(
        ({ events }) => events.length,
        (error: unknown) => (error instanceof Fault ? error.message : error),
      );
    database.exec('DELETE FROM events WHERE pos = 2');
    const found = `The log is damaged at position ${positions[1]}: it is not there`;
    expect(await missingAfter(0)).to.equal(found);
    expect(await missingAfter(1), 'after it').to.equal(2);
    // An erasure of the first layout removed whole events, up to this mark.
    database.exec('UPDATE high_water SET pos = 2');
    expect(await missingAfter(0)).to.equal(2);
    database.exec('UPDATE high_water SET pos = 5');
    expect(await missingAfter(3), 'removed at the end').to.equal(0);
    database.close();
    await reader.close();
    await bus.close();
    await remove();
  });
});
