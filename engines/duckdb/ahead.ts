import { setImmediate as nextTurn } from 'node:timers/promises';
import type { RecordWrites } from '../../kernel/records/records.js';
import { batchOfKnown, finishBatch, type RowBatch } from './batch.js';
import type { RecordsModel } from './model.js';

// Putting a batch together takes the folding thread longer than anything else does, and while one
// is committed that thread has nothing to do (D-181).

type Ahead = {
  readonly model: RecordsModel;
  /** Those of the model by then. */
  readonly changes: number;
  readonly batch: RowBatch;
};

const ahead = new WeakMap<RecordWrites, Ahead>();

/**
 * While the batch before is committed, if it has begun. Nothing is prepared where that batch brings
 * what the rows depend on.
 */
export const prepareWrites = async (model: RecordsModel, writes: RecordWrites): Promise<void> => {
  if (!(await model.handedOver)) return;
  // The commit is sent by then.
  await nextTurn();
  const { changes } = model;
  const batch = await batchOfKnown(model, writes);
  if (batch === null) return;
  finishBatch(batch);
  ahead.set(writes, { model, changes, batch });
};

/**
 * What was prepared of these writes, once; null when it may have to look different after what was
 * applied since: what was deleted, and the numbers of names and projects.
 */
export const takePrepared = (model: RecordsModel, writes: RecordWrites): RowBatch | null => {
  const found = ahead.get(writes);
  ahead.delete(writes);
  return found?.model === model && found.changes === model.changes ? found.batch : null;
};
