import { hash } from 'node:crypto';
import type { Document } from 'mongodb';
import type { Instant } from '../../kernel/schema-types.js';
import {
  datasetRowKey,
  failedStatusFrom,
  runRowsMax,
  type RunRow,
  type RunRowsPlan,
} from '../../kernel/records/run-rows.js';
import { columnMember, metadataMember } from './record-match.js';
import { averageExpression, tracePipeline } from './record-run-measures.js';
import type { Snapshot } from './snapshot.js';
import { comparedPrefix } from './text-match.js';

/**
 * `runRows` of test/support/reference-run-rows.ts; null beyond the limit. The name of a row may
 * be long, so it is hashed on arrival, a batch at a time.
 */
export const runRows = async (
  snapshot: Snapshot,
  { project, runs, metrics }: RunRowsPlan,
): Promise<readonly RunRow[] | null> => {
  const means = metrics.map((one, at) => [`a${at}`, { $avg: averageExpression(one) }]);
  const found = tracePipeline(
    snapshot,
    project,
    runs,
  )([
    {
      $group: {
        _id: { run: '$run', row: rowMember },
        traces: { $sum: 1 },
        first: { $min: '$at' },
        newest: { $max: { at: '$at', id: '$id', status: { $ifNull: [statusMember, null] } } },
        ...Object.fromEntries(means),
      },
    },
    { $limit: runRowsMax + 1 },
  ]);
  const rows: RunRow[] = [];
  for await (const one of found) {
    rows.push(runRowOf(one, metrics.length));
    if (rows.length > runRowsMax) return null;
  }
  return rows;
};

const rowName = `$${metadataMember(datasetRowKey)}`;
const statusMember = `$${columnMember('status_code')}`;
const inputMember = columnMember('dataset_input');
const inputKey = { $concat: ['in:', comparedPrefix(inputMember)] };
const rowMember: Document = {
  $cond: [
    { $gt: [rowName, ''] },
    { $concat: ['id:', rowName] },
    { $cond: [{ $gt: [`$${inputMember}`, ''] }, inputKey, null] },
  ],
};

const runRowOf = (one: Document, metrics: number): RunRow => {
  const { run, row } = one['_id'] as { readonly run: string; readonly row: string | null };
  const { id, status } = one['newest'] as { readonly id: string; readonly status: unknown };
  return {
    run,
    row: row === null ? null : hash('sha256', row),
    traces: Number(one['traces']),
    first: one['first'] as Instant,
    newest: id,
    failed: Number(status ?? 0) >= failedStatusFrom,
    means: Array.from({ length: metrics }, (_, at) => {
      const mean: unknown = one[`a${at}`];
      return typeof mean === 'number' && Number.isFinite(mean) ? mean : null;
    }),
  };
};
