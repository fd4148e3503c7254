import { setImmediate as nextTurn } from 'node:timers/promises';
import type { RecordWrites } from '../../kernel/records/records.js';
import { buildBatchFromMemory } from './build-batch.js';
import { finishBatch, type RowBatch } from './row-batch.js';
import type { RecordsModel } from './model.js';

// Building a batch takes the folding thread longer than any other step, and that thread is idle
// while a batch commits (D-181).

type PrefetchedBatch = {
  readonly model: RecordsModel;
  /** `invalidations` of the model when the batch was built. */
  readonly changes: number;
  readonly batch: RowBatch;
};

const prefetchedBatches = new WeakMap<RecordWrites, PrefetchedBatch>();

/**
 * Prefetch: builds the rows of the next batch while the current one commits. Skips when the current
 * batch changes something that the rows depend on.
 */
export const prefetchBatch = async (model: RecordsModel, writes: RecordWrites): Promise<void> => {
  if (!(await model.rowsAppended)) return;
  // After this turn the commit is on its way to the engine.
  await nextTurn();
  const { invalidations } = model;
  const batch = await buildBatchFromMemory(model, writes);
  if (batch === null) return;
  finishBatch(batch);
  prefetchedBatches.set(writes, { model, changes: invalidations, batch });
};

/**
 * Returns the prefetched rows of these writes, once; null if a batch applied since may have changed
 * them (deletions, numbers of columns and projects).
 */
export const takePrefetched = (model: RecordsModel, writes: RecordWrites): RowBatch | null => {
  const found = prefetchedBatches.get(writes);
  prefetchedBatches.delete(writes);
  return found?.model === model && found.changes === model.invalidations ? found.batch : null;
};
