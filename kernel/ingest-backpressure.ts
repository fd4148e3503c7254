import { throwIfAborted, cancellationFault } from './query-context.js';
import { laterPosition, logStart, type QueryContext, type Clock, type Position } from './ports.js';
import { singleFlight } from './concurrency.js';
import { openWaitQueue } from './wait-queue.js';

/**
 * Ends an admitted append, once, with the position of its last event; null = nothing was written.
 */
export type FinishAppend = (position: Position | null) => void;

/**
 * Per-project ingest backpressure: appends wait while too many bytes are not projected yet, so that
 * one project does not delay the reads of others, which wait for its events (contract 1.7).
 */
export interface IngestBackpressure {
  /**
   * Resolves once the append and the project's unprojected bytes are within the limit together, or
   * nothing is unprojected; in FIFO order per project. Resolves after `atMostMs` in any case, and
   * at once while the read model is stalled: recording must never stop. Throws Fault `unavailable`
   * when the request is cancelled.
   */
  admitAppend(project: string, weight: number, waiting: AppendWait): Promise<FinishAppend>;
  /**
   * Records a late read of the project's records: the limit of other projects is reduced for a
   * while.
   */
  recordLateRead(project: string): void;
  /** Checks the projected position, which may have moved. */
  checkProgress(): void;
  /** Admits everything from now on: the process shuts down. */
  stop(): void;
}
export type AppendWait = Pick<QueryContext, 'signal'> & { readonly atMostMs: number };

/**
 * Limits of a project's unprojected bytes, event and span costs included; one append may be larger,
 * such as a trace of 2,000 spans. `among` other writers: about a fifth of a second of folding,
 * since they wait for it; `besideLateReads`: a quarter of that. `alone`: several batches, so that
 * some arrive while one is folded and one written.
 */
const unprojectedBytesMax = {
  besideLateReads: 1024 * 1024,
  among: 4 * 1024 * 1024,
  alone: 24 * 1024 * 1024,
};
/** Time without an append of another project after which a project counts as the only writer. */
export const soleWriterAfterMs = 5_000;
/** Duration of a late read's effect: until the next one, where reads come every second. */
export const lateReadWindowMs = 2_000;
/** Time without progress after which a read model counts as stalled and is not waited for. */
export const stalledAfterMs = 2_000;
/**
 * Poll interval: notifications may be lost, and the limit of a wait passes while the store is
 * silent.
 */
const progressPollMs = 100;
/** Entries per project; further ones are merged into the last. */
const unprojectedEntriesMax = 256;

/** Append queue of one project: its unprojected and running appends, and those that wait. */
type ProjectAppendQueue = {
  /** Admits an append; returns false if it has to wait. */
  readonly tryBegin: (append: WaitingAppend) => boolean;
  readonly wait: (append: WaitingAppend, signal?: AbortSignal) => Promise<void>;
  /** Ends an append; its weight counts until its events are projected. */
  readonly finish: (weight: number, position: Position | null, projected: Position) => void;
  /** Admits waiting appends now that everything up to `projected` is folded. */
  readonly admitWaiting: (projected: Position) => void;
  readonly isWaiting: () => boolean;
  readonly isEmpty: () => boolean;
};
type WaitingAppend = { readonly weight: number; readonly until: number };
type UnprojectedAppends = readonly { readonly position: Position; readonly weight: number }[];

const openProjectAppendQueue = (
  now: () => number,
  fits: (weight: number) => boolean,
): ProjectAppendQueue => {
  const waiting = openWaitQueue<WaitingAppend>();
  let unprojected: UnprojectedAppends = [];
  /** Weight of unprojected and running appends. */
  let weight = 0;
  /** Time of the last progress, or of the first unprojected event after none. */
  let movedAt = now();
  const begins = (append: WaitingAppend): boolean => {
    const may =
      weight <= 0 ||
      fits(weight + append.weight) ||
      now() - movedAt >= stalledAfterMs ||
      append.until <= now();
    if (may) weight += append.weight;
    return may;
  };
  return {
    tryBegin: (append) => (waiting.size() === 0 || append.until <= now()) && begins(append),
    wait: waiting.enqueue,
    finish: (appended, position, projected) => {
      if (position === null || position <= projected) weight -= appended;
      else {
        if (unprojected.length === 0) movedAt = now();
        unprojected = addUnprojected(unprojected, { position, weight: appended });
      }
    },
    admitWaiting: (projected) => {
      const left = unprojected.filter(({ position }) => position > projected);
      if (left.length < unprojected.length) {
        weight -= totalWeight(unprojected) - totalWeight(left);
        unprojected = left;
        movedAt = now();
      }
      // FIFO: small appends do not overtake a large one for as long as it may wait.
      let isHeld = false;
      waiting.admit((append) => {
        if (isHeld && append.until > now()) return false;
        isHeld = !begins(append);
        return !isHeld;
      });
    },
    isWaiting: () => waiting.size() > 0,
    isEmpty: () => weight <= 0 && waiting.size() === 0,
  };
};

type Needs = {
  readonly clock: Pick<Clock, 'milliseconds' | 'wait'>;
  /** Projected position of the records, from their store. */
  readonly projectedPosition: () => Promise<Position>;
  /** Called with the wait of each append that was delayed. */
  readonly onWait?: (milliseconds: number) => void;
  readonly weightMax?: typeof unprojectedBytesMax;
};

export const openIngestBackpressure = ({
  clock,
  projectedPosition,
  onWait = () => undefined,
  weightMax = unprojectedBytesMax,
}: Needs): IngestBackpressure => {
  const queues = new Map<string, ProjectAppendQueue>();
  let projected = logStart;
  let [isWatching, isStopped] = [false, false];
  const now = (): number => clock.milliseconds();
  const byteLimit = openByteLimit(now, weightMax);
  const queueOf = (project: string): ProjectAppendQueue => {
    const queue =
      queues.get(project) ??
      openProjectAppendQueue(now, (weight) => isStopped || weight <= byteLimit.of(project));
    queues.set(project, queue);
    return queue;
  };
  const settle = (queue: ProjectAppendQueue, project: string): void => {
    queue.admitWaiting(projected);
    if (queue.isEmpty()) queues.delete(project);
  };
  const checkPosition = singleFlight(async () => {
    // A store that fails counts as stalled.
    projected = laterPosition(projected, await projectedPosition().catch(() => projected));
    queues.forEach(settle);
  });
  const watch = async (): Promise<void> => {
    if (isWatching) return;
    isWatching = true;
    while ([...queues.values()].some((queue) => queue.isWaiting())) {
      await clock.wait(progressPollMs, new AbortController().signal);
      queues.forEach(settle);
      void checkPosition();
    }
    isWatching = false;
  };
  const wait = async (queue: ProjectAppendQueue, append: WaitingAppend, signal?: AbortSignal) => {
    const began = clock.milliseconds();
    const entered = queue.wait(append, signal);
    void watch();
    await entered.catch(() => {
      throw cancellationFault(signal);
    });
    onWait(clock.milliseconds() - began);
  };

  return {
    admitAppend: async (project, weight, { atMostMs, ...context }) => {
      throwIfAborted(context);
      byteLimit.recordAppend(project);
      const queue = queueOf(project);
      const append = { weight, until: clock.milliseconds() + atMostMs };
      if (!queue.tryBegin(append)) await wait(queue, append, context.signal);
      return (position) => {
        queue.finish(weight, position, projected);
        settle(queue, project);
      };
    },
    recordLateRead: byteLimit.recordLateRead,
    checkProgress: () => {
      if (queues.size > 0) void checkPosition();
    },
    stop: () => {
      isStopped = true;
      queues.forEach(settle);
    },
  };
};

/** Current limit of a project, from what other projects did last. */
const openByteLimit = (
  now: () => number,
  { besideLateReads, among, alone }: typeof unprojectedBytesMax,
) => {
  const logged = openLastSeen(now);
  const late = openLastSeen(now);
  return {
    recordAppend: logged.see,
    recordLateRead: late.see,
    of: (project: string): number => {
      if (late.sinceOther(project) < lateReadWindowMs) return besideLateReads;
      return logged.sinceOther(project) < soleWriterAfterMs ? among : alone;
    },
  };
};

/**
 * Tracks when a project other than the given one was seen last: remembering the last two is enough.
 */
const openLastSeen = (now: () => number) => {
  const never = { project: '', at: Number.NEGATIVE_INFINITY };
  let [last, other] = [never, never];
  return {
    see: (project: string): void => {
      if (last.project !== project) other = last;
      last = { project, at: now() };
    },
    /** Milliseconds. */
    sinceOther: (project: string): number => now() - (last.project === project ? other : last).at,
  };
};

const totalWeight = (some: UnprojectedAppends): number =>
  some.reduce((sum, { weight }) => sum + weight, 0);

const addUnprojected = (
  unprojected: UnprojectedAppends,
  append: UnprojectedAppends[number],
): UnprojectedAppends => {
  const last = unprojected.at(-1);
  if (last === undefined || unprojected.length < unprojectedEntriesMax)
    return [...unprojected, append];
  const both = {
    position: laterPosition(last.position, append.position),
    weight: last.weight + append.weight,
  };
  return [...unprojected.slice(0, -1), both];
};
