import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { seededRandom } from '../../kernel/seeded-random.js';
import { checkRecordsFile } from '../../engines/duckdb/integrity-check.js';
import { openRecords } from '../../engines/duckdb/records.js';
import { logStart, type StreamName } from '../../kernel/ports.js';
import type { Records } from '../../kernel/records/records.js';
import { temporaryFolder } from '../support/folder.js';
import { drawSeed } from '../support/test-environment.js';
import { runs } from '../support/runs.js';
import { pollUntil } from '../support/poll-until.js';
import {
  copyFiles,
  openByteFlipFixture,
  findOnlyFile,
  type ByteFlipFixture,
} from './byte-flip-fixture.js';
import { answerOrFault, countFlips, forEachFlip, type FlipFindings } from './byte-flips.js';

const flips = runs(50);
/** An opening takes most of the time: of so many flips one is asked of the service too. */
const servedOneOf = 10;
const file = /^records-v\d+-1\.duckdb$/;

/** All rows, how far they are, and each group as the index of names finds it. */
const recordAnswers = async (records: Records): Promise<readonly string[]> => {
  const rows = await answerOrFault(() => Array.fromAsync(records.dump()));
  const found = [...rows.matchAll(/"key":"([^" ]+) /g)].map(([, name = '']) => name as StreamName);
  const names = [...new Set(found)];
  const groups = await answerOrFault(async () => [...(await records.rowsByGroup(names))]);
  return [await answerOrFault(() => records.checkpoint()), rows, groups];
};

const isBefore = (one = '', other = ''): boolean => /^"[0-9a-f]{16}"$/.test(one) && one < other;

type Asked = { readonly answers: readonly string[]; readonly isAnew: boolean };

/** Opens records like a service that runs until the damaged file was replaced. */
const served = async (dir: string): Promise<Asked> => {
  const dids: string[] = [];
  const records = await openRecords({ dir, onIncident: ({ did }) => void dids.push(did) });
  try {
    const answers = await recordAnswers(records);
    if (answers.some((answer) => answer.startsWith('refused: '))) {
      await pollUntil('a new file', 20_000, async () => dids.includes('reopened'));
    }
    return { answers, isAnew: dids.includes('dropped') };
  } finally {
    await records.close();
  }
};

describe('records with one flipped byte', function () {
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

  /** Copies the records, as the service or a kill left them. */
  const copied = (from: string): Promise<void> => copyFiles(from, folder.dir, /^records/);

  for (const [title, form, from, count] of [
    ['a file that was closed', file, () => world.data, flips],
    ['a file that a kill left', file, () => world.killed, runs(60)],
  ] as const) {
    it(`are found by the doctor in ${title}, and built anew where they are read`, async () => {
      const random = seededRandom(drawSeed('flips of records'));
      const { dir } = folder;
      await copied(from());
      const { answers: truth } = await served(dir);
      await copied(from());
      const path = await findOnlyFile(dir, form);
      let nth = 0;
      const counts = await countFlips(path, count, random, async (): Promise<FlipFindings> => {
        const doctor = (await checkRecordsFile(dir)).problem;
        nth += 1;
        if (nth % servedOneOf !== 0) return { service: 'same', wrong: null, doctor, audit: null };
        const { answers, isAnew } = await served(dir);
        // The file has two headers, and the older one has the flush before.
        const isBack = isBefore(answers[0], truth[0]);
        const wrong = answers.find(
          (answer, at) => answer !== truth[at] && !answer.startsWith('refused: '),
        );
        await copied(from());
        return {
          service: isAnew || isBack ? 'healed' : 'same',
          wrong: isAnew || isBack ? null : (wrong?.slice(0, 300) ?? null),
          doctor,
          audit: null,
        };
      });
      process.stdout.write(`    ${path.slice(dir.length)}: ${JSON.stringify(counts)}\n`);
    });
  }

  it('are as they were or begin anew where the number of the live file is another', async () => {
    const random = seededRandom(drawSeed('flips of a pointer'));
    const { dir } = folder;
    await copied(world.data);
    const { answers: truth } = await served(dir);
    const path = join(dir, 'records.live');
    await writeFile(path, '1\n');
    await forEachFlip(path, runs(8), random, async ({ at, to }) => {
      const { answers } = await served(dir);
      const isBegun = answers[0] === JSON.stringify(logStart);
      if (!isBegun) expect(answers, `byte ${at} is ${to}`).to.deep.equal(truth);
      await copied(world.data);
    });
  });
});
