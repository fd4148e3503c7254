import type { Documents } from '../../kernel/documents.js';
import type { Sha256 } from '../../kernel/ports.js';
import type { ReadModel, Sink } from '../read-model.js';
import { foldHistory } from './batch.js';
import { historyCollection } from './collection.js';

/**
 * The log as chains. It takes every event, also those that nobody can read any more or ruled out
 * elsewhere: an entry that is left out would be a gap in the proof.
 */
export const historySource = (documents: Documents, sha256: Sha256): ReadModel => ({
  ...sinkOf(documents, sha256),
  shadow: async (copying) => {
    const copy = await documents.shadow(historyCollection, copying);
    return { ...copy, model: sinkOf(copy.model, sha256) };
  },
  resume: async (id) => {
    const copy = await documents.resume(historyCollection, id);
    return copy === null ? null : { ...copy, model: sinkOf(copy.model, sha256) };
  },
});

const sinkOf = (documents: Documents, sha256: Sha256): Sink => ({
  name: historyCollection.name,
  version: historyCollection.version,
  parks: false,
  checkpoint: () => documents.checkpoint(historyCollection),
  dump: () => documents.dump(historyCollection),
  fold: async (events, applied, erased) => {
    await applied;
    const writes = await foldHistory(documents, sha256, events, erased);
    return {
      apply: (checkpoint) => documents.apply(historyCollection, writes, checkpoint),
      poisons: [],
      gap: null,
    };
  },
});
