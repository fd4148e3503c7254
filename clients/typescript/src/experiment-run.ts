import type { Logger } from './logger/logger.js';
import type { Nouns } from './generated/all.js';
import type { Dataset, DatasetRow } from './generated/datasets-types.js';
import { isUuid } from './uuid.js';

// Of the methods, since the generated files of types split as they grow.
type Experiment = Awaited<ReturnType<Nouns['experiments']['get']>>;
type ExperimentComparison = Awaited<ReturnType<Nouns['experiments']['compare']>>;

/** The cells of a dataset row by column. */
export type RowCells = DatasetRow['values_dict'];
type MetricOutcome = number | boolean | string | null | undefined;

export type ExperimentTask<Output> = {
  /** Id or name of a dataset. */
  readonly dataset: string;
  /** By default the current version, of an experiment that is resumed its own. */
  readonly versionIndex?: number;
  /** Its result is the output of the trace; what it throws is recorded, and the run goes on. */
  readonly task: (row: RowCells) => Output | Promise<Output>;
  /** By metric; null and undefined are no value. */
  readonly evaluators?: Readonly<
    Record<string, (row: RowCells, output: Output) => MetricOutcome | Promise<MetricOutcome>>
  >;
  /** Name of the experiment. One of this name is resumed: its rows with a trace are skipped. */
  readonly name: string;
  /** Rows at a time. 8. */
  readonly concurrency?: number;
  /** Called first and after each row. By default a line on stderr, where that is a terminal. */
  readonly onProgress?: (progress: ExperimentProgress) => void;
  /** Id or name of an experiment to compare with. */
  readonly baseline?: string;
  /** Metrics to compare; by default all. */
  readonly metrics?: readonly string[];
};

/** `done` of `total` rows of the dataset version; `failed` in this run. */
export type ExperimentProgress = {
  readonly name: string;
  readonly done: number;
  readonly total: number;
  readonly failed: number;
};

export type ExperimentRun = {
  readonly experiment: Experiment;
  readonly rows: number;
  readonly ran: number;
  /** Rows that had a trace before. */
  readonly skipped: number;
  /** Rows whose task threw; their traces have the status 500. */
  readonly failed: number;
  /** By metric, how often its evaluator threw. */
  readonly evaluatorErrors: Readonly<Record<string, number>>;
  /** With `baseline` (contract 5.5). */
  readonly comparison: ExperimentComparison | null;
};

/** The usual progress: a line on a terminal, which is drawn over itself. */
export const progressLine =
  (draw: ((line: string, isLast: boolean) => void) | null) =>
  ({ name, done, total, failed }: ExperimentProgress): void => {
    const failures = failed > 0 ? `, ${failed} failed` : '';
    draw?.(`${name} ${done}/${total}${failures}`, done === total);
  };

type Service = Pick<Nouns, 'datasets' | 'experiments' | 'traces'> & Pick<Logger, 'trace' | 'flush'>;

/**
 * Runs the task over the rows of a dataset version that have no trace in the experiment yet, and
 * records a trace for each. Rejects when not all traces were recorded; the same call resumes it.
 */
export const runExperiment = async <Output>(
  service: Service,
  run: ExperimentTask<Output>,
  usualProgress: (progress: ExperimentProgress) => void,
): Promise<ExperimentRun> => {
  const { name, concurrency = 8, onProgress = usualProgress } = run;
  if (!(concurrency >= 1)) throw new TypeError('concurrency is at least 1');
  const dataset = await datasetOf(service, run.dataset);
  const experiment = await experimentOf(service, run, dataset);
  const version = experiment.dataset?.version_index ?? dataset.current_version_index;
  const rows: DatasetRow[] = [];
  const page = { dataset_id: dataset.id, version_index: version, limit: 1_000 };
  for await (const row of service.datasets.versionContent(page)) rows.push(row);
  const present = await rowsPresent(service, experiment.id);
  const missing = rows.filter(({ row_id }) => !present.has(row_id));
  const skipped = rows.length - missing.length;
  const counts = { ran: 0, failed: 0, evaluatorErrors: {} as Record<string, number> };
  const tell = () =>
    onProgress({
      name,
      done: skipped + counts.ran,
      total: rows.length,
      failed: counts.failed,
    });
  tell();
  const columns = columnsOf(dataset);
  const left = missing.values();
  const work = async (): Promise<void> => {
    // One iterator for all workers, so each row is taken once.
    for (const row of left) {
      const isDone = await ranRow(service, run, { row, columns, experiment, counts });
      counts.failed += isDone ? 0 : 1;
      counts.ran += 1;
      tell();
    }
  };
  await Promise.all(Array.from({ length: Math.min(concurrency, missing.length) }, work));
  if (!(await service.flush(60_000))) {
    throw new Error(
      `Not all traces of experiment "${name}" were recorded. Run it again under this name: ` +
        'rows with a trace are skipped',
    );
  }
  const comparison = await comparisonOf(service, run, experiment.id);
  return {
    experiment: await service.experiments.get({ experiment_id: experiment.id }),
    rows: rows.length,
    skipped,
    ...counts,
    comparison,
  };
};

type RowRun = {
  readonly row: DatasetRow;
  readonly columns: RoleColumns;
  readonly experiment: Experiment;
  readonly counts: { readonly evaluatorErrors: Record<string, number> };
};

/** Whether the task returned. */
const ranRow = async <Output>(
  { trace }: Service,
  { name, task, evaluators = {} }: ExperimentTask<Output>,
  { row, columns, experiment, counts }: RowRun,
): Promise<boolean> => {
  const cells = row.values_dict;
  const input = textOf(cells, columns.input);
  const reference = textOf(cells, columns.reference);
  const start = {
    experimentId: experiment.id,
    metadata: { dataset_row_id: row.row_id },
    ...(input !== null && { input, datasetInput: input }),
    ...(reference !== null && { datasetOutput: reference }),
  };
  let threw = true;
  const work = trace(name, start, async (step) => {
    const begun = performance.now();
    const time = () =>
      step.set({ metrics: { duration_ns: Math.round((performance.now() - begun) * 1e6) } });
    const output = await Promise.resolve(task(cells)).finally(time);
    threw = false;
    for (const [metric, evaluate] of Object.entries(evaluators)) {
      try {
        const value = await evaluate(cells, output);
        if (value !== null && value !== undefined) step.set({ metrics: { [metric]: value } });
      } catch (error) {
        counts.evaluatorErrors[metric] = (counts.evaluatorErrors[metric] ?? 0) + 1;
        step.set({ metadata: { [`evaluator_error.${metric}`]: String(error) } });
      }
    }
    return output;
  });
  await work.catch(() => undefined);
  return !threw;
};

type RoleColumns = { readonly input: readonly string[]; readonly reference: readonly string[] };

/** By the dataset's mapping, else the columns of these names; the input else the first column. */
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

const datasetOf = async ({ datasets }: Service, dataset: string): Promise<Dataset> => {
  const isId: boolean = isUuid(dataset);
  if (isId) return datasets.get({ dataset_id: dataset });
  const named = { name: 'name', operator: 'eq', value: dataset } as const;
  const [found] = (await datasets.query({ filters: [named] })).datasets;
  if (found === undefined) throw new Error(`This key sees no dataset of the name "${dataset}"`);
  return found;
};

const experimentNamed = async (
  { experiments }: Service,
  name: string,
): Promise<Experiment | null> => {
  const named = { name: 'name', operator: 'eq', value: name } as const;
  return (await experiments.search({ filters: [named] })).experiments[0] ?? null;
};

/** The experiment of that name, to resume it, else a new one on the version of the dataset. */
const experimentOf = async (
  service: Service,
  { name, versionIndex }: { readonly name: string; readonly versionIndex?: number },
  dataset: Dataset,
): Promise<Experiment> => {
  const found = await experimentNamed(service, name);
  if (found === null) {
    const version_index = versionIndex ?? dataset.current_version_index;
    return service.experiments.create({ name, dataset: { dataset_id: dataset.id, version_index } });
  }
  const isSame =
    found.dataset?.dataset_id === dataset.id &&
    (versionIndex === undefined || versionIndex === found.dataset.version_index);
  if (isSame) return found;
  throw new Error(`Experiment "${name}" runs on another dataset or version: choose another name`);
};

const rowsPresent = async ({ traces }: Service, experiment_id: string) => {
  const present = new Set<string>();
  const search = { experiment_id, truncate_fields: true, limit: 1_000 };
  for await (const { user_metadata } of traces.search(search)) {
    const row = user_metadata['dataset_row_id'];
    if (row !== undefined) present.add(row);
  }
  return present;
};

const comparisonOf = async (
  service: Service,
  { baseline, metrics }: { readonly baseline?: string; readonly metrics?: readonly string[] },
  experiment: string,
): Promise<ExperimentComparison | null> => {
  if (baseline === undefined) return null;
  const found = isUuid(baseline) ? baseline : (await experimentNamed(service, baseline))?.id;
  if (found === undefined) {
    throw new Error(`The project has no experiment of the name "${baseline}"`);
  }
  const experiment_ids = [found, experiment];
  return service.experiments.compare({ experiment_ids, ...(metrics && { metrics }) });
};
