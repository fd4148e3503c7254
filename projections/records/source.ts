import type { Records } from '../../kernel/records.js';
import type { Sink, Source } from '../source.js';
import { foldBatch } from './batch.js';
import { recordsCollection } from './collection.js';

export const recordsSource = (records: Records): Source => ({
  ...sinkOf(records),
  beside: async () => {
    const copy = await records.beside();
    return {
      model: sinkOf(copy.model),
      adopt: () => copy.adopt(),
      discard: () => copy.discard(),
    };
  },
});

const sinkOf = (records: Records): Sink => {
  // Once a batch of this process is applied, later ones only continue it: the runner goes by position.
  let continued = false;
  return {
    name: recordsCollection.name,
    version: recordsCollection.version,
    checkpoint: () => records.checkpoint(),
    dump: () => records.dump(),
    fold: async (events) => {
      const look = continued ? 'older groups' : 'every group';
      const { writes, poisons, gap } = await foldBatch(records, events, look);
      return {
        apply: async (mark) => {
          await records.apply(writes, mark);
          continued = true;
        },
        poisons,
        gap,
      };
    },
  };
};
