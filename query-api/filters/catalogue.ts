import { metricReadings } from '../../contract/record-rules.js';
import { annotationPrefix, type MeasureTarget } from '../../kernel/records/column-value.js';
import {
  appliesTo,
  filterKindOf,
  registryMetricByName,
  standardColumnById,
} from '../../kernel/records/columns.js';
import { ratingTypes, type NamedTemplate, type RatingType } from '../../kernel/records/feedback.js';
import type { FilterKind, MetricType, Population } from '../../kernel/records/record.js';

/**
 * Types of the project's metrics outside the registry; a metric that never had a value is absent.
 */
export type MetricTypes = ReadonlyMap<string, MetricType>;
/** Null: the project's types are not loaded, so any name may be a metric's. */
export type KnownMetricTypes = MetricTypes | null;

/** Live annotation templates of the project. Null: not loaded. */
export type KnownTemplates = readonly NamedTemplate[] | null;

export const metricPrefix = 'metrics/';
const metadataPrefix = 'user_metadata/';

type KnownColumn =
  | { readonly is: 'standard'; readonly filter: FilterKind; readonly applies: boolean }
  /** `type` null: no value in the project, so the type is unknown. */
  | { readonly is: 'metric'; readonly metric: string; readonly type: MetricType | null }
  | { readonly is: 'user_metadata' }
  /** `type` null: templates are not loaded. */
  | { readonly is: 'annotation'; readonly type: RatingType | null; readonly applies: boolean };

/** The template of a column, whose prefix is followed by its id or its name. */
const templateOf = (column: string, templates: readonly NamedTemplate[]): NamedTemplate | null => {
  const named = column.slice(annotationPrefix.length);
  const byId = templates.find(({ id }) => id === named.toLowerCase());
  return byId ?? templates.find(({ name }) => name === named) ?? null;
};

export const isAnnotationColumn = (column: string): boolean =>
  column.startsWith(annotationPrefix) && column.length > annotationPrefix.length;

/**
 * Looks a column id up in the catalogue (contract 3.7, rule 4); null = unknown. `metrics/<name>`
 * and `user_metadata/<key>` are always known.
 */
export const lookUpColumn = (
  column: string,
  population: Population,
  types: KnownMetricTypes,
  templates: KnownTemplates = null,
): KnownColumn | null => {
  const standard = standardColumnById.get(column);
  if (standard !== undefined) {
    return { is: 'standard', filter: standard.filter, applies: appliesTo(standard, population) };
  }
  const metric = metricOfColumn(column);
  if (metric !== null) return { is: 'metric', metric, type: metricType(metric, types) };
  if (isAnnotationColumn(column)) {
    const applies = population === 'trace';
    if (templates === null) return { is: 'annotation', type: null, applies };
    const template = templateOf(column, templates);
    return template && { is: 'annotation', type: ratingTypes[template.type], applies };
  }
  const isMetadata = column.startsWith(metadataPrefix) && column.length > metadataPrefix.length;
  return isMetadata ? { is: 'user_metadata' } : null;
};

/** The metric's name if the column is a metric's, otherwise null. */
export const metricOfColumn = (column: string): string | null =>
  column.startsWith(metricPrefix) && column.length > metricPrefix.length
    ? column.slice(metricPrefix.length)
    : null;

/** Type of a metric: the registry's, otherwise the project's (contract 3.4, rule 2). */
export const metricType = (metric: string, types: KnownMetricTypes): MetricType | null =>
  registryMetricByName.get(metric)?.type ?? types?.get(metric) ?? null;

/**
 * Resolves a metric name: the first of its readings (`metricReadings`) that the project or the
 * registry has, otherwise the name itself.
 */
export const resolveMetric = (written: string, types: KnownMetricTypes): string => {
  const readings = metricReadings(written);
  const known = readings.find((metric) => metricType(metric, types) !== null);
  return known ?? readings[0] ?? written;
};

/**
 * Resolves a column name to an id: a metric under any of its names (contract 3.4, rule 6), other
 * columns unchanged. Unknown names stay unchanged.
 */
export const resolveColumn = (
  written: string,
  types: KnownMetricTypes,
  templates: KnownTemplates = null,
): string => {
  if (standardColumnById.has(written) || written.startsWith(metadataPrefix)) return written;
  if (isAnnotationColumn(written)) {
    const template = templates === null ? null : templateOf(written, templates);
    if (template !== null) return annotationPrefix + template.id;
    if (templates === null || metricType(written, types) === null) return written;
  }
  const metric = resolveMetric(written, types);
  const isMetric =
    metricOfColumn(written) !== null || types === null || metricType(metric, types) !== null;
  return isMetric ? metricPrefix + metric : written;
};

/**
 * Resolves a name where metrics are expected (contract 3.4, rule 6): `annotations/<template>` to
 * the template's ratings, otherwise a metric.
 */
export const resolveMeasure = (
  written: string,
  types: KnownMetricTypes,
  templates: KnownTemplates,
): MeasureTarget => {
  const template =
    isAnnotationColumn(written) && templates !== null ? templateOf(written, templates) : null;
  if (template !== null) {
    return { metric: template.id, type: ratingTypes[template.type], source: 'annotations' };
  }
  const metric = resolveMetric(written, types);
  return { metric, type: metricType(metric, types) };
};

/** Public name of a measure: a metric's bare name, or the column id of ratings. */
export const measureName = ({
  metric,
  source,
}: Pick<MeasureTarget, 'metric' | 'source'>): string =>
  source === 'annotations' ? annotationPrefix + metric : metric;

/**
 * Metrics among these column ids without a recorded value in the project (contract 3.7, rule 4).
 */
export const unknownMetrics = (
  columns: readonly string[],
  types: MetricTypes,
): readonly string[] => [
  ...new Set(
    columns.filter((column) => {
      const metric = metricOfColumn(column);
      return metric !== null && metricType(metric, types) === null;
    }),
  ),
];

const filterOfMetric: Readonly<Record<MetricType, FilterKind>> = {
  integer: 'number',
  floating_point: 'number',
  boolean: 'boolean',
  text: 'text',
};

/**
 * Filter types that the column allows: one, or three for a metric without a type (contract 3.7,
 * rule 5).
 */
export const acceptedFilters = (column: KnownColumn): readonly FilterKind[] => {
  if (column.is === 'standard') return [column.filter];
  if (column.is === 'user_metadata') return ['text'];
  if (column.is === 'annotation') {
    return column.type === null ? ['number', 'collection', 'text'] : [filterKindOf[column.type]];
  }
  return column.type === null ? ['number', 'boolean', 'text'] : [filterOfMetric[column.type]];
};

/**
 * Metrics whose types a plan has to load from the project: all possible readings of these columns,
 * without those in the registry.
 */
export const metricsWithoutType = (columns: readonly string[]): readonly string[] => [
  ...new Set(
    columns.flatMap((column) => {
      // Without such a template, a metric may have this name.
      const metric = isAnnotationColumn(column) ? column : metricOfColumn(column);
      if (metric === null) return [];
      return metricReadings(metric).filter((one) => !registryMetricByName.has(one));
    }),
  ),
];
