import type { ApiClient } from '../api-client.js';
import type { RunTarget } from '../run-target.js';
import type { ImportRecord, RefusedLine } from './records.js';
import { openRecordUpload, type RecordUpload } from './rejection-bisection.js';

type BatchSender = Pick<RecordUpload, 'counts' | 'ignored' | 'position'> & {
  /**
   * Resolves when there is room for the next one (backpressure). Throws Fault when nothing can be
   * sent.
   */
  readonly add: (record: ImportRecord) => Promise<void>;
  /** Resolves when all added records are answered. */
  readonly end: () => Promise<void>;
  /** The first line that is not answered yet; null if all are. */
  readonly firstUnanswered: () => number | null;
};

type RecordBatch = { readonly records: ImportRecord[]; bytes: number };

/** Larger bodies queue at the service (contract 1.11). */
const batchBytes = 240 * 1_024;
const batchRecords = 500;
/** Byte limit of unsent records in all batches. */
const pendingBytesMax = 4 * 1_048_576;
const atOnce = 4;

/** Batches records by kind and request members, and sends several batches concurrently. */
export const openBatchSender = (
  client: ApiClient,
  place: RunTarget,
  refused: (line: RefusedLine) => void,
): BatchSender => {
  const { upload, counts, ignored, position } = openRecordUpload(client, place, refused);
  const held = new Map<string, RecordBatch>();
  const open = new Map<RecordBatch, Promise<void>>();
  let failure: unknown = null;

  const demandWorking = (): void => {
    if (failure !== null) throw failure;
  };

  /** Sends a batch as soon as fewer than `atOnce` are in flight. */
  const dispatch = async (key: string): Promise<void> => {
    const batch = held.get(key);
    if (batch === undefined) return;
    while (open.size >= atOnce) {
      await Promise.race(open.values());
      demandWorking();
    }
    held.delete(key);
    const going = upload(batch.records).then(
      () => void open.delete(batch),
      // Stays open: the import can resume from its lines.
      (error: unknown) => {
        failure ??= error;
      },
    );
    open.set(batch, going);
  };

  const drain = async (): Promise<void> => {
    for (const key of held.keys()) await dispatch(key);
    await Promise.all(open.values());
    demandWorking();
  };

  return {
    counts,
    ignored,
    position,
    add: async (record) => {
      demandWorking();
      const key = record.kind === 'trace' ? JSON.stringify(record.request) : record.kind;
      const bytes = JSON.stringify(record).length;
      const before = held.get(key);
      if (before !== undefined && before.bytes + bytes > batchBytes) await dispatch(key);
      const batch = held.get(key) ?? { records: [], bytes: 0 };
      held.set(key, batch);
      batch.records.push(record);
      batch.bytes += bytes;
      // A trace may refer to the session, which has to exist first.
      if (record.kind === 'session') return drain();
      if (batch.records.length >= batchRecords) await dispatch(key);
      const all = [...held.values()].reduce((sum, one) => sum + one.bytes, 0);
      if (all > pendingBytesMax) await drain();
    },
    end: drain,
    firstUnanswered: () => {
      const lines = [...held.values(), ...open.keys()].flatMap(({ records }) =>
        records.map(({ line }) => line),
      );
      return lines.length === 0 ? null : Math.min(...lines);
    },
  };
};
