import { batchSize, type BatchPart } from './batch-parts.js';

/** Reasons of a loss: the queue was full, the service refused, or the program ended first. */
export type Loss = {
  readonly reason: 'full' | 'refused' | 'left';
  /** Records lost so far, for all reasons. */
  readonly lost: number;
  /** Error of the service; null if no request was sent. */
  readonly error: Error | null;
};

export type Logged = {
  /** Traces and spans: accepted by the service, lost, and waiting. */
  readonly sent: number;
  readonly lost: number;
  readonly waiting: number;
  /** Bytes of the waiting records, limited by `bytesMax`. */
  readonly waitingBytes: number;
};

export type DroppedRecords = {
  readonly records: number;
  readonly held: number;
  readonly bytes: number;
};

export type Queue = {
  readonly logged: () => Logged;
  /** Reserves room for an ended record; false, and the record counted as lost, if there is none. */
  readonly reserve: (bytes: number) => boolean;
  /** Drops records that will not be enqueued; `bytes` were reserved for `held` of them. */
  readonly drop: (gone: DroppedRecords, reason: Loss['reason'], error: Error | null) => void;
  /** Enqueues parts of records with reserved room. */
  readonly enqueue: (parcels: readonly BatchPart[]) => void;
  /** Parts of the next request, which stay until acknowledged or discarded. */
  readonly nextBatch: () => readonly BatchPart[];
  readonly all: () => readonly BatchPart[];
  readonly acknowledge: (parcels: readonly BatchPart[]) => void;
  readonly discard: (
    parcels: readonly BatchPart[],
    reason: Loss['reason'],
    error: Error | null,
  ) => void;
};

/** Limit of distinct causes that are reported. */
const causesMax = 20;

/**
 * Bounded queue of parts to send, oldest first, never more than `bytesMax`: beyond it the newest is
 * lost. Losses are counted, and reported once for each cause until the service accepts a record
 * again.
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
      // A failing hook must not crash the program.
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
