import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import { seededRandom } from '../../kernel/seeded-random.js';
import { openBus } from '../../engines/memory/bus.js';
import { damageAtStart, openIncrementalCheck } from '../../engines/sqlite/log-check.js';
import { openEventLog, openEventReader } from '../../engines/sqlite/event-log.js';
import { checkLogFile } from '../../engines/sqlite/integrity-check.js';
import { logFile, openForWriting } from '../../engines/sqlite/log-schema.js';
import { findTruncatedLog, findLostLog } from '../../engines/sqlite/lost-log.js';
import type { StreamName } from '../../kernel/ports.js';
import { temporaryFolder } from '../support/folder.js';
import { appendOf, newEvent, newStream } from '../support/new-events.js';
import { drawSeed } from '../support/test-environment.js';
import { runs } from '../support/runs.js';
import { runAssay } from '../support/service-process.js';
import {
  auditFinding,
  copyFiles,
  openByteFlipFixture,
  type ByteFlipFixture,
} from './byte-flip-fixture.js';
import {
  countFlips,
  forEachFlip,
  logAnswers,
  logReads,
  withFlip,
  type FlipFindings,
} from './byte-flips.js';

/** Page 1 has the schema, and page 2 the root of the table of events. */
const pageBytes = 8_192;
/** About so many letters are on page 1. */
const pageLetters = 600;
/** Names of the schema that queries depend on: a column, two tables and an index. */
const schemaNames = ['pos INTEGER PRIMARY', 'eventsevents', 'sumssums', 'events_typeevents'];
/** Bytes of SQLite's header: versions of writing and of the schema's format, and the layout. */
const headerVersions = [18, 47, 63];
/** Bit that makes a capital of a letter. */
const caseBit = 0x20;
/** Damage of space that holds no row. */
const ofFreeSpace = /freelist|never used|2nd reference|fragmentation|multiple uses/i;
const streamsInAll = 24;
const eventsEach = 4;

/** A log with erased streams, free pages and more than one level in each index. */
const filled = async (dir: string): Promise<readonly StreamName[]> => {
  const bus = openBus(dir);
  const log = await openEventLog({ dir, bus });
  const streams = Array.from({ length: streamsInAll }, () => newStream(`trace-${'x'.repeat(200)}`));
  for (let rev = 0; rev < eventsEach; rev += 1) {
    const text = `revision ${rev} ${'y'.repeat(rev === 2 ? 9_000 : 100)}`;
    const expected = rev === 0 ? 'none' : rev - 1;
    await log.append(streams.map((stream) => appendOf(stream, expected, newEvent({ text }))));
  }
  for (const stream of streams.slice(0, 8)) await log.erase(stream);
  await log.close();
  await bus.close();
  return streams;
};

const doctorSays = async (dir: string): Promise<string | null> => {
  const { unreadable, structure } = await checkLogFile(dir, {
    quick: false,
    isHeld: false,
    progress: () => undefined,
  });
  return structure?.problem ?? unreadable[0]?.why ?? null;
};

/** Finding of one pass of the check of a running service. */
const checkSays = (dir: string): string | null => {
  try {
    const database = openForWriting(dir);
    try {
      const check = openIncrementalCheck(database);
      for (;;) {
        const { damage, pauseMs } = check();
        if (damage !== null || pauseMs > 5) return damage?.cause ?? null;
      }
    } finally {
      database.close();
    }
  } catch (error) {
    return String(error);
  }
};

describe('a log with one flipped byte', function () {
  const flips = runs(12);
  this.timeout(60_000 + flips * 2_000);
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  let streams: readonly StreamName[];
  let truth: ReadonlyMap<string, string>;
  before(async () => {
    folder = await temporaryFolder();
    streams = await filled(folder.dir);
    truth = await logAnswers(folder.dir, streams);
  });
  after(() => folder.remove());

  it('is refused where it would answer otherwise, and found by the doctor', async () => {
    const random = seededRandom(drawSeed('flips of the log'));
    const counts = { found: 0, harmless: 0 };
    await forEachFlip(logFile(folder.dir), flips, random, async ({ at, from, to }) => {
      const flip = `byte ${at}: ${from} to ${to}`;
      const doctor = await doctorSays(folder.dir);
      const answers = await logAnswers(folder.dir, streams);
      const changed = [...answers].filter(([question, answer]) => truth.get(question) !== answer);
      const wrong = changed.filter(([, answer]) => !answer.startsWith('refused: '));
      expect(wrong.length, `${flip}: served as truth, ${doctor}: ${said(wrong)}`).to.equal(0);
      if (changed.length > 0) {
        expect(doctor, `${flip}: ${changed[0]?.join(': ')}`).not.to.equal(null);
      }
      counts[doctor === null ? 'harmless' : 'found'] += 1;
    });
    process.stdout.write(`    ${flips} flips: ${JSON.stringify(counts)}\n`);
  });

  it('is found by the doctor where it is refused, in the schema and the first tree', async () => {
    const file = logFile(folder.dir);
    const whole = await readFile(file);
    const answered = await logReads(folder.dir, streams);
    const random = seededRandom(drawSeed('flipped letters of the log'));
    const isRoot = (at: number): boolean => at >= pageBytes;
    const isOfName = (at: number): boolean =>
      schemaNames.some((name) => whole.indexOf(name) === at);
    const chosen = [...whole.subarray(0, 2 * pageBytes).entries()]
      .filter(([, byte]) => /[a-z]/i.test(String.fromCharCode(byte)))
      .filter(([at]) => isRoot(at) || isOfName(at) || random.next() < runs(20) / pageLetters);
    for (const [at, from] of chosen) {
      await withFlip(file, whole, { at, from, to: from ^ caseBit }, async () => {
        const doctor = await doctorSays(folder.dir);
        const refusal = startSays(folder.dir);
        const answers = await logReads(folder.dir, streams);
        const changed = answers.has('open')
          ? []
          : [...answered].filter(([question, answer]) => answers.get(question) !== answer);
        const wrong = changed.filter(([question]) => !isRefusal(answers.get(question) ?? ''));
        const flip = `byte ${at}: ${from} to ${from ^ caseBit}`;
        expect(said(wrong), `${flip}: served as truth`).to.equal('');
        const isRefused = refusal !== null || answers.has('open') || changed.length > 0;
        const problem = `${flip}: doctor: ${doctor}; start: ${refusal}`;
        expect(doctor !== null, problem).to.equal(isRefused);
      });
    }
  });

  it('is found by the doctor where the header keeps the service from opening it', async () => {
    const file = logFile(folder.dir);
    const whole = await readFile(file);
    for (const at of headerVersions) {
      const from = whole[at] ?? 0;
      await withFlip(file, whole, { at, from, to: from ^ 8 }, async () => {
        const answers = await logAnswers(folder.dir, streams.slice(0, 1));
        const doctor = await doctorSays(folder.dir);
        expect([...answers.keys()], `byte ${at}: ${doctor}`).to.deep.equal(['open']);
        expect(doctor, `byte ${at}`).not.to.equal(null);
      });
    }
  });

  it('is found by the check of a running service where an answer depends on it', async () => {
    const random = seededRandom(drawSeed('flips of the log'));
    await forEachFlip(logFile(folder.dir), flips, random, async ({ at, from, to }) => {
      const doctor = await doctorSays(folder.dir);
      const check = checkSays(folder.dir);
      const isFree = doctor === null || ofFreeSpace.test(doctor);
      if (!isFree) expect(check, `byte ${at}: ${from} to ${to}: ${doctor}`).not.to.equal(null);
    });
  });
});

const said = (answers: readonly (readonly [string, string])[]): string =>
  answers
    .slice(0, 4)
    .map(([question, answer]) => `${question.slice(-50)}: ${answer.slice(0, 200)}`)
    .join('; ');

const stores = /^(log|documents)\.sqlite(-wal)?$/;

describe('the log of a service with one flipped byte', function () {
  const flips = runs(200);
  this.timeout(120_000 + flips * 2_000);
  let world: ByteFlipFixture;
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  before(async () => {
    world = await openByteFlipFixture();
    folder = await temporaryFolder();
  });
  after(async () => {
    await world?.remove();
    await folder?.remove();
  });

  it('is found by the doctor and by audit verify, and refused where it is read', async () => {
    const random = seededRandom(drawSeed('flips of the log of a service'));
    const { data } = world;
    const names = await streamsOf(data);
    const truth = await logReads(data, names);
    const counts = await countFlips(
      logFile(data),
      flips,
      random,
      async (): Promise<FlipFindings> => {
        const doctor = await doctorSays(data);
        const audit = await auditFinding(data);
        if (audit !== null) expect(doctor, audit).not.to.equal(null);
        const refusal = startSays(data);
        const answers = refusal === 'no look-up' ? truth : await logReads(data, names);
        const changed = [...truth].filter(([question, answer]) => answers.get(question) !== answer);
        const isServed = refusal !== 'all' && !answers.has('open');
        const wrong = changed.filter(
          ([question]) => isServed && !isRefusal(answers.get(question) ?? ''),
        );
        return {
          service: changed.length === 0 && refusal === null ? 'same' : 'refused',
          wrong: wrong.length === 0 ? null : said(wrong),
          doctor,
          audit,
        };
      },
    );
    process.stdout.write(`    log.sqlite: ${JSON.stringify(counts)}\n`);
  });

  it('is damaged for audit verify where a name in an event’s metadata changed', async () => {
    const file = logFile(world.data);
    const whole = await readFile(file);
    const at = whole.lastIndexOf('"organization_id"') + 1;
    const from = whole[at] ?? 0;
    await withFlip(file, whole, { at, from, to: from ^ caseBit }, async () => {
      const { code, output } = await runAssay(world.data, 'audit', 'verify');
      expect(code, output).to.equal(1);
      expect(output).to.match(
        /^log: DAMAGED at position [0-9a-f]{16}: its checksum is of another/m,
      );
      expect(output).not.to.include('BROKEN');
      const lines = await runAssay(world.data, 'audit', 'verify', '--json');
      expect(lines.code).to.equal(1);
      expect(lines.output).to.match(/^\{"log":"damaged","position":"[0-9a-f]{16}","reason":/m);
    });
    const { code, output } = await runAssay(world.data, 'audit', 'verify');
    expect(code, output).to.equal(0);
  });

  it('shows in the read models where it cuts the write-ahead log that a kill left', async () => {
    const random = seededRandom(drawSeed('flips of a write-ahead log'));
    const { dir } = folder;
    await copyFiles(world.killed, dir, stores);
    const names = await streamsOf(dir);
    const truth = await logReads(dir, names);
    await copyFiles(world.killed, dir, stores);
    const counts = { flips: 0, found: 0, cut: 0 };
    await forEachFlip(`${logFile(dir)}-wal`, runs(60), random, async ({ at }) => {
      const answers = await logReads(dir, names);
      const isCut = [...truth].some(([question, answer]) => answers.get(question) !== answer);
      const found = findTruncatedLog(dir) ?? (await doctorSays(dir)) ?? (await auditFinding(dir));
      counts.flips += 1;
      if (isCut) counts.cut += 1;
      if (found !== null) counts.found += 1;
      if (isCut) expect(found, `byte ${at}`).not.to.equal(null);
      await copyFiles(world.killed, dir, stores);
    });
    process.stdout.write(`    log.sqlite-wal: ${JSON.stringify(counts)}\n`);
  });
});

/** Refusal of a start before it answers: everything, or what may be hidden. Null: no refusal. */
const startSays = (dir: string): string | null => {
  try {
    if (findLostLog(dir) !== null) return 'all';
    const damage = damageAtStart(dir);
    return damage === null ? null : damage.hidesEvents ? 'no look-up' : 'no append';
  } catch {
    return 'all';
  }
};

const isRefusal = (answer: string): boolean => answer.startsWith('refused: ');

const streamsOf = async (dir: string): Promise<readonly StreamName[]> => {
  const bus = openBus(dir);
  const log = await openEventReader({ dir, bus });
  try {
    return await log.streams('', null, 100_000);
  } finally {
    await log.close();
    await bus.close();
  }
};
