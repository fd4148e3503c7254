import { expect } from 'chai';
import { seeded } from '../../cli/demo/seeded.js';
import { openBus } from '../../engines/memory/bus.js';
import { openCheck } from '../../engines/sqlite/log-check.js';
import { openEventLog } from '../../engines/sqlite/event-log.js';
import { lookAtLog } from '../../engines/sqlite/look.js';
import { logFile, openForWriting } from '../../engines/sqlite/log-schema.js';
import type { StreamName } from '../../kernel/ports.js';
import { temporaryFolder } from '../support/folder.js';
import { appendOf, newEvent, newStream } from '../support/new-events.js';
import { drawSeed } from '../support/outside.js';
import { runs } from '../support/runs.js';
import { flipEach, logAnswers } from './flips.js';

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
  const { unreadable, structure } = await lookAtLog(dir, {
    quick: false,
    isHeld: false,
    tell: () => undefined,
  });
  return structure?.trouble ?? unreadable[0]?.why ?? null;
};

/** What the check of a running service finds in one pass. */
const checkSays = (dir: string): string | null => {
  try {
    const database = openForWriting(dir);
    try {
      const check = openCheck(database);
      for (;;) {
        const { damage, restMs } = check();
        if (damage !== null || restMs > 5) return damage?.cause ?? null;
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
    const random = seeded(drawSeed('flips of the log'));
    const counts = { found: 0, harmless: 0 };
    await flipEach(logFile(folder.dir), flips, random, async ({ at, from, to }) => {
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

  it('is found by the check of a running service where an answer depends on it', async () => {
    const random = seeded(drawSeed('flips of the log'));
    await flipEach(logFile(folder.dir), flips, random, async ({ at, from, to }) => {
      const doctor = await doctorSays(folder.dir);
      const check = checkSays(folder.dir);
      const isFree = doctor === null || /freelist|never used|2nd reference/i.test(doctor);
      if (!isFree) expect(check, `byte ${at}: ${from} to ${to}: ${doctor}`).not.to.equal(null);
    });
  });
});

const said = (answers: readonly (readonly [string, string])[]): string =>
  answers
    .slice(0, 4)
    .map(([question, answer]) => `${question.slice(-50)}: ${answer.slice(0, 200)}`)
    .join('; ');
