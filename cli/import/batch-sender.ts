import type { ApiClient } from '../api-client.js';
import type { RunTarget } from '../run-target.js';
import type { ImportRecord, RefusedLine } from './records.js';
import { openRecordUpload, type RecordUpload } from './rejection-bisection.js';

type BatchSender = Pick<RecordUpload, 'counts' | 'ignored' | 'position'> & {
  /** Resolves when there is room for the next one. Throws Fault when nothing can be sent at all. */
  readonly add: (record: ImportRecord) => Promise<void>;
  /** Resolves when all that was added is answered. */
  readonly end: () => Promise<void>;
  /** The first line that is not answered yet; null: none. */
  readonly firstUnanswered: () => number | null;
};

type RecordBatch = { readonly records: ImportRecord[]; bytes: number };

/** Larger bodies wait in line at the service (contract 1.11). */
const batchBytes = 240 * 1_024;
const batchRecords = 500;
/** What waits for its like, in all batches. */
const pendingBytesMax = 4 * 1_048_576;
const atOnce = 4;

/** Sends records in requests of many that are alike, several at a time. */
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

  /** Sends it as soon as fewer than `atOnce` are on their way. */
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
      // It stays open: its lines are those from which to go on.
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
      // A trace may name the session: it has to be there first.
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
