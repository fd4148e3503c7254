import { ratingEvents } from '../../events/ratings.js';
import { sessionEvents, traceEvents } from '../../events/traces.js';
import { wrapMethods } from '../../kernel/map-methods.js';
import { otelMapping } from '../../kernel/otel/mapping.js';
import { partitionPredicate, type Partition } from '../../kernel/records/partitions.js';
import type { RecordQueries } from '../../kernel/records/record-queries.js';
import type { RecordFolding } from '../../kernel/records/records.js';
import { tombstoneTypes } from '../tombstones.js';
import type { Sink, ReadModel } from '../read-model.js';
import { foldBatch, type StoredRows } from './batch.js';
import { recordsCollection, recordsVersion } from './collection.js';
import type { FoldOptions } from './trace-batch.js';

/** Folding reads the first rows of groups, too. */
type FoldedRecords = RecordFolding & Pick<RecordQueries, 'firstRows'>;

/**
 * Read model of the records. `mapping`: how spans that exporters sent become records; tests use
 * others.
 */
export const recordsReadModel = (
  records: FoldedRecords,
  as: RecordsFoldOptions = {},
): ReadModel => ({
  ...sinkOf(records, as),
  shadow: async (copying) => {
    const copy = await records.shadow(copying);
    const folds = copying?.reference === true ? ({ ...as, freshAs: 'rows' } as const) : as;
    return { ...copy, model: sinkOf(copy.model, folds) };
  },
  resume: async (id) => {
    const copy = await records.resume(id);
    return copy === null ? null : { ...copy, model: sinkOf(copy.model, as) };
  },
});

type RecordsFoldOptions = FoldOptions & {
  /** Partition of projects that this process folds; absent = all. */
  readonly partition?: Partition | null;
};

const types: readonly string[] = [
  ...Object.keys({ ...traceEvents, ...sessionEvents, ...ratingEvents }),
  ...tombstoneTypes,
  'RecordsErased',
  'OrgJobCompleted',
];

const sinkOf = (
  records: FoldedRecords,
  { partition = null, ...options }: RecordsFoldOptions,
): Sink => {
  const isInPartition = partition === null ? null : partitionPredicate(partition);
  // After the first applied batch of this process, later ones only continue it: the runner feeds by
  // position.
  let continued = false;
  return {
    name: recordsCollection.name,
    version: recordsVersion(options.mapping ?? otelMapping),
    eventTypes: types,
    countsRevisions: true,
    purgeTypes: ['OrgJobCompleted'],
    canPark: true,
    checkpoint: () => records.checkpoint(),
    flush: async () => records.flush?.(),
    dump: () => records.dump(),
    fold: async (events, applied) => {
      const look = continued ? 'older groups' : 'every group';
      const stored = applied === null ? records : afterApplied(records, applied);
      const own = isInPartition === null ? events : events.filter(isInPartition);
      const { writes, poisons, gap } = await foldBatch(stored, own, look, options);
      // Otherwise they are applied at once.
      if (applied !== null && gap === null) await records.prefetch(writes);
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
 * Stored rows, read after the previous batch is applied. New traces outside sessions read nothing,
 * so they are folded while that batch is written.
 */
const afterApplied = (records: FoldedRecords, applied: Promise<unknown>): StoredRows =>
  wrapMethods(
    records,
    ['firstRows', 'spanOutlines', 'rowsByOrdinal', 'sessionsWithTraces', 'traceOutlines'],
    async (call) => {
      await applied;
      return call();
    },
  );
