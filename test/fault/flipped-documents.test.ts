import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { openDatabase } from '../../engines/sqlite/database.js';
import { seededRandom } from '../../kernel/seeded-random.js';
import { openDocuments } from '../../engines/sqlite/documents.js';
import { checkRows, catalogDamage } from '../../engines/sqlite/document-check.js';
import { documentsFile } from '../../engines/sqlite/document-store.js';
import { checkDocumentsFile } from '../../engines/sqlite/integrity-check.js';
import type { Collection, Documents } from '../../kernel/documents.js';
import { redactedReason } from '../../kernel/fault.js';
import { logStart } from '../../kernel/ports.js';
import { projections } from '../../projections/projection-registry.js';
import { historyCollection } from '../../ledger/collection.js';
import { dumpAll } from '../suites/sample-documents.js';
import { temporaryFolder } from '../support/folder.js';
import { drawSeed } from '../support/test-environment.js';
import { runs } from '../support/runs.js';
import {
  auditFinding,
  copyFiles,
  openByteFlipFixture,
  type ByteFlipFixture,
} from './byte-flip-fixture.js';
import {
  answerOrFault,
  countFlips,
  forEachFlip,
  withFlip,
  type Flip,
  type FlipFindings,
} from './byte-flips.js';

const flips = runs(50);
const collections: readonly Collection[] = [
  ...projections.map(({ collection }) => collection),
  historyCollection,
];

/** All that the read models hold, and the order of each of their lists, by question. */
const documentAnswers = async (documents: Documents): Promise<ReadonlyMap<string, string>> => {
  const answers = new Map<string, string>();
  for (const collection of collections) {
    const { name } = collection;
    const ask = async (question: string, answer: () => Promise<unknown>): Promise<void> =>
      void answers.set(`${question} of ${name}`, await answerOrFault(answer));
    await ask('checkpoint', () => documents.checkpoint(collection));
    const items = await dumpAll(documents, collection).catch(() => []);
    await ask('documents', () => dumpAll(documents, collection));
    const scopes = new Set(items.map(({ value }) => (value as { scope: string }).scope));
    for (const scope of scopes) {
      await ask(`list in ${scope}`, async () =>
        (await documents.find(collection, { scope, limit: 1_000 })).documents.map(
          ({ key, fields }) => [key, fields],
        ),
      );
    }
  }
  return answers;
};

type Asked = { readonly answers: ReadonlyMap<string, string>; readonly isAnew: boolean };

/** Opens documents like a start: sets a damaged file aside and begins a new one. */
const served = async (dir: string): Promise<Asked> => {
  let isAnew = false;
  const documents = await openDocuments({ dir, broken: () => void (isAnew = true) });
  try {
    return { answers: await documentAnswers(documents), isAnew };
  } finally {
    await documents.close();
  }
};

/** A collection that begins anew is folded from the log. */
const isBegun = (answers: Asked['answers'], question: string): boolean =>
  answers.get(`checkpoint of ${question.slice(question.lastIndexOf(' ') + 1)}`) ===
  JSON.stringify(logStart);

describe('documents with one flipped byte', function () {
  this.timeout(60_000 + flips * 2_000);
  let world: ByteFlipFixture;
  before(async () => {
    world = await openByteFlipFixture();
  });
  after(() => world?.remove());

  it('are rebuilt or unchanged, and otherwise found by the doctor', async () => {
    const random = seededRandom(drawSeed('flips of documents'));
    const { data } = world;
    const { answers: truth } = await served(data);
    expect(await auditFinding(data)).to.equal(null);
    const counts = await countFlips(
      documentsFile(data),
      flips,
      random,
      async (): Promise<FlipFindings> => {
        const doctor = checkDocumentsFile(data).problem;
        const audit = await auditFinding(data);
        const { answers, isAnew } = await served(data);
        const changed = [...truth].filter(([question, answer]) => answers.get(question) !== answer);
        const wrong = changed.filter(
          ([question]) =>
            !isAnew &&
            !isBegun(answers, question) &&
            answers.get(question)?.startsWith('refused: ') !== true,
        );
        for (const name of await readdir(data)) {
          if (name.startsWith('broken-')) await rm(join(data, name));
        }
        const [first] = wrong;
        return {
          service: isAnew || changed.length > 0 ? 'healed' : 'same',
          wrong:
            first === undefined ? null : `${first[0]}: ${answers.get(first[0])?.slice(0, 300)}`,
          doctor,
          audit,
        };
      },
    );
    process.stdout.write(`    documents.sqlite: ${JSON.stringify(counts)}\n`);
  });

  it('is found in a large file by the check of a running service', async () => {
    const random = seededRandom(drawSeed('flips of documents'));
    const { data } = world;
    const { answers: truth } = await served(data);
    await forEachFlip(documentsFile(data), runs(60), random, (flip) =>
      expectFound(data, truth, flip),
    );
  });

  it('finds entries whose size changed and pages whose count changed, in indexes', async () => {
    const { data } = world;
    const { answers: truth } = await served(data);
    const file = documentsFile(data);
    const whole = await readFile(file);
    const pages = indexLeaves(whole);
    const firstEntries = pages
      .filter((page) => whole[page + 4] !== 0)
      .map((page) => page + whole.readUInt16BE(page + 8));
    const flips = [
      ...firstEntries.map((at) => ({ at, bit: 4 })),
      ...pages.map((page) => ({ at: page + 4, bit: 1 })),
    ];
    expect(flips).not.to.deep.equal([]);
    for (const { at, bit } of flips) {
      const from = whole[at] ?? 0;
      await withFlip(file, whole, { at, from, to: from ^ bit }, (flip) =>
        expectFound(data, truth, flip),
      );
    }
  });

  it('go back to an earlier checkpoint where the write-ahead log of a kill is cut', async () => {
    const random = seededRandom(drawSeed('flips of a write-ahead log'));
    const { dir, remove } = await temporaryFolder();
    const form = /^documents\.sqlite(-wal)?$/;
    await copyFiles(world.killed, dir, form);
    const { answers: truth } = await served(dir);
    await copyFiles(world.killed, dir, form);
    const counts = { flips: 0, back: 0 };
    await forEachFlip(`${documentsFile(dir)}-wal`, runs(60), random, async ({ at }) => {
      const { answers, isAnew } = await served(dir);
      let isBack = isAnew;
      for (const { name } of collections) {
        const [was = '', is = ''] = [truth, answers].map((all) => all.get(`checkpoint of ${name}`));
        if (is !== was) {
          expect(is < was, `byte ${at}: ${name} is at ${is}, was at ${was}`).to.equal(true);
          isBack = true;
        } else if (!isAnew) {
          const [before, now] = [truth, answers].map((all) => all.get(`documents of ${name}`));
          expect(now, `byte ${at}: ${name}`).to.equal(before);
        }
      }
      counts.flips += 1;
      if (isBack) counts.back += 1;
      await copyFiles(world.killed, dir, form);
    });
    process.stdout.write(`    documents.sqlite-wal: ${JSON.stringify(counts)}\n`);
    await remove();
  });
});

/** Expects the running service's check to find the flip, if any answer changed. */
const expectFound = async (
  dir: string,
  truth: ReadonlyMap<string, string>,
  { at, from, to }: Flip,
): Promise<void> => {
  const [answers, check] = [await servedUnchecked(dir), checkSays(dir)];
  const changed = [...truth].find(([question, answer]) => answers.get(question) !== answer);
  if (changed === undefined) return;
  expect(check, `byte ${at}: ${from} to ${to}: ${changed[0]}`).not.to.equal(null);
};

/** Offsets of the leaf pages of indexes (SQLite's file format, 1.6). */
const indexLeaves = (file: Buffer): readonly number[] => {
  const pageBytes = file.readUInt16BE(16);
  const pages = Array.from({ length: file.length / pageBytes }, (_, nth) => nth * pageBytes);
  return pages.filter((page) => file[page] === 0x0a);
};

/** Answers to a reader before any check. */
const servedUnchecked = async (dir: string): Promise<ReadonlyMap<string, string>> => {
  try {
    const documents = await openDocuments({ dir, readOnly: true });
    try {
      return await documentAnswers(documents);
    } finally {
      await documents.close();
    }
  } catch (error) {
    return new Map([['open', redactedReason(error)]]);
  }
};

/** Finding of one round of the check. */
const checkSays = (dir: string): string | null => {
  const database = openDatabase(documentsFile(dir));
  try {
    const frame = catalogDamage(database);
    if (frame !== null) return frame;
    const pieces = checkRows(database, { indexes: true, fills: true });
    while (pieces.next().done !== true);
    return null;
  } catch (error) {
    return redactedReason(error);
  } finally {
    database.close();
  }
};
