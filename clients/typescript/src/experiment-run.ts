import { metricTypes, openMetricTypes } from './experiment-metrics.js';
import { openRunner, recordedRows, type RowTask } from './experiment-rows.js';
import type { Nouns } from './generated/all.js';
import type { Dataset, DatasetRow } from './generated/datasets-types.js';
import type { Logger } from './logger/logger.js';
import type { Warn } from './logger/warnings.js';
import { isUuid } from './uuid.js';

// Derived from the methods, since the generated files of types split as they grow.
type Experiment = Awaited<ReturnType<Nouns['experiments']['get']>>;
type ExperimentComparison = Awaited<ReturnType<Nouns['experiments']['compare']>>;

export type ExperimentTask<Output> = RowTask<Output> & {
  /** Id or name of a dataset. */
  readonly dataset: string;
  /** Default: the current version, or that of the resumed experiment. */
  readonly versionIndex?: number;
  /**
   * Name of the experiment. An existing one is resumed: rows with a finished trace are skipped.
   * Those whose trace is incomplete, failed or has an evaluator error run again, and that trace is
   * deleted, which takes the role `owner` (without it a warning).
   */
  readonly name: string;
  /** Concurrent rows. 8. */
  readonly concurrency?: number;
  /** Called first and after each row. Default: a line on stderr if that is a terminal. */
  readonly onProgress?: (progress: ExperimentProgress) => void;
  /** Id or name of an experiment to compare with; looked up before the first row. */
  readonly baseline?: string;
  /** Metrics to compare; default: all. */
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
  /** Rows that had a finished trace: complete, not failed, without an evaluator error. */
  readonly skipped: number;
  /** Rows whose task threw; their traces have the status 500. */
  readonly failed: number;
  /** Rows among those that ran that had an unfinished trace, which is deleted. */
  readonly repeated: number;
  /** Rows by metric whose evaluator threw or returned a value that the metric cannot have. */
  readonly evaluatorErrors: Readonly<Record<string, number>>;
  /** First error of each metric's evaluator. */
  readonly firstErrors: Readonly<Record<string, string>>;
  /** Number of values converted to the metric's type, by metric: booleans to 1 and 0, or back. */
  readonly converted: Readonly<Record<string, number>>;
  /** With `baseline` (contract 5.5). */
  readonly comparison: ExperimentComparison | null;
};

/** Default progress: a line on a terminal, which is drawn over itself. */
export const progressLine =
  (draw: ((line: string, isLast: boolean) => void) | null) =>
  ({ name, done, total, failed }: ExperimentProgress): void => {
    const failures = failed > 0 ? `, ${failed} failed` : '';
    draw?.(`${name} ${done}/${total}${failures}`, done === total);
  };

type Service = Pick<Nouns, 'datasets' | 'experiments' | 'traces'> & Pick<Logger, 'trace' | 'flush'>;

type Surroundings = {
  readonly usualProgress: (progress: ExperimentProgress) => void;
  readonly warn: Warn;
};

/**
 * Runs the task over the rows of a dataset version that have no finished trace in the experiment
 * yet, and records a trace for each. Rejects before the first row if the dataset or the baseline
 * does not exist, and when not all traces were recorded; the same call resumes it.
 */
export const runExperiment = async <Output>(
  service: Service,
  run: ExperimentTask<Output>,
  { usualProgress, warn }: Surroundings,
): Promise<ExperimentRun> => {
  const { name, concurrency = 8, onProgress = usualProgress } = run;
  if (!(concurrency >= 1)) throw new TypeError('concurrency is at least 1');
  const baseline = await baselineOf(service, run);
  const dataset = await datasetOf(service, run.dataset);
  const types = openMetricTypes(run.evaluators ? await metricTypes(service) : new Map());
  const experiment = await experimentOf(service, run, dataset);
  if (baseline === experiment.id) {
    throw new Error(`Experiment "${name}" is its own baseline: name another one`);
  }
  const rows = await rowsOf(service, dataset, experiment);
  const recorded = await recordedRows(service, experiment.id, warn);
  const missing = rows.filter(({ row_id }) => !recorded.finished.has(row_id));
  const skipped = rows.length - missing.length;
  const settings = { service, name, experimentId: experiment.id, dataset, types, warn };
  const { counts, run: runRow } = openRunner(run, settings);
  const tell = () =>
    onProgress({
      name,
      done: skipped + counts.ran,
      total: rows.length,
      failed: counts.failed,
    });
  tell();
  const left = missing.values();
  const work = async (): Promise<void> => {
    // One iterator for all workers, so each row runs once.
    for (const row of left) {
      await runRow(row);
      tell();
    }
  };
  await Promise.all(Array.from({ length: Math.min(concurrency, missing.length) }, work));
  if (!(await service.flush(60_000))) {
    throw new Error(
      `Not all traces of experiment "${name}" were recorded. Run it again under this name: ` +
        'rows that are finished are skipped',
    );
  }
  await recorded.deleteStale(new Set(rows.map(({ row_id }) => row_id)));
  const comparison = await comparisonOf(service, run, baseline, experiment.id);
  return {
    experiment: await service.experiments.get({ experiment_id: experiment.id }),
    rows: rows.length,
    skipped,
    ...counts,
    repeated: missing.filter(({ row_id }) => recorded.unfinished.has(row_id)).length,
    converted: types.converted,
    comparison,
  };
};

const rowsOf = async (
  { datasets }: Service,
  { id, current_version_index }: Dataset,
  { dataset }: Experiment,
): Promise<readonly DatasetRow[]> => {
  const rows: DatasetRow[] = [];
  const version_index = dataset?.version_index ?? current_version_index;
  const page = { dataset_id: id, version_index, limit: 1_000 };
  for await (const row of datasets.versionContent(page)) rows.push(row);
  return rows;
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

/** The id of the experiment to compare with; null without one. */
const baselineOf = async (
  service: Service,
  { baseline }: { readonly baseline?: string },
): Promise<string | null> => {
  if (baseline === undefined) return null;
  const isId: boolean = isUuid(baseline);
  if (isId) return (await service.experiments.get({ experiment_id: baseline })).id;
  const found = await experimentNamed(service, baseline);
  if (found !== null) return found.id;
  throw new Error(`The project has no experiment of the name "${baseline}"`);
};

const comparisonOf = async (
  { experiments }: Service,
  { metrics }: { readonly metrics?: readonly string[] },
  baseline: string | null,
  experiment: string,
): Promise<ExperimentComparison | null> => {
  if (baseline === null) return null;
  const experiment_ids = [baseline, experiment];
  return experiments.compare({ experiment_ids, ...(metrics && { metrics }) });
};
