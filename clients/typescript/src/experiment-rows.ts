import { isFault } from './fault.js';
import type { Nouns } from './generated/all.js';
import type { Dataset, DatasetRow } from './generated/datasets-types.js';
import type { MetricTypes, MetricValue } from './experiment-metrics.js';
import type { Logger } from './logger/logger.js';
import type { Step } from './logger/tracing.js';
import type { Warn } from './logger/warnings.js';

/** The cells of a dataset row by column. */
export type RowCells = DatasetRow['values_dict'];
type MetricOutcome = MetricValue | null | undefined;

export type RowTask<Output> = {
  /**
   * Its result is the output of the trace; an error that it throws is recorded, and the run
   * continues.
   */
  readonly task: (row: RowCells) => Output | Promise<Output>;
  /**
   * Evaluators by metric; null and undefined mean no value. A metric has one type, that of its
   * first value in the project: booleans become 1 and 0 or back, any other value is an error of the
   * evaluator.
   */
  readonly evaluators?: Readonly<
    Record<string, (row: RowCells, output: Output) => MetricOutcome | Promise<MetricOutcome>>
  >;
};

const rowKey = 'dataset_row_id';
/** Prefix in the metadata of a trace before the name of an evaluator without a value. */
const errorKey = 'evaluator_error.';
/** The least status code of a trace whose row counts as failed (contract 5.5). */
const failedFrom = 400;
/** Batch size of deletions; a filter takes 1,000 (contract 1.11). */
const deletedAtOnce = 500;

export type RowCounts = {
  ran: number;
  failed: number;
  readonly evaluatorErrors: Record<string, number>;
  readonly firstErrors: Record<string, string>;
};

type RunnerSettings = {
  readonly service: Pick<Logger, 'trace'>;
  readonly name: string;
  readonly experimentId: string;
  readonly dataset: Dataset;
  readonly types: MetricTypes;
  readonly warn: Warn;
};

/** Runs rows and records their traces; `run` never rejects. The counts are live. */
export const openRunner = <Output>(
  { task, evaluators = {} }: RowTask<Output>,
  { service, name, experimentId, dataset, types, warn }: RunnerSettings,
): { readonly counts: RowCounts; readonly run: (row: DatasetRow) => Promise<void> } => {
  const counts: RowCounts = { ran: 0, failed: 0, evaluatorErrors: {}, firstErrors: {} };
  const columns = columnsOf(dataset);
  /** Counts the error; the first one of an evaluator is a warning. */
  const noValue = (step: Step, metric: string, said: string): void => {
    counts.evaluatorErrors[metric] = (counts.evaluatorErrors[metric] ?? 0) + 1;
    step.set({ metadata: { [`${errorKey}${metric}`]: said } });
    if (Object.hasOwn(counts.firstErrors, metric)) return;
    counts.firstErrors[metric] = said;
    const line = `evaluator "${metric}" of experiment "${name}" gave no value for a row: ${said}`;
    warn(`evaluator ${metric} ${experimentId}`, `${line}. evaluatorErrors counts such rows`);
  };
  const evaluate = async (step: Step, cells: RowCells, output: Output): Promise<void> => {
    for (const [metric, evaluator] of Object.entries(evaluators)) {
      try {
        const value = await evaluator(cells, output);
        if (value === null || value === undefined) continue;
        const settled = types.convert(metric, value);
        if (settled.fault === null) step.set({ metrics: { [metric]: settled.value } });
        else noValue(step, metric, settled.fault);
      } catch (error) {
        noValue(step, metric, String(error));
      }
    }
  };
  const run = async (row: DatasetRow): Promise<void> => {
    const cells = row.values_dict;
    const input = textOf(cells, columns.input);
    const reference = textOf(cells, columns.reference);
    const start = {
      experimentId,
      metadata: { [rowKey]: row.row_id },
      ...(input !== null && { input, datasetInput: input }),
      ...(reference !== null && { datasetOutput: reference }),
    };
    let hasFailed = true;
    const work = service.trace(name, start, async (step) => {
      const begun = performance.now();
      const time = () =>
        step.set({ metrics: { duration_ns: Math.round((performance.now() - begun) * 1e6) } });
      const output = await Promise.resolve(task(cells)).finally(time);
      hasFailed = false;
      await evaluate(step, cells, output);
      return output;
    });
    await work.catch(() => undefined);
    counts.failed += hasFailed ? 1 : 0;
    counts.ran += 1;
  };
  return { counts, run };
};

export type RecordedRows = {
  /** Rows with a trace that is complete, did not fail, and has no evaluator error. */
  readonly finished: ReadonlySet<string>;
  /** Rows with another trace. */
  readonly unfinished: ReadonlySet<string>;
  /**
   * Deletes the unfinished traces of these rows, each of which has another trace now. Without the
   * right to delete they stay, with a warning.
   */
  readonly deleteStale: (rows: ReadonlySet<string>) => Promise<void>;
};

/** The traces that an experiment has on the rows of its dataset. */
export const recordedRows = async (
  { traces }: Pick<Nouns, 'traces'>,
  experiment_id: string,
  warn: Warn,
): Promise<RecordedRows> => {
  const finished = new Set<string>();
  const stale: { readonly row: string; readonly id: string }[] = [];
  const search = { experiment_id, truncate_fields: true, limit: 1_000 };
  for await (const trace of traces.search(search)) {
    const row = trace.user_metadata[rowKey];
    if (row === undefined) continue;
    if (isFinished(trace)) finished.add(row);
    else stale.push({ row, id: trace.id });
  }
  const deleteStale: RecordedRows['deleteStale'] = async (rows) => {
    const ids = stale.flatMap(({ row, id }) => (rows.has(row) ? [id] : []));
    for (let from = 0; from < ids.length; from += deletedAtOnce) {
      const value = ids.slice(from, from + deletedAtOnce);
      const among = { type: 'id', name: 'id', operator: 'one_of', value } as const;
      try {
        await traces.delete({ experiment_id, filters: [among] });
      } catch (error) {
        if (!isFault(error, 'forbidden')) throw error;
        return warn(
          `unfinished ${experiment_id}`,
          `unfinished traces (${ids.length}) of rows that ran again stay in the experiment and ` +
            'count in its means: deleting them takes the role owner in the project',
        );
      }
    }
  };
  return { finished, unfinished: new Set(stale.map(({ row }) => row)), deleteStale };
};

type Recorded = {
  readonly is_complete: boolean;
  readonly status_code?: number | null;
  readonly user_metadata: Readonly<Record<string, string>>;
};
const isFinished = ({ is_complete, status_code, user_metadata }: Recorded): boolean =>
  is_complete &&
  (status_code ?? 0) < failedFrom &&
  !Object.keys(user_metadata).some((key) => key.startsWith(errorKey));

type RoleColumns = { readonly input: readonly string[]; readonly reference: readonly string[] };

/** Columns by the dataset's mapping, else those of these names; the input else the first column. */
const columnsOf = ({ column_mapping: mapping, column_names: names }: Dataset): RoleColumns => ({
  input: mapping?.input?.columns ?? (names.includes('input') ? ['input'] : names.slice(0, 1)),
  reference: mapping?.output?.columns ?? (names.includes('output') ? ['output'] : []),
});

/** The text of one column, or several as one JSON object; null without a value. */
const textOf = (cells: RowCells, columns: readonly string[]): string | null => {
  const values = columns.map((column) => [column, cells[column] ?? null] as const);
  if (values.every(([, value]) => value === null)) return null;
  const [[, only]] = values as [(typeof values)[number]];
  if (values.length > 1) return JSON.stringify(Object.fromEntries(values));
  return typeof only === 'string' ? only : JSON.stringify(only);
};
