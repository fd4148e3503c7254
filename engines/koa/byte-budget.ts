import { openCounter } from '../../kernel/counter.js';
import { openWaitQueue, type WaitQueue } from '../../kernel/wait-queue.js';

/** Whose bytes and work they are. */
export type QuotaOwner = {
  /** A key, a person without one, or the address of whoever showed no credential. */
  readonly name: string;
  /** Whose key it is; null = nobody is known. Keys are made at will, so they share with others. */
  readonly person: string | null;
};

/** The bytes of one body or one answer. Once they are released, nothing is counted any more. */
export type ByteReservation = {
  /** Tally so many more; throws Fault `unavailable` when there is no room for them. */
  readonly reserve: (bytes: number) => void;
  /** The same, as soon as there is room; rejects with the reason of `signal`. */
  readonly reserveWhenFree: (bytes: number, signal: AbortSignal) => Promise<void>;
  /** Whether there was room for so many more, which are counted then. */
  readonly tryReserve: (bytes: number) => boolean;
  /** Tally as many more as there is room for now; up to 64 KiB are uncounted and always there. */
  readonly reserveUpTo: (bytesMax: number) => number;
  /**
   * Those that it came to: corrects what was counted before, which cannot be refused any more, or
   * takes them.
   */
  readonly settle: (bytes: number) => void;
  /** Tally what is there already and cannot be refused any more. */
  readonly forceReserve: (bytes: number) => void;
  /** All of them are gone; a second call does nothing. */
  readonly release: () => void;
};
export type ByteBudget = { readonly open: (owner: QuotaOwner) => ByteReservation };

/**
 * Of the whole, once half of it is taken: a caller has a quarter, all keys of a person three
 * eighths, so that neither one key stops the others of its maker nor two people everybody. A
 * stranger has little more than a login needs.
 */
const callerShare = 1 / 4;
const personShare = 3 / 8;
const strangerShare = 1 / 64;
const crowdedShare = 1 / 2;
/** The last eighth is for what is small: usual requests go on while large ones fill the rest. */
const smallShare = 1 / 8;
const smallMax = 65_536;
/**
 * A key that holds little is not refused for what other keys of its person hold: one usual body
 * while a quarter is free, what is small as long as there is room at all.
 */
const littleShare = 1 / 128;
const littleUpTo = 3 / 4;

/** Bytes in memory at a time. One that is alone always has room, else a large one never had. */
export const openByteBudget = (bytesMax: number, refuse: (why: string) => never): ByteBudget => {
  const taken = openCounter();
  const waiting = openWaitQueue<() => boolean>();
  let all = 0;
  /** Up to how much of the whole the shares are nothing to this caller. */
  const sharelessUpTo = (theirs: number, person: string | null): number => {
    if (person === null || theirs > Math.max(smallMax, bytesMax * littleShare)) return 0;
    return theirs <= smallMax ? 1 : littleUpTo;
  };
  const isOver = (name: string, share: number, held: number, bytes: number): boolean => {
    const theirs = taken.count(name);
    return theirs > held && theirs + bytes > bytesMax * share;
  };
  const hasRoom = ({ caller, person }: OwnerKeys, held: number, bytes: number): boolean => {
    if (all === held) return true;
    const isCrowded = person === null || all + bytes > bytesMax * crowdedShare;
    const isBeyondShare =
      person === null
        ? isOver(caller, strangerShare, held, bytes)
        : isOver(caller, callerShare, held, bytes) || isOver(person, personShare, held, bytes);
    if (isCrowded && isBeyondShare) {
      const upTo = sharelessUpTo(taken.count(caller) + bytes, person);
      if (all + bytes > bytesMax * upTo) return false;
    }
    const isSmall = held + bytes <= smallMax;
    return all + bytes <= (isSmall ? bytesMax : Math.floor(bytesMax * (1 - smallShare)));
  };
  const count = ({ caller, person }: OwnerKeys, bytes: number): void => {
    all += bytes;
    taken.add(caller, bytes);
    if (person !== null) taken.add(person, bytes);
    if (bytes < 0) waiting.admit((tries) => tries());
  };
  return {
    open: ({ name, person }) => {
      const names = { caller: `c ${name}`, person: person === null ? null : `p ${person}` };
      return openReservation(names, { hasRoom, count, waiting, refuse });
    },
  };
};

/** What an owner's bytes are counted under. */
type OwnerKeys = { readonly caller: string; readonly person: string | null };

/** What is taken of a budget. */
type BudgetLedger = {
  /** Whether so many more have room, beside `held` that are counted already. */
  readonly hasRoom: (names: OwnerKeys, held: number, bytes: number) => boolean;
  readonly count: (names: OwnerKeys, bytes: number) => void;
  /** Each takes the room that it waits for once there is some. */
  readonly waiting: WaitQueue<() => boolean>;
  readonly refuse: (why: string) => never;
};

const openReservation = (
  names: OwnerKeys,
  { hasRoom, count, waiting, refuse }: BudgetLedger,
): ByteReservation => {
  let held = 0;
  let released = false;
  const add = (bytes: number): void => {
    if (released) return;
    held += bytes;
    count(names, bytes);
  };
  const tries = (bytes: number): boolean => {
    const has = hasRoom(names, held, bytes);
    if (has) add(bytes);
    return has;
  };
  const take = (bytes: number): void => {
    if (!tries(bytes)) refuse('The service holds more bytes than it can take');
  };
  return {
    reserve: take,
    tryReserve: tries,
    forceReserve: add,
    reserveWhenFree: (bytes, signal) => waiting.enqueue(() => tries(bytes), signal),
    reserveUpTo: (most) => {
      for (let bytes = most; bytes > smallMax; bytes = Math.floor(bytes / 2)) {
        if (tries(bytes)) return bytes;
      }
      return Math.min(most, smallMax);
    },
    settle: (bytes) => (held === 0 ? take(bytes) : add(bytes - held)),
    release: () => {
      add(-held);
      released = true;
    },
  };
};
