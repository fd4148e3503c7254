import { openCounter } from './counter.js';
import { openWaitQueue, type WaitQueue } from './wait-queue.js';

/** Owner to whom bytes and work are charged. */
export type QuotaOwner = {
  /** A key, a person without one, or the network of a client without a credential. */
  readonly name: string;
  /**
   * Person who owns the key; null for a client without a credential. Keys are free to make, so all
   * keys of a person share a quota.
   */
  readonly person: string | null;
};

/** Memory reserved for one request or response body. After `release`, all calls are no-ops. */
export type ByteReservation = {
  /** Reserves more bytes; throws Fault `unavailable` when the budget has no room. */
  readonly reserve: (bytes: number) => void;
  /** Same, waiting for room (backpressure); rejects with the reason of `signal`. */
  readonly reserveWhenFree: (bytes: number, signal: AbortSignal) => Promise<void>;
  /** Reserves more bytes if there is room; true if it did. */
  readonly tryReserve: (bytes: number) => boolean;
  /**
   * Reserves as many bytes as there is room for now; up to 64 KiB are uncounted and always granted.
   */
  readonly reserveUpTo: (bytesMax: number) => number;
  /**
   * Corrects an earlier reservation to the final size, which cannot be refused any more, or
   * reserves it.
   */
  readonly settle: (bytes: number) => void;
  /** Reserves bytes that are in memory already and cannot be refused. */
  readonly forceReserve: (bytes: number) => void;
  /** Releases all bytes; a second call does nothing. */
  readonly release: () => void;
};
export type ByteBudget = { readonly open: (owner: QuotaOwner) => ByteReservation };

/**
 * Shares of the whole, once half of it is taken: a caller has a quarter, all keys of a person three
 * eighths, so that one key does not block the others of its owner, nor two people everyone else. A
 * client without a credential has little more than a login needs.
 */
const callerShare = 1 / 4;
const personShare = 3 / 8;
const strangerShare = 1 / 64;
const crowdedShare = 1 / 2;
/**
 * Reserve for small bodies, the last eighth: usual requests go on while large ones fill the rest.
 */
const smallShare = 1 / 8;
const smallMax = 65_536;
/**
 * A key that holds few bytes is not refused for those of other keys of its person: it may have one
 * usual body while a quarter is free, and a small one as long as there is room at all.
 */
const littleShare = 1 / 128;
const littleUpTo = 3 / 4;

/**
 * Byte budget: limits the bytes in memory at a time. A single reservation always has room, since a
 * large one would never get any otherwise.
 */
export const openByteBudget = (bytesMax: number, refuse: (why: string) => never): ByteBudget => {
  const taken = openCounter();
  const waiting = openWaitQueue<() => boolean>();
  let all = 0;
  /** Fraction of the whole up to which shares do not apply to this caller. */
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

/** Counter keys of an owner. */
type OwnerKeys = { readonly caller: string; readonly person: string | null };

/** State of a budget that its reservations share. */
type BudgetLedger = {
  /** True if that many more bytes have room, beside `held` that are counted already. */
  readonly hasRoom: (names: OwnerKeys, held: number, bytes: number) => boolean;
  readonly count: (names: OwnerKeys, bytes: number) => void;
  /** Waiting reservations; each takes its bytes once there is room. */
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
    if (!tries(bytes)) refuse('The memory budget of the service is used up');
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
