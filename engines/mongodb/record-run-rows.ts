import { hash } from 'node:crypto';
import type { Document } from 'mongodb';
import type { Instant } from '../../kernel/shapes.js';
import {
  datasetRowKey,
  failedFrom,
  runRowsMax,
  type RunRow,
  type RunRowsPlan,
} from '../../kernel/records/run-rows.js';
import { columnMember, noteMember } from './record-match.js';
import { averaged, tracesAsked } from './record-runs.js';
import type { Snapshot } from './snapshot.js';
import { compared } from './text-match.js';

/**
 * As `runRows` of kernel/records/reference/run-rows.ts; null beyond the limit. What rows are named
 * by is hashed as it comes, a batch at a time: it may be long.
 */
export const runRows = async (
  snapshot: Snapshot,
  { project, runs, metrics }: RunRowsPlan,
): Promise<readonly RunRow[] | null> => {
  const means = metrics.map((one, at) => [`a${at}`, { $avg: averaged(one) }]);
  const found = tracesAsked(
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

const named = `$${noteMember(datasetRowKey)}`;
const statusMember = `$${columnMember('status_code')}`;
const input = columnMember('dataset_input');
const byInput = { $concat: ['in:', compared(input)] };
const rowMember: Document = {
  $cond: [
    { $gt: [named, ''] },
    { $concat: ['id:', named] },
    { $cond: [{ $gt: [`$${input}`, ''] }, byInput, null] },
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
    failed: Number(status ?? 0) >= failedFrom,
    means: Array.from({ length: metrics }, (_, at) => {
      const mean: unknown = one[`a${at}`];
      return typeof mean === 'number' && Number.isFinite(mean) ? mean : null;
    }),
  };
};
