import {
  compareExperiments,
  comparedMetricsMax,
  comparedRowsDefault,
  comparisonComplaints,
  defaultSeed,
  type RowChoice,
} from '../../contract/experiment-comparison.js';
import type { ExperimentFacts } from '../../contract/experiment-record.js';
import { readRoute, type Route } from '../../contract/operation.js';
import { byCodePoint } from '../../kernel/code-points.js';
import type { Documents } from '../../kernel/documents.js';
import { Fault, validationFault, valueComplaint, valueFault } from '../../kernel/fault.js';
import { runRowsMax } from '../../kernel/records/run-rows.js';
import type { TypedMetric } from '../../kernel/records/measures.js';
import type { RecordQueries } from '../../kernel/records/record-queries.js';
import type { MetricType } from '../../kernel/records/record.js';
import type { ProjectId, RunId } from '../../kernel/schema-types.js';
import { experimentList } from '../../projections/experiment-list.js';
import {
  isAnnotationColumn,
  resolveMeasure,
  measureName,
  metricPrefix,
  metricsWithoutType,
  metricType,
} from '../filters/catalogue.js';
import { openTemplatesOf } from '../live-templates.js';
import type { RecordAnswers } from '../records/answers.js';
import type { RowOrder } from './comparison-rows.js';
import type { ComparisonExperiment, DirectedMetric } from './comparison-table.js';
import { criteriaCollections, readDirections } from './criteria.js';

export type ComparisonNeeds = {
  readonly documents: Documents;
  readonly records: Pick<RecordQueries, 'metricTypes' | 'runMeasures'>;
  readonly answers: Pick<RecordAnswers, 'comparison'>;
};

/** Route that compares experiments row by row (contract 5.5). */
export const comparisonRoute = (needs: ComparisonNeeds): Route =>
  readRoute(
    compareExperiments,
    [experimentList.collection, ...criteriaCollections],
    async ({ params: { project_id: project }, body, principal }) => {
      const experiments = await readComparedExperiments(
        needs.documents,
        project,
        body.experiment_ids,
      );
      const { metrics, chosen, unknown, leftOut } = await metricsWithRows(needs, project, body);
      const place = { organization: principal.organizationId, project };
      const directionOf = await readDirections(needs.documents, place);
      const directed = metrics.map((one) => ({ ...one, direction: directionOf(measureName(one)) }));
      const json = await needs.answers.comparison({
        project,
        experiments,
        metrics: directed,
        seed: body.seed ?? defaultSeed,
        intervals: body.intervals !== false,
        rows: body.rows == null ? null : rowOrder(body.rows, directed, chosen),
        offset: body.starting_token ?? 0,
        limit: body.limit ?? comparedRowsDefault,
      });
      if (json === null) throw tooMany();
      return { json, notes: { 'X-Unknown-Columns': unknown, 'X-Left-Out-Metrics': leftOut } };
    },
    ({ body }) => comparisonComplaints(body.experiment_ids),
  );

const rowOrder = (
  { show, order }: RowChoice,
  metrics: readonly DirectedMetric[],
  chosen: number | null,
): RowOrder => ({
  metric: chosen,
  direction: metrics[chosen ?? -1]?.direction ?? 'higher',
  show: show ?? 'all',
  order: order ?? 'difference',
});

const tooMany = (): Fault =>
  valueFault(
    ['body', 'experiment_ids'],
    `these have more than ${runRowsMax} pairs of row and experiment; compare fewer of them`,
  );

/**
 * Loads the experiments in the requested order. Throws Fault `not-found` for one that is not in the
 * project.
 */
const readComparedExperiments = async (
  documents: Documents,
  project: ProjectId,
  ids: readonly RunId[],
): Promise<readonly ComparisonExperiment[]> => {
  const found = await documents.load(experimentList.collection, ids);
  return ids.map((id) => {
    const one = found.get(id);
    if (one?.scope !== project) throw new Fault('not-found', 'Experiment not found');
    const { name, dataset } = one.body as ExperimentFacts;
    const version = dataset && {
      dataset_id: dataset.dataset_id,
      version_index: dataset.version_index,
    };
    return { id, name, dataset: version };
  });
};

type ComparisonBody = {
  readonly experiment_ids: readonly string[];
  readonly metrics?: readonly string[] | null;
  readonly rows?: RowChoice | null;
};
type ComparisonMetrics = {
  readonly metrics: readonly TypedMetric[];
  /** Columns without a recorded value. */
  readonly unknown: readonly string[];
  /** Metrics beyond the limit of one comparison. */
  readonly leftOut: readonly string[];
};

/**
 * Metrics to compare, and which of them the rows are chosen by: null if it has no value. It is
 * compared too where `metrics` does not name it.
 */
const metricsWithRows = async (
  needs: ComparisonNeeds,
  project: ProjectId,
  body: ComparisonBody,
): Promise<ComparisonMetrics & { readonly chosen: number | null }> => {
  const listed = await metricsOf(needs, project, body, (at) => ['body', 'metrics', String(at)]);
  if (body.rows == null) return { ...listed, chosen: null };
  const wanted = { experiment_ids: body.experiment_ids, metrics: [body.rows.metric] };
  const byRows = await metricsOf(needs, project, wanted, () => ['body', 'rows', 'metric']);
  const [metric] = byRows.metrics;
  const unknown = [...new Set([...listed.unknown, ...byRows.unknown])];
  if (metric === undefined) return { ...listed, unknown, chosen: null };
  const name = measureName(metric);
  const known = listed.metrics.findIndex((one) => measureName(one) === name);
  return {
    metrics: known < 0 ? [...listed.metrics, metric] : listed.metrics,
    unknown,
    leftOut: listed.leftOut.filter((one) => one !== name),
    chosen: known < 0 ? listed.metrics.length : known,
  };
};

const metricsOf = async (
  { documents, records }: ComparisonNeeds,
  project: ProjectId,
  body: ComparisonBody,
  placeOf: (at: number) => readonly string[],
): Promise<ComparisonMetrics> => {
  const written = body.metrics?.map(columnOf) ?? null;
  if (written === null) {
    const measured = await measuredMetrics(records, project, body.experiment_ids);
    const names = measured.slice(0, comparedMetricsMax);
    const types = await typesOf(records, project, names.map(columnOf));
    const metrics = names.flatMap((metric) => {
      const type = metricType(metric, types);
      return type === null || type === 'text' ? [] : [{ metric, type }];
    });
    return { metrics, unknown: [], leftOut: measured.slice(comparedMetricsMax) };
  }
  const types = await typesOf(records, project, written);
  const templates = written.some(isAnnotationColumn)
    ? await openTemplatesOf(documents)(project)
    : [];
  const meant = written.map((column) => resolveMeasure(column, types, templates));
  const complaints = meant.flatMap((one, at) => {
    const what = { text: 'text', string_list: 'list of texts' }[String(one.type)];
    const sentence = `'${measureName(one)}' is a ${what}`;
    return what === undefined ? [] : [valueComplaint(placeOf(at), sentence)];
  });
  if (complaints.length > 0) throw validationFault(complaints);
  const names = meant.map(measureName);
  const once = meant.filter((one, at) => names.indexOf(measureName(one)) === at);
  return {
    metrics: once.flatMap((one) => {
      const { type } = one;
      return type === null || type === 'text' || type === 'string_list' ? [] : [{ ...one, type }];
    }),
    unknown: once.flatMap(({ metric, type }) => (type === null ? [metricPrefix + metric] : [])),
    leftOut: [],
  };
};

const columnOf = (name: string): string =>
  name.startsWith(metricPrefix) || isAnnotationColumn(name) ? name : metricPrefix + name;

const typesOf = async (
  records: ComparisonNeeds['records'],
  project: ProjectId,
  columns: readonly string[],
): Promise<ReadonlyMap<string, MetricType>> => {
  const untyped = metricsWithoutType(columns);
  return untyped.length > 0 ? records.metricTypes(project, untyped) : new Map();
};

/** Numeric and boolean metrics with a value in these runs, by name. */
const measuredMetrics = async (
  records: ComparisonNeeds['records'],
  project: ProjectId,
  runs: readonly string[],
): Promise<readonly string[]> => {
  const measures = await records.runMeasures(project, runs);
  const names = [...measures.values()].flatMap(({ metrics }) =>
    Object.entries(metrics).flatMap(([name, { kind }]) => (kind === 'text' ? [] : [name])),
  );
  return [...new Set(names)].toSorted(byCodePoint);
};
