import type { Document, Documents, DocumentWrite } from '../kernel/documents.js';
import { Fault } from '../kernel/fault.js';
import type { StoredEvent, Sha256 } from '../kernel/ports.js';
import type { ReadModel, Sink } from '../projections/read-model.js';
import { foldHistory, openSegmentCache } from './fold/batch.js';
import { openChainReader, type ChainDocuments } from './chain-reader.js';
import { historyCollection } from './collection.js';
import { sealContradiction, sealsIn } from './fold/seal-check.js';

/**
 * Read model of the log as hash chains. It takes every event, including unreadable ones and ones
 * skipped elsewhere: a missing entry would be a gap in the proof. A copy is checked against every
 * seal in the log; one that contradicts a seal fails, so it is never promoted.
 */
export const historyReadModel = (documents: Documents, sha256: Sha256): ReadModel => ({
  ...sinkOf(documents, sha256, 'live'),
  shadow: async (copying) => {
    const copy = await documents.shadow(historyCollection, copying);
    return { ...copy, model: sinkOf(copy.model, sha256, 'copy') };
  },
  resume: async (id) => {
    const copy = await documents.resume(historyCollection, id);
    return copy === null ? null : { ...copy, model: sinkOf(copy.model, sha256, 'copy') };
  },
});

const sinkOf = (
  documents: Documents,
  sha256: Sha256,
  which: 'live' | 'copy',
  kept = openSegmentCache(),
): Sink => ({
  name: historyCollection.name,
  version: historyCollection.version,
  canPark: false,
  checkpoint: () => documents.checkpoint(historyCollection),
  dump: () => documents.dump(historyCollection),
  fold: async (events, applied, erased) => {
    await applied;
    const writes = await foldHistory(documents, sha256, events, erased, kept);
    if (which === 'copy')
      await checkAgainstSeals(overlaidDocuments(documents, writes), sha256, events);
    return {
      apply: (checkpoint) => documents.apply(historyCollection, writes, checkpoint),
      poisons: [],
      gap: null,
    };
  },
});

/**
 * Throws Fault `log-damaged`, with the seal and the entry, when the history differs from a sealed
 * one.
 */
const checkAgainstSeals = async (
  stored: ChainDocuments,
  sha256: Sha256,
  events: readonly StoredEvent[],
): Promise<void> => {
  const seals = sealsIn(events);
  if (seals.length === 0) return;
  const chains = openChainReader(stored, sha256);
  for (const seal of seals) {
    const why = await sealContradiction(chains, sha256, seal);
    if (why !== null) throw new Fault('log-damaged', why);
  }
};

/** Documents with these writes overlaid; `find` reads the stored ones. */
const overlaidDocuments = (
  documents: Documents,
  writes: readonly DocumentWrite[],
): ChainDocuments => {
  const written = new Map(writes.map(({ key, document }) => [key, document]));
  return {
    get: async <B>(...[collection, key, context]: Parameters<Documents['get']>) =>
      written.has(key)
        ? (written.get(key) as Document<B> | null)
        : documents.get<B>(collection, key, context),
    load: async (collection, keys, context) => {
      const rest = keys.filter((key) => !written.has(key));
      const found = new Map(
        rest.length === 0 ? [] : await documents.load(collection, rest, context),
      );
      for (const key of keys) {
        const document = written.get(key);
        if (document != null) found.set(key, document);
      }
      return found;
    },
    find: (collection, query, context) => documents.find(collection, query, context),
  };
};
