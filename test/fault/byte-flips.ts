import { readFile, rm, writeFile } from 'node:fs/promises';
import { openBus } from '../../engines/memory/bus.js';
import { openEventLog, openEventReader } from '../../engines/sqlite/event-log.js';
import { Fault, redactedReason } from '../../kernel/fault.js';
import {
  logStart,
  type EventLog,
  type NewEvent,
  type Position,
  type StreamName,
} from '../../kernel/ports.js';
import { positionOf } from '../../engines/sqlite/log-schema.js';
import type { SeededRandom } from '../../kernel/seeded-random.js';
import { newEvent } from '../support/new-events.js';

export type Flip = { readonly at: number; readonly from: number; readonly to: number };

/** Findings about one flipped byte; null: no finding. */
export type FlipFindings = {
  /** `same`: as if there were no flip. `healed`: it is again, from the log or by looking again. */
  readonly service: 'same' | 'refused' | 'healed';
  /** A changed answer of the service that is not a refusal. */
  readonly wrong: string | null;
  readonly doctor: string | null;
  readonly audit: string | null;
};
export type Counts = Record<'flips' | 'doctor' | 'audit' | 'healed' | 'harmless', number>;

/**
 * Flips `count` bytes of the file, one at a time, and counts what is said. Throws for a flip that
 * the service served as truth, and for one that it refuses and the doctor does not find.
 */
export const countFlips = async (
  file: string,
  count: number,
  random: SeededRandom,
  ask: () => Promise<FlipFindings>,
): Promise<Counts> => {
  const counts: Counts = { flips: 0, doctor: 0, audit: 0, healed: 0, harmless: 0 };
  await forEachFlip(file, count, random, async ({ at, from, to }) => {
    const { service, wrong, doctor, audit } = await ask();
    const flip = `${file}, byte ${at}, ${from} to ${to}`;
    if (wrong !== null) throw new Error(`${flip} is served as truth: ${wrong}; doctor: ${doctor}`);
    if (service === 'refused' && doctor === null) throw new Error(`${flip}: no word of the doctor`);
    counts.flips += 1;
    if (doctor !== null) counts.doctor += 1;
    if (audit !== null) counts.audit += 1;
    if (service === 'healed') counts.healed += 1;
    if (service === 'same' && doctor === null && audit === null) counts.harmless += 1;
  });
  return counts;
};

/** Flips one byte after the other of the file, and puts each back; `look` has the flipped file. */
export const forEachFlip = async (
  file: string,
  count: number,
  random: SeededRandom,
  look: (flip: Flip) => Promise<void>,
): Promise<void> => {
  const whole = await readFile(file);
  for (let nth = 0; nth < count; nth += 1) {
    const at = Math.floor(random.next() * whole.length);
    const from = whole[at] ?? 0;
    await withFlip(
      file,
      whole,
      { at, from, to: from ^ (1 << Math.floor(random.next() * 8)) },
      look,
    );
  }
};

/** Writes the file with one byte changed, runs `look`, and writes `whole` back. */
export const withFlip = async (
  file: string,
  whole: Buffer,
  flip: Flip,
  look: (flip: Flip) => Promise<void>,
): Promise<void> => {
  const flipped = Buffer.from(whole);
  flipped[flip.at] = flip.to;
  await writeFile(file, flipped);
  try {
    await look(flip);
  } finally {
    await writeFile(file, whole);
    for (const ending of ['-wal', '-shm', '.wal', '.damaged']) {
      await rm(`${file}${ending}`, { force: true });
    }
  }
};

/** An answer, or the code of the Fault in its place. */
export const answerOrFault = async (ask: () => Promise<unknown>): Promise<string> => {
  try {
    return JSON.stringify(await ask());
  } catch (error) {
    if (error instanceof Fault) return `refused: ${error.code}`;
    throw error;
  }
};

/**
 * Everything that a service asks of its log: each stream, where it ends, each page, and the appends
 * that decide by an index. Answers by question.
 */
export const logAnswers = async (
  dir: string,
  streams: readonly StreamName[],
): Promise<ReadonlyMap<string, string>> => {
  const bus = openBus(dir);
  const answers = new Map<string, string>();
  let log: EventLog;
  try {
    log = await openEventLog({ dir, bus });
  } catch (error) {
    await bus.close();
    const { code } = error as { readonly code?: string };
    return new Map([['open', `refused: ${String(code)}`]]);
  }
  const ask = async (question: string, answer: () => Promise<unknown>): Promise<void> => {
    answers.set(question, await answerOrFault(answer));
  };
  for (const stream of streams) {
    await ask(`last of ${stream}`, () => log.last(stream));
    await ask(`events of ${stream}`, () => log.read(stream));
    await ask(`a new ${stream}`, async () => {
      const [result] = await log.append([{ stream, expected: 'none', events: [other(stream)] }]);
      return result === 'conflict' ? result : 'appended';
    });
  }
  await ask('head', () => log.head());
  await ask('pages', () => log.page(logStart, 100_000));
  await ask('names', () => log.streams('', null, 100_000));
  await log.close();
  await bus.close();
  return answers;
};

/** Positions that readers begin at: the start, and some in the middle. */
const startsOf = (events: number): readonly Position[] =>
  Array.from({ length: 8 }, (_, nth) => positionOf(Math.floor((events * nth) / 8)));

/** Answers of a log by query, without the thread that writes to it. */
export const logReads = async (
  dir: string,
  streams: readonly StreamName[],
): Promise<ReadonlyMap<string, string>> => {
  const bus = openBus(dir);
  const answers = new Map<string, string>();
  try {
    const log = await openEventReader({ dir, bus });
    const ask = async (question: string, answer: () => Promise<unknown>): Promise<void> =>
      void answers.set(question, await answerOrFault(answer));
    for (const stream of streams) await ask(`events of ${stream}`, () => log.read(stream));
    await ask('head', () => log.head());
    for (const after of startsOf(streams.length)) {
      await ask(`pages after ${after}`, () => log.page(after, 100_000));
    }
    await ask('names', () => log.streams('', null, 100_000));
    await log.close();
  } catch (error) {
    answers.set('open', `refused: ${redactedReason(error)}`);
  } finally {
    await bus.close();
  }
  return answers;
};

/** A command that was sent again with another content. */
const other = (stream: StreamName): NewEvent =>
  newEvent({ of: 'another content' }, `other-${stream}`);
