import type { Freshness, Waiting } from '../contract/gate.js';
import { whileAsked } from '../kernel/asking.js';
import { Fault } from '../kernel/fault.js';
import { start, type Bus, type Clock, type EventReader, type Position } from '../kernel/ports.js';
import { movedSubject } from './lane.js';
import { movedTo } from './run.js';

/** A read waits this long at most (contract 1.7). */
export const waitMaxMs = 2_000;
/** Hints may be lost: checkpoints are asked for this often while somebody waits. */
const lookAgainMs = 50;
/** Hints may be lies: whoever looked in vain looks again no sooner. */
const restMs = 5;

export type FreshnessNeeds = {
  readonly reader: Pick<EventReader, 'head'>;
  /** By name of the read model: where it is, from the store itself. */
  readonly checkpoints: ReadonlyMap<string, () => Promise<Position>>;
  readonly bus: Bus;
  readonly clock: Clock;
};

/** One read model: where it was seen to be, by its store. */
type Watched = {
  readonly look: () => Promise<void>;
  /** After the next hint that may be true, or a while. Whoever waits already shares the look. */
  readonly lookNext: () => Promise<void>;
  readonly hear: (position: Position) => void;
  readonly seen: () => Position;
};

const watch = (checkpoint: () => Promise<Position>, clock: Clock): Watched => {
  let seen: Position = start;
  let isHeard = false;
  let rouse: AbortController | null = null;
  let looking: Promise<void> | null = null;
  let next: Promise<void> | null = null;
  let inVain = false;
  const ask = async (): Promise<void> => {
    isHeard = false;
    const position = await checkpoint();
    if (position > seen) seen = position;
  };
  const look = (): Promise<void> => {
    looking ??= ask().finally(() => {
      looking = null;
    });
    return looking;
  };
  const wait = async (): Promise<void> => {
    if (inVain) await clock.wait(restMs, new AbortController().signal);
    if (!isHeard) {
      rouse = new AbortController();
      await clock.wait(lookAgainMs, rouse.signal);
      rouse = null;
    }
    const before = seen;
    await look();
    inVain = seen === before;
  };
  return {
    look,
    lookNext: () => {
      next ??= wait().finally(() => {
        next = null;
      });
      return next;
    },
    hear: (position) => {
      if (position <= seen) return;
      isHeard = true;
      rouse?.abort();
    },
    seen: () => seen,
  };
};

/**
 * Remembers how far each read model was seen to be, by its store. A read that finds them all past
 * the head costs one look at the head and nothing else. A hint only says when to look: anybody on
 * the bus can give one.
 */
export const openFreshness = ({ reader, checkpoints, bus, clock }: FreshnessNeeds): Freshness => {
  const models = new Map(
    [...checkpoints].map(([name, checkpoint]) => [name, watch(checkpoint, clock)] as const),
  );
  bus.subscribe(movedSubject, (message) => {
    const moved = movedTo(message);
    if (moved !== null) models.get(moved.name)?.hear(moved.position);
  });
  const modelOf = (name: string): Watched => {
    const model = models.get(name);
    if (model === undefined) throw new RangeError(`no read model is called ${name}`);
    return model;
  };
  const waitFor = async (
    read: readonly Watched[],
    target: Position,
    { signal, atMostMs = waitMaxMs }: Waiting,
  ): Promise<void> => {
    const late = (): readonly Watched[] => read.filter(({ seen }) => seen() < target);
    const deadline = clock.milliseconds() + atMostMs;
    await Promise.all(late().map(({ look }) => look()));
    const isOver = (): boolean => clock.milliseconds() >= deadline || signal?.aborted === true;
    while (late().length > 0 && !isOver()) {
      await Promise.all(late().map(({ lookNext }) => lookNext()));
    }
  };

  return {
    reached: async (reads, min, waiting = {}) => {
      const read = reads.map(modelOf);
      const head = await reader.head();
      // Nobody has it: waiting would only keep a place from others (contract 1.7, rule 4).
      if (min !== null && min > head) throw notReached();
      await whileAsked(waiting, () => waitFor(read, head, waiting));
      const position = read
        .map(({ seen }) => seen())
        .reduce((low, one) => (one < low ? one : low), read[0]?.seen() ?? head);
      if (min !== null && position < min) throw notReached();
      return position;
    },
  };
};

const notReached = (): Fault =>
  new Fault('read-model-behind', 'The read model has not reached that position of the log yet', {
    retryAfterSeconds: 1,
  });
