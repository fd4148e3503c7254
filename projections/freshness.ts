import type { Freshness, FreshnessWait } from '../contract/request-ports.js';
import { raceAbort } from '../kernel/query-context.js';
import { Fault } from '../kernel/fault.js';
import {
  laterPosition,
  logStart,
  type NotificationBus,
  type Clock,
  type EventReader,
  type Position,
} from '../kernel/ports.js';
import { movedSubject, parseMoved } from './subscription.js';
import { readModelFillingFault, type CheckpointReaders, type FillMonitor } from './fill-monitor.js';
import type { PositionClock } from './position-clock.js';
import type { RequiredPositions } from './required-positions.js';
import { announceWaitingRead, waitingReadMs } from './waiting-reads.js';

/** Longest wait of a read for its read models (contract 1.7). */
const waitMaxMs = 2_000;
/**
 * A read that waits this long is late: longer than the fold of a few events takes on a busy
 * machine.
 */
export const lateReadMs = 100;
/** Poll interval of checkpoints while a read waits: notifications may be lost. */
const pollMs = 50;
/** Minimum delay after a poll that found no progress: notifications may be wrong. */
const pollBackoffMs = 5;

export type FreshnessNeeds = {
  readonly reader: Pick<EventReader, 'head'>;
  /** Checkpoint readers by name of the read model, from the store itself. */
  readonly checkpoints: CheckpointReaders;
  readonly bus: NotificationBus;
  readonly clock: Clock;
  /** Set in the one process that appends; otherwise every event may matter. */
  readonly requiredPositions?: Pick<RequiredPositions, 'head' | 'positionFor'>;
  /** Times of the log's heads, for lag in time; absent: a lag counts from the read. */
  readonly positionClock?: Pick<PositionClock, 'passedAt'>;
  /** Absent: every read model is complete. */
  readonly fillMonitor?: Pick<FillMonitor, 'progressOf'>;
  /** Called once for each read of a project that has waited `lateReadMs` for this read model. */
  readonly onLateRead?: (project: string, name: string) => void;
};

/** One read model and its last known checkpoint, from its store. */
type WatchedModel = {
  readonly poll: () => Promise<void>;
  /**
   * Single flight: polls after the next plausible notification, or after the poll interval; all
   * waiting reads share it.
   */
  readonly pollNext: () => Promise<void>;
  readonly notify: (position: Position) => void;
  readonly position: () => Position;
};

const watchModel = (checkpoint: () => Promise<Position>, clock: Clock): WatchedModel => {
  let seen: Position = logStart;
  let isNotified = false;
  let wakeUp: AbortController | null = null;
  let polling: Promise<void> | null = null;
  let next: Promise<void> | null = null;
  let madeNoProgress = false;
  const readCheckpoint = async (): Promise<void> => {
    isNotified = false;
    // May go back: a store that was lost starts again, and its old checkpoint must not satisfy
    // later reads.
    seen = await checkpoint();
  };
  const poll = (): Promise<void> => {
    polling ??= readCheckpoint().finally(() => {
      polling = null;
    });
    return polling;
  };
  const waitAndPoll = async (): Promise<void> => {
    if (madeNoProgress) await clock.wait(pollBackoffMs, new AbortController().signal);
    if (!isNotified) {
      wakeUp = new AbortController();
      await clock.wait(pollMs, wakeUp.signal);
      wakeUp = null;
    }
    const before = seen;
    await poll();
    madeNoProgress = seen === before;
  };
  return {
    poll,
    pollNext: () => {
      next ??= waitAndPoll().finally(() => {
        next = null;
      });
      return next;
    },
    notify: (position) => {
      if (position <= seen) return;
      isNotified = true;
      wakeUp?.abort();
    },
    position: () => seen,
  };
};

/** A read model and the position that it has to reach. */
type RequiredModel = {
  readonly name: string;
  readonly model: WatchedModel;
  readonly target: Position;
};

/**
 * Read-your-writes: a read waits until its read models have folded every event that may change it.
 * Keeps the last checkpoint of each read model; a read whose models are all past the head costs one
 * read of the head. Notifications only trigger a poll: any publisher on the bus can send one.
 */
export const openFreshness = ({
  reader,
  checkpoints,
  bus,
  clock,
  requiredPositions,
  positionClock = { passedAt: () => null },
  fillMonitor = { progressOf: () => null },
  onLateRead = () => undefined,
}: FreshnessNeeds): Freshness => {
  const models = new Map(
    [...checkpoints].map(([name, checkpoint]) => [name, watchModel(checkpoint, clock)] as const),
  );
  bus.subscribe(movedSubject, (message) => {
    const moved = parseMoved(message);
    if (moved !== null) models.get(moved.name)?.notify(moved.position);
  });
  const modelOf = (name: string): WatchedModel => {
    const model = models.get(name);
    if (model === undefined) throw new RangeError(`no read model is called ${name}`);
    return model;
  };
  return {
    head: () => reader.head(),
    waitUntilApplied: async (reads, min, waiting = {}) => {
      const began = clock.milliseconds();
      const head = await (waiting.head ?? reader.head());
      // No append has this position yet: waiting would only hold a concurrency slot (contract 1.7,
      // rule 4).
      if (min !== null && min > head) throw readModelBehind();
      const { project } = waiting;
      const isRecorded =
        min === null || (requiredPositions !== undefined && min <= requiredPositions.head());
      const recorded =
        requiredPositions !== undefined && project !== undefined && isRecorded
          ? requiredPositions
          : null;
      // Every acknowledged append is recorded; later ones need not be visible yet.
      const now = recorded === null ? head : recorded.head();
      const required = reads.map((name) => ({
        name,
        model: modelOf(name),
        target: recorded === null ? head : recorded.positionFor(name, project ?? null),
      }));
      await raceAbort(waiting, () =>
        waitUntilReached(required, waiting, { clock, fillMonitor, onLateRead, bus }),
      );
      for (const { name } of required) {
        const progress = fillMonitor.progressOf(name);
        if (progress !== null) throw readModelFillingFault(progress);
      }
      // A read model that has folded every event relevant to this read counts as being at the head.
      const position = lowestPosition(
        required.map(({ model, target }) =>
          model.position() < target ? model.position() : laterPosition(model.position(), now),
        ),
      );
      if (position !== null && required.some(isBehind)) {
        const since = Math.min(positionClock.passedAt(position) ?? began, began);
        waiting.onBehind?.(Math.round((clock.milliseconds() - since) / 1_000));
      }
      if (position !== null && min !== null && position < min) throw readModelBehind();
      return position ?? head;
    },
  };
};

const isBehind = ({ model, target }: RequiredModel): boolean => model.position() < target;

/** Resolves when each has reached its target and is complete, or when the wait is over. */
const waitUntilReached = async (
  required: readonly RequiredModel[],
  { signal, project, atMostMs = waitMaxMs }: FreshnessWait,
  { clock, fillMonitor, onLateRead, bus }: Required<Pick<FreshnessNeeds, WaitNeeds>>,
): Promise<void> => {
  const late = () =>
    required.filter((one) => isBehind(one) || fillMonitor.progressOf(one.name) !== null);
  const began = clock.milliseconds();
  const deadline = began + atMostMs;
  const leftMs = (): number => deadline - clock.milliseconds();
  /** True if filling takes longer than the wait that is left. */
  const isFutile = (): boolean =>
    required.some(
      ({ name }) => (fillMonitor.progressOf(name)?.eta_seconds ?? 0) * 1_000 > leftMs(),
    );
  await Promise.all(late().map(({ model }) => model.poll()));
  const isOver = (): boolean => leftMs() <= 0 || signal?.aborted === true || isFutile();
  let [isAnnounced, isLate] = [false, false];
  while (late().length > 0 && !isOver()) {
    const waited = clock.milliseconds() - began;
    if (!isAnnounced && project != null && waited >= waitingReadMs) {
      isAnnounced = true;
      const position = late().reduce((end, { target }) => laterPosition(end, target), logStart);
      announceWaitingRead(bus, project, position);
    }
    if (!isLate && project != null && waited >= lateReadMs) {
      isLate = true;
      for (const { name } of late()) onLateRead(project, name);
    }
    await Promise.all(late().map(({ model }) => model.pollNext()));
  }
};
type WaitNeeds = 'clock' | 'fillMonitor' | 'onLateRead' | 'bus';

const lowestPosition = (positions: readonly Position[]): Position | null =>
  positions.reduce<Position | null>((low, one) => (low === null || one < low ? one : low), null);

const readModelBehind = (): Fault =>
  new Fault('read-model-behind', 'The read model has not reached that position of the log yet', {
    retryAfterSeconds: 1,
  });
