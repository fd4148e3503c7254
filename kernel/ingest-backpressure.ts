import { throwIfAborted, cancellationFault } from './query-context.js';
import { laterPosition, logStart, type QueryContext, type Clock, type Position } from './ports.js';
import { singleFlight } from './concurrency.js';
import { openWaitQueue } from './wait-queue.js';

/**
 * An append that may begin. Told its end once: where its last event stands; null = there is none.
 */
export type FinishAppend = (position: Position | null) => void;

/**
 * How fast a project may log: as fast as what it logs can be read. Else its events stand before
 * those of all others, who wait for them with each read (contract 1.7).
 */
export interface IngestBackpressure {
  /**
   * Resolves once the append and what the project logged that is still unread are within the bound
   * together, or nothing of it is unread; its own appends in turn. After `atMostMs` all the same,
   * and at once while nothing that it logged becomes readable: nothing stops the recording of what
   * happened. Throws Fault `unavailable` when the asker waits no longer.
   */
  admitAppend(project: string, weight: number, waiting: AppendWait): Promise<FinishAppend>;
  /** A read of the project's records is late: for a while the bound of others is smaller. */
  recordLateRead(project: string): void;
  /** What is readable may have moved. */
  checkProgress(): void;
  /** Nobody waits from now on: the process ends. */
  stop(): void;
}
export type AppendWait = Pick<QueryContext, 'signal'> & { readonly atMostMs: number };

/**
 * What a project may have logged that nobody can read yet, as bytes, with those that events and
 * spans count for; one append may be larger, such as a trace of 2,000 spans. Among others what is
 * folded in a fifth of a second or so, since they wait for it; while reads of others are late, a
 * quarter of that. Alone several batches, so that some are on their way in while one is folded and
 * one written.
 */
const unprojectedBytesMax = {
  besideLateReads: 1024 * 1024,
  among: 4 * 1024 * 1024,
  alone: 24 * 1024 * 1024,
};
/** No other project has logged for so long. */
export const soleWriterAfterMs = 5_000;
/** A late read counts for so long: until the next one, where reads come every second. */
export const lateReadWindowMs = 2_000;
/** A read model that stands still, or is far behind, is not waited for. */
export const stalledAfterMs = 2_000;
/** Hints may be lost, and time passes while the store is silent. */
const progressPollMs = 100;
/** Of one project; more are seen as one. */
const unprojectedEntriesMax = 256;

/** Of one project: what is unread or being appended, and who waits. */
type ProjectAppendQueue = {
  /** Counts an append that begins; false: it has to wait. */
  readonly tryBegin: (one: WaitingAppend) => boolean;
  readonly wait: (one: WaitingAppend, signal?: AbortSignal) => Promise<void>;
  /** An append ended; what it wrote counts until it is readable. */
  readonly finish: (weight: number, position: Position | null, seen: Position) => void;
  /** Lets in who may go now that all up to `seen` is readable. */
  readonly admitWaiting: (seen: Position) => void;
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
  let unread: UnprojectedAppends = [];
  /** Of what is unread or being appended. */
  let weight = 0;
  /** When something became readable last, or began to be unread. */
  let movedAt = now();
  const begins = (one: WaitingAppend): boolean => {
    const may =
      weight <= 0 ||
      fits(weight + one.weight) ||
      now() - movedAt >= stalledAfterMs ||
      one.until <= now();
    if (may) weight += one.weight;
    return may;
  };
  return {
    tryBegin: (one) => (waiting.size() === 0 || one.until <= now()) && begins(one),
    wait: waiting.enqueue,
    finish: (its, position, seen) => {
      if (position === null || position <= seen) weight -= its;
      else {
        if (unread.length === 0) movedAt = now();
        unread = addUnprojected(unread, { position, weight: its });
      }
    },
    admitWaiting: (seen) => {
      const left = unread.filter(({ position }) => position > seen);
      if (left.length < unread.length) {
        weight -= totalWeight(unread) - totalWeight(left);
        unread = left;
        movedAt = now();
      }
      // In turn: a large append is not passed by small ones for as long as it may wait.
      let isHeld = false;
      waiting.admit((one) => {
        if (isHeld && one.until > now()) return false;
        isHeld = !begins(one);
        return !isHeld;
      });
    },
    isWaiting: () => waiting.size() > 0,
    isEmpty: () => weight <= 0 && waiting.size() === 0,
  };
};

type Needs = {
  readonly clock: Pick<Clock, 'milliseconds' | 'wait'>;
  /** Up to where the records are folded, by their store. */
  readonly projectedPosition: () => Promise<Position>;
  /** Told how long each append waited that had to. */
  readonly onWait?: (milliseconds: number) => void;
  readonly weightMax?: typeof unprojectedBytesMax;
};

export const openIngestBackpressure = ({
  clock,
  projectedPosition,
  onWait = () => undefined,
  weightMax = unprojectedBytesMax,
}: Needs): IngestBackpressure => {
  const lines = new Map<string, ProjectAppendQueue>();
  let seen = logStart;
  let [isWatching, isStopped] = [false, false];
  const now = (): number => clock.milliseconds();
  const bound = openByteLimit(now, weightMax);
  const lineOf = (project: string): ProjectAppendQueue => {
    const line =
      lines.get(project) ??
      openProjectAppendQueue(now, (weight) => isStopped || weight <= bound.of(project));
    lines.set(project, line);
    return line;
  };
  const settle = (line: ProjectAppendQueue, project: string): void => {
    line.admitWaiting(seen);
    if (line.isEmpty()) lines.delete(project);
  };
  const look = singleFlight(async () => {
    // A store that cannot say is like one that stands still.
    seen = laterPosition(seen, await projectedPosition().catch(() => seen));
    lines.forEach(settle);
  });
  const watch = async (): Promise<void> => {
    if (isWatching) return;
    isWatching = true;
    while ([...lines.values()].some((line) => line.isWaiting())) {
      await clock.wait(progressPollMs, new AbortController().signal);
      lines.forEach(settle);
      void look();
    }
    isWatching = false;
  };
  const wait = async (line: ProjectAppendQueue, one: WaitingAppend, signal?: AbortSignal) => {
    const began = clock.milliseconds();
    const entered = line.wait(one, signal);
    void watch();
    await entered.catch(() => {
      throw cancellationFault(signal);
    });
    onWait(clock.milliseconds() - began);
  };

  return {
    admitAppend: async (project, weight, { atMostMs, ...asking }) => {
      throwIfAborted(asking);
      bound.logs(project);
      const line = lineOf(project);
      const one = { weight, until: clock.milliseconds() + atMostMs };
      if (!line.tryBegin(one)) await wait(line, one, asking.signal);
      return (position) => {
        line.finish(weight, position, seen);
        settle(line, project);
      };
    },
    recordLateRead: bound.readIsLate,
    checkProgress: () => {
      if (lines.size > 0) void look();
    },
    stop: () => {
      isStopped = true;
      lines.forEach(settle);
    },
  };
};

/** What a project may have unread now, by what other projects did last. */
const openByteLimit = (
  now: () => number,
  { besideLateReads, among, alone }: typeof unprojectedBytesMax,
) => {
  const logged = openLastSeen(now);
  const late = openLastSeen(now);
  return {
    logs: logged.see,
    readIsLate: late.see,
    of: (project: string): number => {
      if (late.sinceOther(project) < lateReadWindowMs) return besideLateReads;
      return logged.sinceOther(project) < soleWriterAfterMs ? among : alone;
    },
  };
};

/** When another project than a given one was seen last: the last two of all are enough to know. */
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
  unread: UnprojectedAppends,
  one: UnprojectedAppends[number],
): UnprojectedAppends => {
  const last = unread.at(-1);
  if (last === undefined || unread.length < unprojectedEntriesMax) return [...unread, one];
  const both = {
    position: laterPosition(last.position, one.position),
    weight: last.weight + one.weight,
  };
  return [...unread.slice(0, -1), both];
};
