import type { Document } from 'mongodb';
import type { MetadataEntryPlan, RecordSize } from '../../kernel/records/query-plans.js';
import { metadataMember } from './record-match.js';
import { nameHash, entryHash } from './record-names.js';
import { queryTimeoutMs } from './record-search.js';
import type { Snapshot } from './snapshot.js';

/**
 * Implements `Records.recordsWithEntry`: a key without a column is looked up by index; only a
 * column's key scans the project's records. No record has the same entry in both ways.
 */
export const recordsWithEntry = async (
  snapshot: Snapshot,
  plan: MetadataEntryPlan,
): Promise<readonly RecordSize[]> => {
  const { key, value, limit } = plan;
  const apart = await sizesOf(snapshot, plan, {
    match: { entries: { $eq: entryHash(key, value) } },
    hint: 'entry',
    limit,
  });
  if (apart.length === limit || !(await isColumn(snapshot, plan))) return apart;
  const others = await sizesOf(snapshot, plan, {
    match: { [metadataMember(key)]: { $eq: value } },
    hint: 'window',
    limit: limit - apart.length,
  });
  return [...apart, ...others];
};

type SizeQuery = { readonly match: Document; readonly hint: string; readonly limit: number };

const sizesOf = async (
  { rows, visible }: Snapshot,
  { project, population }: MetadataEntryPlan,
  { match, hint, limit }: SizeQuery,
): Promise<readonly RecordSize[]> => {
  const found = await rows
    .find({ $and: [{ project: { $eq: project }, population }, match, visible] })
    .hint(hint)
    .limit(limit)
    .project({ _id: 0, id: 1, spans: 1 })
    .maxTimeMS(queryTimeoutMs)
    .toArray();
  return found.map(({ id, spans }) => ({ id: String(id), spanCount: Number(spans) }));
};

const isColumn = async (
  { rows, visible }: Snapshot,
  { project, key }: MetadataEntryPlan,
): Promise<boolean> => {
  const name = { project: { $eq: project }, column: 'user_metadata', name: nameHash(key) };
  const found = await rows.findOne(
    { ...name, ...visible },
    { hint: 'column', projection: { _id: 1 }, maxTimeMS: queryTimeoutMs },
  );
  return found !== null;
};
