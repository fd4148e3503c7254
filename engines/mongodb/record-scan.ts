import type { AggregationCursor, Document, Filter as Match } from 'mongodb';
import type { RecordScope } from '../../kernel/records/query-plans.js';
import { scopeIndex, scopeMatch } from './record-match.js';
import { queryTimeoutMs } from './record-search.js';
import type { Snapshot } from './snapshot.js';

/** Runs one pipeline over some records, streaming its documents. */
export type RecordPipeline = (stages: readonly Document[]) => AggregationCursor<Document>;
/** Runs one pipeline and collects its documents. */
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

/** Pipelines under this hint; `which` narrows the records. */
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

// Fetching a record by its index takes the server twice as long as skipping one in a scan.
const sampleSize = 100;
const naturalScanMin = 60;
/** Smallest number of records worth a sample. */
const sampledScanMin = 10_000;

/**
 * Chooses the scan hint for all records of a scope: its index, or a natural-order scan when a
 * sample of many records shows that most are the scope's.
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
