import {
  copyPrefix,
  dropRows,
  open,
  retiredPrefix,
  rowsOf,
  type ModelDocument,
  type Models,
} from './model-state.js';

/** Takes away what nobody can see any more: a function to call after each commit. */
export const sweeperOf = (models: Models, id: string) => {
  const { documents, keeping } = models;
  // Commits of this process, now and then one: what was replaced up to there goes once it is old.
  let marks: readonly { readonly stamp: number; readonly at: number }[] = [];
  let sweptAt = -Infinity;
  return async (state: ModelDocument): Promise<void> => {
    const now = performance.now();
    if (now - sweptAt < keeping.sweepEvery) return;
    sweptAt = now;
    const past = marks.findLast(({ at }) => now - at > keeping.replaced);
    marks = [
      ...marks.filter(({ at }) => now - at <= keeping.replaced),
      { stamp: state.reserved, at: now },
    ];
    const rows = rowsOf(models, state.generation);
    const dead = state.dead.map(({ stamp }) => stamp);
    if (past !== undefined) {
      await rows.deleteMany({ until: { $lte: past.stamp, $nin: dead } });
    }
    const settled = state.dead
      .filter(({ at }) => state.at.getTime() - at.getTime() > keeping.dead)
      .map(({ stamp }) => stamp);
    if (settled.length > 0) {
      await rows.deleteMany({ from: { $in: settled } });
      await rows.updateMany({ until: { $in: settled } }, { $set: { until: open } });
      await documents.updateOne({ _id: id }, { $pull: { dead: { stamp: { $in: settled } } } });
    }
    await dropForgotten(models);
  };
};

/** Generations that were replaced, and copies that nobody went on with for a day. */
export const dropForgotten = async (models: Models): Promise<void> => {
  const { documents, keeping } = models;
  const olderThan = (prefix: string, ms: number) => ({
    _id: { $gte: prefix, $lt: `${prefix}~` },
    $expr: { $lt: ['$at', { $subtract: ['$$NOW', ms] }] },
  });
  const forgotten = await documents
    .find({
      $or: [olderThan(retiredPrefix, keeping.replaced), olderThan(copyPrefix, keeping.copies)],
    })
    .toArray();
  for (const one of forgotten) await dropGeneration(models, one);
};

/** The name, and the rows unless they go by another name too: a copy may have become live. */
export const dropGeneration = async (
  models: Models,
  { _id, generation }: Pick<ModelDocument, '_id' | 'generation'>,
): Promise<void> => {
  const { documents } = models;
  const isUsed = (await documents.countDocuments({ generation, _id: { $ne: _id } })) > 0;
  if (!isUsed) await dropRows(models, generation);
  await documents.deleteOne({ _id });
};
