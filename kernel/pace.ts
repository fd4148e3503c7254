import { checkAsked, noLongerAsked } from './asking.js';
import { later, start, type Asking, type Clock, type Position } from './ports.js';

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
   * Resolves once less than the bound of what the project logged is still unread, its own appends
   * in turn; after `atMostMs` all the same, and at once while nothing that it logged becomes
   * readable: nothing stops the recording of what happened. Throws Fault `unavailable` when the
   * asker waits no longer.
   */
  begin(project: string, weight: number, waiting: Paused): Promise<AppendEnded>;
  /** What is readable may have moved. */
  moved(): void;
  /** Nobody waits from now on: the process ends. */
  stop(): void;
}
export type Paused = Pick<Asking, 'signal'> & { readonly atMostMs: number };

/**
 * What a project may have logged that nobody can read yet, as bytes: what is folded in a fifth of a
 * second or so, and enough that another batch waits when one is written.
 */
export const unreadMax = 4 * 1024 * 1024;
/** A read model that stands still, or is far behind, is not waited for. */
export const standstillMs = 2_000;
/** Hints may be lost. */
const lookAgainMs = 100;
/** Of one project; more are seen as one. */
const notedMax = 256;

type Waiter = { readonly weight: number; readonly until: number; readonly go: () => void };
type Line = {
  /** Of what is unread or being appended. */
  weight: number;
  unread: readonly { readonly position: Position; readonly weight: number }[];
  waiting: readonly Waiter[];
  /** When something became readable last, or began to be unread. */
  movedAt: number;
};

type Needs = {
  readonly clock: Pick<Clock, 'milliseconds' | 'wait'>;
  /** Up to where the records are folded, by their store. */
  readonly readable: () => Promise<Position>;
  /** Told how long each append waited that had to. */
  readonly waited?: (milliseconds: number) => void;
  readonly weightMax?: number;
};

export const openPace = ({
  clock,
  readable,
  waited = () => undefined,
  weightMax = unreadMax,
}: Needs): Pace => {
  const lines = new Map<string, Line>();
  let seen = start;
  let looking: Promise<void> | null = null;
  let isMoved = false;
  let watching = false;
  let isStopped = false;

  const hasRoom = ({ weight, movedAt }: Line): boolean =>
    isStopped || weight < weightMax || clock.milliseconds() - movedAt >= standstillMs;
  const admit = (line: Line): void => {
    for (const one of line.waiting) {
      if (!hasRoom(line) && one.until > clock.milliseconds()) continue;
      line.waiting = line.waiting.filter((other) => other !== one);
      line.weight += one.weight;
      one.go();
    }
  };
  const settle = (project: string, line: Line): void => {
    const left = line.unread.filter(({ position }) => position > seen);
    if (left.length < line.unread.length) {
      line.weight -= sumOf(line.unread) - sumOf(left);
      line.unread = left;
      line.movedAt = clock.milliseconds();
    }
    admit(line);
    if (line.weight <= 0 && line.waiting.length === 0) lines.delete(project);
  };
  const look = async (): Promise<void> => {
    do {
      isMoved = false;
      // A store that cannot say is like one that stands still.
      seen = later(seen, await readable().catch(() => seen));
      for (const [project, line] of lines) settle(project, line);
    } while (isMoved);
  };
  const lookOnce = (): Promise<void> => {
    looking ??= look().finally(() => {
      looking = null;
    });
    return looking;
  };
  const watch = async (): Promise<void> => {
    if (watching) return;
    watching = true;
    while ([...lines.values()].some(({ waiting }) => waiting.length > 0)) {
      await clock.wait(lookAgainMs, new AbortController().signal);
      await lookOnce();
    }
    watching = false;
  };

  const turn = (line: Line, weight: number, { signal, atMostMs }: Paused): Promise<void> =>
    new Promise((resolve, reject) => {
      const gone = (): void => {
        line.waiting = line.waiting.filter((other) => other !== one);
        reject(noLongerAsked(signal));
      };
      const began = clock.milliseconds();
      const one: Waiter = {
        weight,
        until: began + atMostMs,
        go: () => {
          signal?.removeEventListener('abort', gone);
          waited(clock.milliseconds() - began);
          resolve();
        },
      };
      signal?.addEventListener('abort', gone, { once: true });
      line.waiting = [...line.waiting, one];
      void watch();
    });
  const begun =
    (project: string, line: Line, weight: number): AppendEnded =>
    (position) => {
      if (position === null || position <= seen) line.weight -= weight;
      else {
        if (line.unread.length === 0) line.movedAt = clock.milliseconds();
        line.unread = noted(line.unread, { position, weight });
      }
      settle(project, line);
    };

  return {
    begin: async (project, weight, waiting) => {
      checkAsked(waiting);
      const line = lines.get(project) ?? {
        weight: 0,
        unread: [],
        waiting: [],
        movedAt: clock.milliseconds(),
      };
      lines.set(project, line);
      const mayGo = (line.waiting.length === 0 && hasRoom(line)) || waiting.atMostMs <= 0;
      if (mayGo) line.weight += weight;
      else await turn(line, weight, waiting);
      return begun(project, line, weight);
    },
    moved: () => {
      isMoved = true;
      if (lines.size > 0) void lookOnce();
    },
    stop: () => {
      isStopped = true;
      for (const line of lines.values()) admit(line);
    },
  };
};

const sumOf = (some: readonly { readonly weight: number }[]): number =>
  some.reduce((sum, { weight }) => sum + weight, 0);

const noted = (unread: Line['unread'], one: Line['unread'][number]): Line['unread'] => {
  const last = unread.at(-1);
  if (last === undefined || unread.length < notedMax) return [...unread, one];
  const both = {
    position: later(last.position, one.position),
    weight: last.weight + one.weight,
  };
  return [...unread.slice(0, -1), both];
};
