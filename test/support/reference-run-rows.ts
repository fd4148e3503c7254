import { parseJsonText } from '../../kernel/json-text.js';
import { comparedText } from '../../kernel/records/reference/aggregate.js';
import { measuredValues, userMetadataValue } from '../../kernel/records/column-value.js';
import type { RecordRow } from '../../kernel/records/record.js';
import {
  datasetRowKey,
  failedStatusFrom,
  type RunRow,
  type RunRowsPlan,
} from '../../kernel/records/run-rows.js';
import type { Instant } from '../../kernel/schema-types.js';

/**
 * Reference for `Records.runRows`, by run and row. Rows are named by their traces' values, where
 * engines hash those.
 */
export const runRows = (
  rows: readonly RecordRow[],
  { project, runs, metrics }: RunRowsPlan,
): readonly RunRow[] => {
  const tracesOfRuns = rows.filter(
    ({ kind, values: { project_id, run_id } }) =>
      kind === 'trace' && project_id === project && runs.includes(String(run_id)),
  );
  const cells = Map.groupBy(tracesOfRuns, (row) =>
    JSON.stringify([row.values['run_id'], rowOf(row)]),
  );
  return [...cells].map(([key, traces]) => {
    const [run, row] = parseJsonText(key) as [string, string | null];
    const ends = traces
      .map(({ values }) => `${String(values['created_at'])} ${String(values['id'])}`)
      .toSorted();
    const newest = String(ends.at(-1)).split(' ')[1] ?? '';
    const status = traces.find(({ values }) => values['id'] === newest)?.values['status_code'];
    return {
      run,
      row,
      traces: traces.length,
      first: String(ends[0]).split(' ')[0] as Instant,
      newest,
      failed: Number(status ?? 0) >= failedStatusFrom,
      means: metrics.map((measured) => {
        const values = traces.flatMap((one) => measuredValues(one, measured)).map(Number);
        const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
        return Number.isFinite(mean) ? mean : null;
      }),
    };
  });
};

/** Dataset row that the trace is about (contract 5.5). */
const rowOf = (trace: RecordRow): string | null => {
  const named = userMetadataValue(trace, datasetRowKey);
  if (named !== null && named !== '') return `id:${named}`;
  const input = trace.values['dataset_input'];
  return typeof input === 'string' && input !== '' ? `in:${comparedText(input)}` : null;
};
