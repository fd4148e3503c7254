import { checkAsked, noLongerAsked } from './asking.js';
import { later, start, type Asking, type Clock, type Position } from './ports.js';
import { sharedLooks } from './turns.js';
import { openWaitingList } from './waiting-list.js';

/**
 * An append that may begin. Told its end once: where its last event stands; null = there is none.
 */
export type AppendEnded = (position: Position | null) => void;

/**
 * How fast a project may log: as fast as what it logs can be read. Else its events stand before
 * those of all others, who wait for them with each read (contract 1.7).
 */
export interface Pace {
  /**
   * Resolves once the append and what the project logged that is still unread are within the bound
   * together, or nothing of it is unread; its own appends in turn. After `atMostMs` all the same,
   * and at once while nothing that it logged becomes readable: nothing stops the recording of what
   * happened. Throws Fault `unavailable` when the asker waits no longer.
   */
  begin(project: string, weight: number, waiting: Paused): Promise<AppendEnded>;
  /** A read of the project's records is late: for a while the bound of others is smaller. */
  readIsLate(project: string): void;
  /** What is readable may have moved. */
  moved(): void;
  /** Nobody waits from now on: the process ends. */
  stop(): void;
}
export type Paused = Pick<Asking, 'signal'> & { readonly atMostMs: number };

/**
 * What a project may have logged that nobody can read yet, as bytes, with those that events and
 * spans count for; one append may be larger, such as a trace of 2,000 spans. Among others what is
 * folded in a fifth of a second or so, since they wait for it; while reads of others are late, a
 * quarter of that. Alone several batches, so that some are on their way in while one is folded and
 * one written.
 */
const unreadMax = {
  besideLateReads: 1024 * 1024,
  among: 4 * 1024 * 1024,
  alone: 24 * 1024 * 1024,
};
/** No other project has logged for so long. */
export const aloneAfterMs = 5_000;
/** A late read counts for so long: until the next one, where reads come every second. */
export const lateReadMs = 2_000;
/** A read model that stands still, or is far behind, is not waited for. */
export const standstillMs = 2_000;
/** Hints may be lost, and time passes while the store is silent. */
const lookAgainMs = 100;
/** Of one project; more are seen as one. */
const notedMax = 256;

/** Of one project: what is unread or being appended, and who waits. */
type ProjectLine = {
  /** Counts an append that begins; false: it has to wait. */
  readonly begins: (one: Waiter) => boolean;
  readonly wait: (one: Waiter, signal?: AbortSignal) => Promise<void>;
  /** An append ended; what it wrote counts until it is readable. */
  readonly ended: (weight: number, position: Position | null, seen: Position) => void;
  /** Lets in who may go now that all up to `seen` is readable. */
  readonly settle: (seen: Position) => void;
  readonly isWaiting: () => boolean;
  readonly isEmpty: () => boolean;
};
type Waiter = { readonly weight: number; readonly until: number };
type Unread = readonly { readonly position: Position; readonly weight: number }[];

const openLine = (now: () => number, fits: (weight: number) => boolean): ProjectLine => {
  const waiting = openWaitingList<Waiter>();
  let unread: Unread = [];
  /** Of what is unread or being appended. */
  let weight = 0;
  /** When something became readable last, or began to be unread. */
  let movedAt = now();
  const begins = (one: Waiter): boolean => {
    const may =
      weight <= 0 ||
      fits(weight + one.weight) ||
      now() - movedAt >= standstillMs ||
      one.until <= now();
    if (may) weight += one.weight;
    return may;
  };
  return {
    begins: (one) => (waiting.size() === 0 || one.until <= now()) && begins(one),
    wait: waiting.join,
    ended: (its, position, seen) => {
      if (position === null || position <= seen) weight -= its;
      else {
        if (unread.length === 0) movedAt = now();
        unread = noted(unread, { position, weight: its });
      }
    },
    settle: (seen) => {
      const left = unread.filter(({ position }) => position > seen);
      if (left.length < unread.length) {
        weight -= sumOf(unread) - sumOf(left);
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
  readonly readable: () => Promise<Position>;
  /** Told how long each append waited that had to. */
  readonly waited?: (milliseconds: number) => void;
  readonly weightMax?: typeof unreadMax;
};

export const openPace = ({
  clock,
  readable,
  waited = () => undefined,
  weightMax = unreadMax,
}: Needs): Pace => {
  const lines = new Map<string, ProjectLine>();
  let seen = start;
  let [isWatching, isStopped] = [false, false];
  const now = (): number => clock.milliseconds();
  const bound = openBound(now, weightMax);
  const lineOf = (project: string): ProjectLine => {
    const line =
      lines.get(project) ?? openLine(now, (weight) => isStopped || weight <= bound.of(project));
    lines.set(project, line);
    return line;
  };
  const settle = (line: ProjectLine, project: string): void => {
    line.settle(seen);
    if (line.isEmpty()) lines.delete(project);
  };
  const look = sharedLooks(async () => {
    // A store that cannot say is like one that stands still.
    seen = later(seen, await readable().catch(() => seen));
    lines.forEach(settle);
  });
  const watch = async (): Promise<void> => {
    if (isWatching) return;
    isWatching = true;
    while ([...lines.values()].some((line) => line.isWaiting())) {
      await clock.wait(lookAgainMs, new AbortController().signal);
      lines.forEach(settle);
      void look();
    }
    isWatching = false;
  };
  const wait = async (line: ProjectLine, one: Waiter, signal?: AbortSignal): Promise<void> => {
    const began = clock.milliseconds();
    const entered = line.wait(one, signal);
    void watch();
    await entered.catch(() => {
      throw noLongerAsked(signal);
    });
    waited(clock.milliseconds() - began);
  };

  return {
    begin: async (project, weight, { atMostMs, ...asking }) => {
      checkAsked(asking);
      bound.logs(project);
      const line = lineOf(project);
      const one = { weight, until: clock.milliseconds() + atMostMs };
      if (!line.begins(one)) await wait(line, one, asking.signal);
      return (position) => {
        line.ended(weight, position, seen);
        settle(line, project);
      };
    },
    readIsLate: bound.readIsLate,
    moved: () => {
      if (lines.size > 0) void look();
    },
    stop: () => {
      isStopped = true;
      lines.forEach(settle);
    },
  };
};

/** What a project may have unread now, by what other projects did last. */
const openBound = (now: () => number, { besideLateReads, among, alone }: typeof unreadMax) => {
  const logged = openLastSeen(now);
  const late = openLastSeen(now);
  return {
    logs: logged.see,
    readIsLate: late.see,
    of: (project: string): number => {
      if (late.sinceOther(project) < lateReadMs) return besideLateReads;
      return logged.sinceOther(project) < aloneAfterMs ? among : alone;
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

const sumOf = (some: Unread): number => some.reduce((sum, { weight }) => sum + weight, 0);

const noted = (unread: Unread, one: Unread[number]): Unread => {
  const last = unread.at(-1);
  if (last === undefined || unread.length < notedMax) return [...unread, one];
  const both = {
    position: later(last.position, one.position),
    weight: last.weight + one.weight,
  };
  return [...unread.slice(0, -1), both];
};
