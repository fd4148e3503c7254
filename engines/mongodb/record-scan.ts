import type { AggregationCursor, Document, Filter as Match } from 'mongodb';
import type { RecordScope } from '../../kernel/records/questions.js';
import { scopeIndex, scopeMatch } from './record-match.js';
import { questionMs } from './record-search.js';
import type { Snapshot } from './snapshot.js';

/** One pipeline over some records: its documents one after the other. */
export type OpenRecords = (stages: readonly Document[]) => AggregationCursor<Document>;
/** All its documents at once. */
export type AskRecords = (stages: readonly Document[]) => Promise<Document[]>;

export const inFull =
  (open: OpenRecords): AskRecords =>
  (stages) =>
    open(stages).toArray();

/** Pipelines over all records of a scope. */
export const recordsAsked = async (snapshot: Snapshot, scope: RecordScope): Promise<OpenRecords> =>
  recordsBy(snapshot, scope, await scanOf(snapshot, scope));

/** In this way through them; `which`: only those of them. */
export const recordsBy = (
  { rows, visible }: Snapshot,
  scope: RecordScope,
  hint: ScanHint,
  which: Match<Document> = {},
): OpenRecords => {
  const considered = { $match: { $and: [scopeMatch(scope, visible), which] } };
  return (stages) =>
    rows.aggregate([considered, ...stages], { hint, maxTimeMS: questionMs, allowDiskUse: true });
};

type ScanHint = string | { readonly $natural: 1 };

// Fetching a record by its index takes the server twice as long as passing over one.
const sampleSize = 100;
const mostOfThem = 60;
/** In fewer records there is not enough to win. */
const manyRecords = 10_000;

/**
 * The hint for a question about all records of a scope: its index, or all records in the order in
 * which they lie, where there are many and a sample says that most of them are the scope's.
 */
export const scanOf = async (
  { rows, visible }: Snapshot,
  scope: RecordScope,
  many = manyRecords,
): Promise<ScanHint> => {
  const count = await rows.estimatedDocumentCount({ maxTimeMS: questionMs });
  if (count < many) return scopeIndex(scope);
  const [sample] = await rows
    .aggregate(
      [
        { $sample: { size: sampleSize } },
        { $match: scopeMatch({ ...scope, filter: null, kinds: null }, visible) },
        { $count: 'count' },
      ],
      { maxTimeMS: questionMs },
    )
    .toArray();
  return Number(sample?.['count'] ?? 0) > mostOfThem ? { $natural: 1 } : scopeIndex(scope);
};
