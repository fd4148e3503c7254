import type { Freshness, Waiting } from '../contract/gate.js';
import { whileAsked } from '../kernel/asking.js';
import { Fault } from '../kernel/fault.js';
import {
  later,
  start,
  type Bus,
  type Clock,
  type EventReader,
  type Position,
} from '../kernel/ports.js';
import { movedSubject, movedTo } from './subscription.js';
import { readModelFilling, type Checkpoints, type FillingWatch } from './filling.js';
import type { ReadTargets } from './read-targets.js';

/** A read waits this long at most (contract 1.7). */
export const waitMaxMs = 2_000;
/** Longer than the fold of a few events takes on a busy machine. */
export const lateAfterMs = 100;
/** Hints may be lost: checkpoints are asked for this often while somebody waits. */
const lookAgainMs = 50;
/** Hints may be lies: after a look in vain the next one comes no sooner. */
const restMs = 5;

export type FreshnessNeeds = {
  readonly reader: Pick<EventReader, 'head'>;
  /** By name of the read model: where it is, from the store itself. */
  readonly checkpoints: Checkpoints;
  readonly bus: Bus;
  readonly clock: Clock;
  /** Given in the one process that appends; otherwise every event may matter. */
  readonly targets?: Pick<ReadTargets, 'head' | 'target'>;
  /** Absent: each read model is whole. */
  readonly filling?: Pick<FillingWatch, 'of'>;
  /** Called once for each read of a project that has waited `lateAfterMs` for this read model. */
  readonly readIsLate?: (project: string, name: string) => void;
};

/** One read model: where it was seen to be, by its store. */
type Watched = {
  readonly look: () => Promise<void>;
  /** After the next hint that may be true, or after a while. All who wait share one look. */
  readonly lookNext: () => Promise<void>;
  readonly hint: (position: Position) => void;
  readonly seen: () => Position;
};

const watch = (checkpoint: () => Promise<Position>, clock: Clock): Watched => {
  let seen: Position = start;
  let isHinted = false;
  let rouse: AbortController | null = null;
  let looking: Promise<void> | null = null;
  let next: Promise<void> | null = null;
  let inVain = false;
  const ask = async (): Promise<void> => {
    isHinted = false;
    // Also back: a store that was lost begins anew, and what it has is no answer for later.
    seen = await checkpoint();
  };
  const look = (): Promise<void> => {
    looking ??= ask().finally(() => {
      looking = null;
    });
    return looking;
  };
  const wait = async (): Promise<void> => {
    if (inVain) await clock.wait(restMs, new AbortController().signal);
    if (!isHinted) {
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
    hint: (position) => {
      if (position <= seen) return;
      isHinted = true;
      rouse?.abort();
    },
    seen: () => seen,
  };
};

/** A read model, and where it has to be. */
type Wanted = { readonly name: string; readonly model: Watched; readonly target: Position };

/**
 * Remembers how far each read model was seen to be, by its store. A read that finds them all past
 * the head costs one look at the head and nothing else. A hint only says when to look: anybody on
 * the bus can give one.
 */
export const openFreshness = ({
  reader,
  checkpoints,
  bus,
  clock,
  targets,
  filling = { of: () => null },
  readIsLate = () => undefined,
}: FreshnessNeeds): Freshness => {
  const models = new Map(
    [...checkpoints].map(([name, checkpoint]) => [name, watch(checkpoint, clock)] as const),
  );
  bus.subscribe(movedSubject, (message) => {
    const moved = movedTo(message);
    if (moved !== null) models.get(moved.name)?.hint(moved.position);
  });
  const modelOf = (name: string): Watched => {
    const model = models.get(name);
    if (model === undefined) throw new RangeError(`no read model is called ${name}`);
    return model;
  };
  return {
    head: () => reader.head(),
    reached: async (reads, min, waiting = {}) => {
      const head = await (waiting.head ?? reader.head());
      // Nobody has it: waiting would only keep a place from others (contract 1.7, rule 4).
      if (min !== null && min > head) throw notReached();
      const { project } = waiting;
      const isNoted = min === null || (targets !== undefined && min <= targets.head());
      const known = targets !== undefined && project !== undefined && isNoted ? targets : null;
      // What was answered is noted; later appends are nobody's yet.
      const now = known === null ? head : known.head();
      const wanted = reads.map((name) => ({
        name,
        model: modelOf(name),
        target: known === null ? head : known.target(name, project ?? null),
      }));
      await whileAsked(waiting, () => waitFor(wanted, waiting, { clock, filling, readIsLate }));
      for (const { name } of wanted) {
        const found = filling.of(name);
        if (found !== null) throw readModelFilling(found);
      }
      // A read model that has all that changes the answer counts as being at the head.
      const position = least(
        wanted.map(({ model, target }) =>
          model.seen() < target ? model.seen() : later(model.seen(), now),
        ),
      );
      if (position !== null && min !== null && position < min) throw notReached();
      return position ?? head;
    },
  };
};

/** Until each is where it has to be and whole, or longer than the read may wait. */
const waitFor = async (
  wanted: readonly Wanted[],
  { signal, project, atMostMs = waitMaxMs }: Waiting,
  { clock, filling, readIsLate }: Required<Pick<FreshnessNeeds, WaitNeeds>>,
): Promise<void> => {
  const late = () =>
    wanted.filter(({ name, model, target }) => model.seen() < target || filling.of(name) !== null);
  const began = clock.milliseconds();
  const deadline = began + atMostMs;
  const leftMs = (): number => deadline - clock.milliseconds();
  /** What takes longer than the read may wait is not waited for. */
  const isFutile = (): boolean =>
    wanted.some(({ name }) => (filling.of(name)?.eta_seconds ?? 0) * 1_000 > leftMs());
  await Promise.all(late().map(({ model }) => model.look()));
  const isOver = (): boolean => leftMs() <= 0 || signal?.aborted === true || isFutile();
  let isLate = false;
  while (late().length > 0 && !isOver()) {
    if (!isLate && project != null && clock.milliseconds() - began >= lateAfterMs) {
      isLate = true;
      for (const { name } of late()) readIsLate(project, name);
    }
    await Promise.all(late().map(({ model }) => model.lookNext()));
  }
};
type WaitNeeds = 'clock' | 'filling' | 'readIsLate';

const least = (positions: readonly Position[]): Position | null =>
  positions.reduce<Position | null>((low, one) => (low === null || one < low ? one : low), null);

const notReached = (): Fault =>
  new Fault('read-model-behind', 'The read model has not reached that position of the log yet', {
    retryAfterSeconds: 1,
  });
