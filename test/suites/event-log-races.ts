import { expect } from 'chai';
import { array, assert, asyncProperty, constantFrom, integer, record } from 'fast-check';
import {
  logStart,
  type AppendResult,
  type EventLog,
  type NewEvent,
  type StreamAppend,
  type StreamName,
} from '../../kernel/ports.js';
import { Fault } from '../../kernel/fault.js';
import { newEvent, newStream } from '../support/new-events.js';
import { readAllPages } from '../support/log-pages.js';
import { runs } from '../support/runs.js';

/** One append as its writer saw it; `began` and `ended` are instants of one counter. */
type Attempt = {
  readonly stream: StreamName;
  readonly expected: StreamAppend['expected'];
  readonly events: readonly NewEvent[];
  readonly began: number;
  readonly ended: number;
  readonly result: AppendResult;
};

const writers = 32;
const streams = 8;

/** One step of a writer: its number of events, and whether it reads the stream first. */
const step = record({
  stream: integer({ min: 0, max: streams - 1 }),
  events: integer({ min: 1, max: 3 }),
  look: constantFrom(true, true, false),
});
const programs = array(array(step, { minLength: 4, maxLength: 8 }), {
  minLength: writers,
  maxLength: writers,
});

/**
 * Repeats an append with an unknown outcome under the same ids, as the port requires. The number of
 * repeats depends on the load of the machine: only a log that stays down uses them up.
 */
const appendUntilKnown = async (log: EventLog, append: StreamAppend): Promise<AppendResult> => {
  for (let repeats = 0; ; repeats += 1) {
    try {
      const [result = 'conflict'] = await log.append([append]);
      return result;
    } catch (error) {
      const isUnknown = error instanceof Fault && error.code === 'unavailable';
      if (!isUnknown || repeats === repeatsMax) throw error;
    }
  }
};
const repeatsMax = 100;

/** Concurrent writers: each stream is a register that changes by compare-and-set. */
export const raceSuite = (log: () => EventLog): void => {
  describe('many writers at once', () => {
    it('are linearizable in each stream', async () => {
      const property = asyncProperty(programs, async (all) => {
        const names = Array.from({ length: streams }, () => newStream());
        const attempts: Attempt[] = [];
        let instant = 0;
        const run = async (program: (typeof all)[number]): Promise<void> => {
          const known = new Map<StreamName, number>();
          for (const { stream: at, events: count, look } of program) {
            const stream = names[at] ?? newStream();
            if (look) known.set(stream, (await log().read(stream)).length - 1);
            const last = known.get(stream) ?? -1;
            const expected = last < 0 ? 'none' : last;
            const events = Array.from({ length: count }, () => newEvent());
            const began = (instant += 1);
            const result = await appendUntilKnown(log(), { stream, expected, events });
            attempts.push({ stream, expected, events, began, ended: (instant += 1), result });
            if (result !== 'conflict') known.set(stream, last + count);
          }
        };
        await Promise.all(all.map(run));
        for (const stream of names) {
          await checkHistory(
            log(),
            stream,
            attempts.filter((attempt) => attempt.stream === stream),
          );
        }
      });
      await assert(property, { numRuns: runs(2) });
    });

    it('never show a reader a gap: events before a head once read never change', async () => {
      const total = runs(500);
      let written = 0;
      const write = async (): Promise<void> => {
        for (; written < total;) {
          written += 1;
          const append = { stream: newStream(), expected: 'none', events: [newEvent()] } as const;
          await appendUntilKnown(log(), append);
        }
      };
      const seen: string[] = [];
      const follow = async (): Promise<void> => {
        for (let after = logStart; seen.length < total;) {
          await log().waitForGrowth(after);
          const page = await log().page(after, 50);
          seen.push(...page.events.map(({ position }) => position));
          after = page.through;
        }
      };
      await Promise.all([follow(), ...Array.from({ length: writers }, write)]);
      const again = (await readAllPages(log())).map(({ position }) => position);
      expect(seen).to.deep.equal(again);
    });
  });
};

/**
 * Checks that only winners are at their revisions, and that a conflict was true at some moment of
 * its attempt.
 */
const checkHistory = async (
  log: EventLog,
  stream: StreamName,
  attempts: readonly Attempt[],
): Promise<void> => {
  const events = await log.read(stream);
  expect(events.map(({ revision }) => revision)).to.deep.equal(events.map((_, index) => index));
  const won = attempts.flatMap(({ result, ...rest }) =>
    result === 'conflict' ? [] : [{ ...rest, position: result.position }],
  );
  const stored = won
    .toSorted((one, other) => (one.position < other.position ? -1 : 1))
    .flatMap(({ events: appended }) => appended.map(({ id }) => id));
  expect(events.map(({ id }) => id)).to.deep.equal(stored);
  for (const { expected, events: appended, position } of won) {
    const first = expected === 'none' ? 0 : expected + 1;
    const place = events.slice(first, first + appended.length);
    expect(place.map(({ id }) => id)).to.deep.equal(appended.map(({ id }) => id));
    expect(place.at(-1)?.position).to.equal(position);
  }
  for (const earlier of won) {
    for (const later of won) {
      if (earlier.ended < later.began) expect(earlier.position < later.position).to.equal(true);
    }
  }
  for (const { expected, began, ended, result } of attempts) {
    if (result !== 'conflict') continue;
    // The stream was at `expected` from the end of its last winner there at the latest, until the
    // next one began.
    const last = expected === 'none' ? -1 : expected;
    const next = won.find((one) => (one.expected === 'none' ? -1 : one.expected) === last);
    const wasThereAllAlong =
      (next === undefined || next.began > ended) && reachedBefore(won, last, began);
    expect(wasThereAllAlong, `conflict at ${expected}`).to.equal(false);
  }
};

const reachedBefore = (
  won: readonly Pick<Attempt, 'expected' | 'events' | 'ended'>[],
  revision: number,
  instant: number,
): boolean =>
  revision === -1 ||
  won.some(
    ({ expected, events, ended }) =>
      (expected === 'none' ? -1 : expected) + events.length === revision && ended < instant,
  );
