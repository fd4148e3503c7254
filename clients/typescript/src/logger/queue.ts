import { batchSize, type BatchPart } from './batch-parts.js';

/** Why records were not sent: no room, the service said no, or the program ended first. */
export type Loss = {
  readonly reason: 'full' | 'refused' | 'left';
  /** Records lost so far, for all reasons. */
  readonly lost: number;
  /** What the service said; null when it was not asked. */
  readonly error: Error | null;
};

export type Logged = {
  /** Traces and spans: taken by the service, given up, and not yet either. */
  readonly sent: number;
  readonly lost: number;
  readonly waiting: number;
  /** What waits takes, of `bytesMax`. */
  readonly waitingBytes: number;
};

export type DroppedRecords = {
  readonly records: number;
  readonly held: number;
  readonly bytes: number;
};

export type Queue = {
  readonly logged: () => Logged;
  /** Room for a record that ended; false, and the record counted as lost, when there is none. */
  readonly reserve: (bytes: number) => boolean;
  /** So many records will not be put; `bytes` of room were held for `held` of them. */
  readonly drop: (gone: DroppedRecords, reason: Loss['reason'], error: Error | null) => void;
  /** Records whose room is held are ready to be sent. */
  readonly enqueue: (parcels: readonly BatchPart[]) => void;
  /** The parcels of the next request, which stay until they are taken or lost. */
  readonly nextBatch: () => readonly BatchPart[];
  readonly all: () => readonly BatchPart[];
  readonly acknowledge: (parcels: readonly BatchPart[]) => void;
  readonly discard: (
    parcels: readonly BatchPart[],
    reason: Loss['reason'],
    error: Error | null,
  ) => void;
};

/** What is said of that many losses is said of all. */
const causesMax = 20;

/**
 * What waits to be sent, oldest first, never more than `bytesMax`: beyond it the newest is lost.
 * Losses are counted, and said once for each cause until the service takes something again.
 */
export const openQueue = (bytesMax: number, onLoss: (loss: Loss) => void): Queue => {
  let parcels: BatchPart[] = [];
  let [sent, lost, waiting, waitingBytes] = [0, 0, 0, 0];
  const said = new Set<string>();
  const say = (reason: Loss['reason'], error: Error | null): void => {
    const cause = `${reason} ${error?.message ?? ''}`;
    if (said.has(cause) || said.size >= causesMax) return;
    said.add(cause);
    try {
      onLoss({ reason, lost, error });
    } catch {
      // A hook that fails must not take the program along.
    }
  };
  const remove = (gone: readonly BatchPart[]): number => {
    const set = new Set(gone);
    parcels = parcels.filter((one) => !set.has(one));
    const records = gone.reduce((sum, one) => sum + one.records, 0);
    waiting -= records;
    waitingBytes -= gone.reduce((sum, one) => sum + (one.records === 0 ? 0 : one.bytes), 0);
    return records;
  };
  return {
    logged: () => ({ sent, lost, waiting, waitingBytes }),
    reserve: (bytes) => {
      if (waitingBytes + bytes > bytesMax) {
        lost += 1;
        say('full', null);
        return false;
      }
      waiting += 1;
      waitingBytes += bytes;
      return true;
    },
    drop: ({ records, held, bytes }, reason, error) => {
      waiting -= held;
      waitingBytes -= bytes;
      lost += records;
      say(reason, error);
    },
    enqueue: (more) => {
      for (const one of more) parcels.push(one);
    },
    nextBatch: () => parcels.slice(0, batchSize(parcels)),
    all: () => parcels,
    acknowledge: (gone) => {
      sent += remove(gone);
      said.clear();
    },
    discard: (gone, reason, error) => {
      for (const one of gone) one.fate.isLost ||= one.isTrace;
      const set = new Set(gone);
      lost += remove(parcels.filter((one) => set.has(one) || one.fate.isLost));
      say(reason, error);
    },
  };
};
