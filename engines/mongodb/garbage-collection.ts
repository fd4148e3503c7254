import {
  copyPrefix,
  dropRowsCollection,
  openEnd,
  retiredPrefix,
  rowsCollection,
  type ModelDocument,
  type StoredModels,
} from './model-state.js';

/**
 * Garbage collection of invisible rows and generations (MVCC): a function to call after each
 * commit.
 */
export const openGarbageCollector = (models: StoredModels, id: string) => {
  const { documents, retention } = models;
  // Sampled commits of this process: rows replaced up to one are deleted once it is old enough.
  let marks: readonly { readonly stamp: number; readonly at: number }[] = [];
  let sweptAt = -Infinity;
  return async (state: ModelDocument): Promise<void> => {
    const now = performance.now();
    if (now - sweptAt < retention.sweepEvery) return;
    sweptAt = now;
    const past = marks.findLast(({ at }) => now - at > retention.replaced);
    marks = [
      ...marks.filter(({ at }) => now - at <= retention.replaced),
      { stamp: state.reserved, at: now },
    ];
    const rows = rowsCollection(models, state.generation);
    const dead = state.dead.map(({ stamp }) => stamp);
    if (past !== undefined) {
      await rows.deleteMany({ until: { $lte: past.stamp, $nin: dead } });
    }
    const settled = state.dead
      .filter(({ at }) => state.at.getTime() - at.getTime() > retention.dead)
      .map(({ stamp }) => stamp);
    if (settled.length > 0) {
      await rows.deleteMany({ from: { $in: settled } });
      await rows.updateMany({ until: { $in: settled } }, { $set: { until: openEnd } });
      await documents.updateOne({ _id: id }, { $pull: { dead: { stamp: { $in: settled } } } });
    }
    await dropStaleGenerations(models);
  };
};

/** Drops replaced generations, and copies idle for a day. */
export const dropStaleGenerations = async (models: StoredModels): Promise<void> => {
  const { documents, retention } = models;
  const olderThan = (prefix: string, ms: number) => ({
    _id: { $gte: prefix, $lt: `${prefix}~` },
    $expr: { $lt: ['$at', { $subtract: ['$$NOW', ms] }] },
  });
  const forgotten = await documents
    .find({
      $or: [olderThan(retiredPrefix, retention.replaced), olderThan(copyPrefix, retention.copies)],
    })
    .toArray();
  for (const one of forgotten) await dropGeneration(models, one);
};

/** Drops the name, and the rows unless another name has them: a copy may have become live. */
export const dropGeneration = async (
  models: StoredModels,
  { _id, generation }: Pick<ModelDocument, '_id' | 'generation'>,
): Promise<void> => {
  const { documents } = models;
  const isUsed = (await documents.countDocuments({ generation, _id: { $ne: _id } })) > 0;
  if (!isUsed) await dropRowsCollection(models, generation);
  await documents.deleteOne({ _id });
};
