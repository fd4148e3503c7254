import { setImmediate as nextTurn } from 'node:timers/promises';
import type { RecordWrites } from '../../kernel/records/records.js';
import { buildBatchFromMemory, finishBatch, type RowBatch } from './row-batch.js';
import type { RecordsModel } from './model.js';

// Putting a batch together takes the folding thread longer than anything else does, and while one
// is committed that thread has nothing to do (D-181).

type PrefetchedBatch = {
  readonly model: RecordsModel;
  /** Those of the model by then. */
  readonly changes: number;
  readonly batch: RowBatch;
};

const prefetchedBatches = new WeakMap<RecordWrites, PrefetchedBatch>();

/**
 * While the batch before is committed, if it has begun. Nothing is prepared where that batch brings
 * what the rows depend on.
 */
export const prefetchBatch = async (model: RecordsModel, writes: RecordWrites): Promise<void> => {
  if (!(await model.rowsAppended)) return;
  // The commit is sent by then.
  await nextTurn();
  const { invalidations } = model;
  const batch = await buildBatchFromMemory(model, writes);
  if (batch === null) return;
  finishBatch(batch);
  prefetchedBatches.set(writes, { model, changes: invalidations, batch });
};

/**
 * What was prepared of these writes, once; null when it may have to look different after what was
 * applied since: what was deleted, and the numbers of names and projects.
 */
export const takePrefetched = (model: RecordsModel, writes: RecordWrites): RowBatch | null => {
  const found = prefetchedBatches.get(writes);
  prefetchedBatches.delete(writes);
  return found?.model === model && found.changes === model.invalidations ? found.batch : null;
};
