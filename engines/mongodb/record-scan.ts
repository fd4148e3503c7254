import type { AggregationCursor, Document, Filter as Match } from 'mongodb';
import type { RecordScope } from '../../kernel/records/query-plans.js';
import { scopeIndex, scopeMatch } from './record-match.js';
import { queryTimeoutMs } from './record-search.js';
import type { Snapshot } from './snapshot.js';

/** One pipeline over some records: its documents one after the other. */
export type RecordPipeline = (stages: readonly Document[]) => AggregationCursor<Document>;
/** All its documents at once. */
export type RecordQuery = (stages: readonly Document[]) => Promise<Document[]>;

export const collectAll =
  (open: RecordPipeline): RecordQuery =>
  (stages) =>
    open(stages).toArray();

/** Pipelines over all records of a scope. */
export const recordPipeline = async (
  snapshot: Snapshot,
  scope: RecordScope,
): Promise<RecordPipeline> =>
  hintedPipeline(snapshot, scope, await chooseScanHint(snapshot, scope));

/** In this way through them; `which`: only those of them. */
export const hintedPipeline = (
  { rows, visible }: Snapshot,
  scope: RecordScope,
  hint: ScanHint,
  which: Match<Document> = {},
): RecordPipeline => {
  const considered = { $match: { $and: [scopeMatch(scope, visible), which] } };
  return (stages) =>
    rows.aggregate([considered, ...stages], {
      hint,
      maxTimeMS: queryTimeoutMs,
      allowDiskUse: true,
    });
};

type ScanHint = string | { readonly $natural: 1 };

// Fetching a record by its index takes the server twice as long as passing over one.
const sampleSize = 100;
const naturalScanMin = 60;
/** In fewer records there is not enough to win. */
const sampledScanMin = 10_000;

/**
 * The hint for a question about all records of a scope: its index, or all records in the order in
 * which they lie, where there are many and a sample says that most of them are the scope's.
 */
export const chooseScanHint = async (
  { rows, visible }: Snapshot,
  scope: RecordScope,
  many = sampledScanMin,
): Promise<ScanHint> => {
  const count = await rows.estimatedDocumentCount({ maxTimeMS: queryTimeoutMs });
  if (count < many) return scopeIndex(scope);
  const [sample] = await rows
    .aggregate(
      [
        { $sample: { size: sampleSize } },
        { $match: scopeMatch({ ...scope, filter: null, kinds: null }, visible) },
        { $count: 'count' },
      ],
      { maxTimeMS: queryTimeoutMs },
    )
    .toArray();
  return Number(sample?.['count'] ?? 0) > naturalScanMin ? { $natural: 1 } : scopeIndex(scope);
};
