import { openSequence } from '../kernel/turns.js';
import { reasonOf } from '../kernel/fault.js';
import {
  start,
  type Bus,
  type Clock,
  type EventReader,
  type Page,
  type Position,
  type Recorded,
  type StreamName,
} from '../kernel/ports.js';
import type { Json } from '../kernel/shapes.js';
import {
  applyStep,
  batchEventsMax,
  fail,
  foldPage,
  lookAgain,
  movedSubject,
  type Lane,
  type LaneNeeds,
  type Step,
} from './lane.js';
import { aheadReason, emptiedWhenExchanged, type Ahead } from './exchanged-log.js';
import type { Parking } from './parking.js';
import { openSightings, type Sightings } from './sightings.js';
import { unreadableType, type Source } from './source.js';

/**
 * Brings stored data to today's shape; throws on a type or version that nobody knows
 * (events/codec.ts).
 */
export type Decode = (type: string, schema: number, data: unknown) => unknown;

export type RunNeeds = {
  /**
   * Opened without a codec: what cannot be decoded parks its stream instead of stopping every page.
   */
  readonly reader: EventReader;
  readonly decode: Decode;
  /** Refuses data that its schema does not allow too; for whoever asks whether the log is sound. */
  readonly decodeChecked: Decode;
  readonly sources: readonly Source[];
  readonly parking: Parking;
  readonly bus: Bus;
  readonly clock: Clock;
  /** Told at the start when the log is not the one that was folded (exchanged-log.ts). */
  readonly exchanged?: (ahead: readonly Ahead[]) => void;
};

export type Runner = {
  readonly lanes: readonly Lane[];
  readonly sightings: Sightings;
  lane(name: string): Lane | null;
  /** Runs `work` while no batch is folded or applied; the loop waits. */
  exclusively<T>(work: () => Promise<T>): Promise<T>;
  /** Looks for work now: something was resumed or unparked. */
  wake(): void;
  /** Resolves when the batch at hand is applied. */
  stop(): Promise<void>;
};

/**
 * Pages that one group of lanes takes before the others, and whoever waits for a pause, have their
 * turn.
 */
const pagesAtOnce = 8;
/** How often the head is looked at while there is work, to tell the age of what is not folded. */
const lookEveryMs = 50;
/** How many streams' last revisions are remembered to find gaps at once. */
const revisionsMax = 100_000;

/**
 * Feeds every source from one reading of the log, each with its own checkpoint. Lanes at the same
 * position share a page, so in normal times the log is read once; one that is behind reads for
 * itself until it has caught up.
 */
export const startRunner = async (needs: RunNeeds): Promise<Runner> => {
  const { reader, sources, clock } = needs;
  const ahead = await emptiedWhenExchanged(needs);
  if (ahead.length > 0) needs.exchanged?.(ahead);
  const lanes = await Promise.all(
    sources.map(async (source): Promise<Lane> => ({
      source,
      position: await source.checkpoint(),
      paused: false,
      trouble: null,
      anew: anewOf(source, ahead),
      batchMax: batchEventsMax,
      narrowing: false,
    })),
  );
  const pages = pageReader(needs);
  const sightings = openSightings();
  let lookAt = 0;
  const exclusively = openSequence();
  let stopped = false;
  let idle = new AbortController();

  const lookAhead = async (): Promise<void> => {
    const now = clock.milliseconds();
    if (now < lookAt) return;
    lookAt = now + lookEveryMs;
    sightings.note(await reader.head(), now);
  };
  const round = async (): Promise<boolean> => {
    let moved = false;
    await lookAhead();
    for (const lane of lanes) {
      if (isDue(lane, clock.milliseconds())) {
        await lookAgain(lane).catch((error: unknown) => fail(lane, clock, reasonOf(error)));
      }
    }
    for (const group of groupsOf(lanes, clock.milliseconds())) {
      const before = group.map((lane) => lane.position);
      if (stopped) break;
      await serve(group, pages, needs, () => stopped);
      moved ||= group.some((lane, index) => lane.position !== before[index]);
    }
    return moved;
  };
  const rest = async (): Promise<void> => {
    const waiting = lanes.filter((lane) => !lane.paused);
    const retryAt = Math.min(...waiting.map((lane) => lane.trouble?.retryAt ?? Infinity));
    const waits = [aborted(idle.signal)];
    const ready = waiting.filter((lane) => lane.trouble === null).map((lane) => lane.position);
    if (ready.length > 0) waits.push(reader.grown(least(ready), idle.signal));
    if (retryAt < Infinity) waits.push(clock.wait(retryAt - clock.milliseconds(), idle.signal));
    await Promise.race(waits);
    idle.abort();
  };
  const loop = async (): Promise<void> => {
    for (;;) {
      if (stopped) return;
      idle = new AbortController();
      // Stores may answer without ever leaving the thread; questions to it have to get in between.
      await new Promise((resolve) => setImmediate(resolve));
      const moved = await exclusively(round).catch((error: unknown) => {
        // Reading the log failed: every lane says so and waits.
        for (const lane of lanes) fail(lane, clock, reasonOf(error));
        return false;
      });
      if (!moved && !stopped && !idle.signal.aborted) await rest();
    }
  };
  const ended = loop();
  return {
    lanes,
    sightings,
    lane: (name) => lanes.find(({ source }) => source.name === name) ?? null,
    exclusively,
    wake: () => idle.abort(),
    stop: async () => {
      stopped = true;
      idle.abort();
      await ended;
    },
  };
};

/** When one is ahead, all are built anew. */
const anewOf = ({ name }: Source, ahead: readonly Ahead[]): Lane['anew'] => {
  const why = ahead.find((one) => one.name === name) ?? ahead[0];
  if (why === undefined) return null;
  const of = why.name === name ? '' : ` (${why.name})`;
  return { reason: `${aheadReason(why)}${of}`, until: why.head };
};

const least = (positions: readonly Position[]): Position =>
  positions.reduce((low, position) => (position < low ? position : low));

const isDue = ({ trouble }: Lane, now: number): boolean =>
  trouble !== null && trouble.retryAt <= now;

/**
 * Lanes that may go on, those at one position together, the furthest first: it serves readers who
 * wait.
 */
const groupsOf = (lanes: readonly Lane[], now: number): readonly (readonly Lane[])[] => {
  const byPosition = new Map<Position, Lane[]>();
  for (const lane of lanes) {
    if (lane.paused || (lane.trouble !== null && !isDue(lane, now))) continue;
    byPosition.set(lane.position, [...(byPosition.get(lane.position) ?? []), lane]);
  }
  return [...byPosition].sort(([one], [other]) => (one < other ? 1 : -1)).map(([, group]) => group);
};

/**
 * Takes a few pages through all lanes of the group. While the stores write one page, the next is
 * read and, as far as a lane need not wait for its store, folded. A lane that fails or falls behind
 * ends this; it goes on by itself.
 */
const serve = async (
  group: readonly Lane[],
  pages: ReturnType<typeof pageReader>,
  needs: LaneNeeds,
  isStopped: () => boolean,
): Promise<void> => {
  let position = group[0]?.position ?? start;
  let applied: Promise<boolean> = Promise.resolve(true);
  for (let count = 0; count < pagesAtOnce; count += 1) {
    const page = await pages.after(position);
    const from = { position, applied: count === 0 ? null : applied };
    if (page.gap !== null || page.through <= position) {
      await applied;
      settle(group, page.gap, needs);
      return;
    }
    const steps = await Promise.all(group.map((lane) => foldPage(lane, page, from, needs)));
    // What was folded onto a batch that the store did not take is thrown away.
    if (!(await applied)) return;
    const taken = steps.filter((step) => step !== null);
    const written = Promise.all(taken.map((step) => applyStep(step, needs)));
    applied = written.then((all) => all.every(Boolean));
    position = page.through;
    const together = taken.length === group.length && taken.every(goesOn(page.through));
    if (!together || isStopped()) break;
  }
  await applied;
};

/**
 * Whether the next page may be folded before this step is written: all of the page is in it, and
 * nothing was set aside.
 */
const goesOn =
  (through: Position) =>
  (step: Step): boolean =>
    step.through === through && step.folded.poisons.length === 0;

const settle = (group: readonly Lane[], gap: string | null, { clock }: LaneNeeds): void => {
  for (const lane of group) {
    if (gap !== null) fail(lane, clock, gap);
    // Nothing more to read: what troubled the lane is over, unless its last write failed just now.
    else if (lane.trouble !== null && lane.trouble.retryAt <= clock.milliseconds()) {
      lane.trouble = null;
    }
  }
};

type CheckedPage = Page & { readonly gap: string | null };

/**
 * Pages with decoded events; a stream whose next revision is missing is reported instead of passed
 * on.
 */
const pageReader = ({ reader, decode }: Pick<RunNeeds, 'reader' | 'decode'>) => {
  const revisions = new Map<StreamName, number>();
  return {
    after: async (position: Position): Promise<CheckedPage> => {
      const page = await reader.page(position, batchEventsMax);
      const gap = gapIn(page.events, revisions);
      return { ...page, events: page.events.map((event) => decoded(event, decode)), gap };
    },
  };
};

export const decoded = (event: Recorded, decode: Decode): Recorded => {
  try {
    return { ...event, data: decode(event.type, event.metadata.schema, event.data) };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { ...event, type: unreadableType, data: { type: event.type, reason } };
  }
};

const gapIn = (events: readonly Recorded[], revisions: Map<StreamName, number>): string | null => {
  for (const { stream, revision } of events) {
    const last = revisions.get(stream);
    if (last !== undefined && revision > last + 1) {
      return `gap: ${stream} has revision ${revision} where ${last + 1} is next`;
    }
    if (last === undefined || revision > last) {
      revisions.delete(stream);
      revisions.set(stream, revision);
    }
  }
  for (const stream of revisions.keys()) {
    if (revisions.size <= revisionsMax) break;
    revisions.delete(stream);
  }
  return null;
};

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });

/** A message of `projection.moved`, or null when it is something else. */
export const movedTo = (
  message: Json,
): { readonly name: string; readonly position: Position } | null => {
  if (message === null || typeof message !== 'object' || Array.isArray(message)) return null;
  const { name, position } = message as Readonly<Record<string, Json>>;
  return typeof name === 'string' && typeof position === 'string' && positionForm.test(position)
    ? { name, position: position as Position }
    : null;
};
/** Contract 1.6. */
const positionForm = /^[0-9A-Za-z_-]{1,64}$/;
export { movedSubject };
