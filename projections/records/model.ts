import { ratingEvents } from '../../events/ratings.js';
import { sessionEvents, traceEvents } from '../../events/traces.js';
import { otelMapping, type OtelMapping } from '../../kernel/otel/mapping.js';
import { isOfPartition, type Partition } from '../../kernel/records/partitions.js';
import type { Records } from '../../kernel/records/records.js';
import { endingTypes } from '../endings.js';
import type { Sink, ReadModel } from '../read-model.js';
import { foldBatch, type StoredRows } from './batch.js';
import { recordsCollection, versionWith } from './collection.js';

/** `mapping`: how spans that exporters sent become records; tests have others than the service. */
export const recordsSource = (records: Records, as: FoldedAs = {}): ReadModel => ({
  ...sinkOf(records, as),
  shadow: async (copying) => {
    const copy = await records.shadow(copying);
    return { ...copy, model: sinkOf(copy.model, as) };
  },
  resume: async (id) => {
    const copy = await records.resume(id);
    return copy === null ? null : { ...copy, model: sinkOf(copy.model, as) };
  },
});

type FoldedAs = {
  readonly mapping?: OtelMapping;
  /** The projects of which the records are; absent = all. */
  readonly partition?: Partition | null;
};

const types: readonly string[] = [
  ...Object.keys({ ...traceEvents, ...sessionEvents, ...ratingEvents }),
  ...endingTypes,
  'RecordsErased',
  'OrgJobCompleted',
];

const sinkOf = (records: Records, { mapping = otelMapping, partition = null }: FoldedAs): Sink => {
  const isMine = partition === null ? null : isOfPartition(partition);
  // Once a batch of this process is applied, later ones only continue it: the runner goes by
  // position.
  let continued = false;
  return {
    name: recordsCollection.name,
    version: versionWith(mapping),
    types,
    countsRevisions: true,
    purges: ['OrgJobCompleted'],
    parks: true,
    checkpoint: () => records.checkpoint(),
    dump: () => records.dump(),
    fold: async (events, applied) => {
      const look = continued ? 'older groups' : 'every group';
      const stored = applied === null ? records : waiting(records, applied);
      const mine = isMine === null ? events : events.filter(isMine);
      const { writes, poisons, gap } = await foldBatch(stored, mine, look, mapping);
      // Otherwise they are applied at once.
      if (applied !== null && gap === null) await records.prepare(writes);
      return {
        apply: async (checkpoint) => {
          await records.apply(writes, checkpoint);
          continued = true;
        },
        poisons,
        gap,
      };
    },
  };
};

/**
 * New traces outside sessions ask nothing of the store, so they are folded while the batch before
 * is written.
 */
const waiting = (records: Records, applied: Promise<unknown>): StoredRows => ({
  heads: async (names) => {
    await applied;
    return records.heads(names);
  },
  spanOutlines: async (names) => {
    await applied;
    return records.spanOutlines(names);
  },
  rowsAt: async (places) => {
    await applied;
    return records.rowsAt(places);
  },
  sessionsWithTraces: async (sessions) => {
    await applied;
    return records.sessionsWithTraces(sessions);
  },
  traceOutlines: async (session, part) => {
    await applied;
    return records.traceOutlines(session, part);
  },
});
