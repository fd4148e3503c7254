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
/** Null: the project was not asked yet, so any name may be that of a metric. */
export type KnownMetricTypes = MetricTypes | null;

/** Live annotation templates of the project. Null: the project was not asked yet. */
export type KnownTemplates = readonly NamedTemplate[] | null;

export const metricPrefix = 'metrics/';
const metadataPrefix = 'user_metadata/';

type KnownColumn =
  | { readonly is: 'standard'; readonly filter: FilterKind; readonly applies: boolean }
  /** `type` null: no value in the project, so nothing says what it is. */
  | { readonly is: 'metric'; readonly metric: string; readonly type: MetricType | null }
  | { readonly is: 'user_metadata' }
  /** `type` null: the project was not asked yet. */
  | { readonly is: 'annotation'; readonly type: RatingType | null; readonly applies: boolean };

/** The template of a column: after the prefix its id, or its name. */
const templateOf = (column: string, templates: readonly NamedTemplate[]): NamedTemplate | null => {
  const named = column.slice(annotationPrefix.length);
  const byId = templates.find(({ id }) => id === named.toLowerCase());
  return byId ?? templates.find(({ name }) => name === named) ?? null;
};

export const isAnnotationColumn = (column: string): boolean =>
  column.startsWith(annotationPrefix) && column.length > annotationPrefix.length;

/**
 * What the catalogue knows of a column id (contract 3.7, rule 4); null = unknown. `metrics/<name>`
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

/** The metric's name when the column id names one. */
export const metricOfColumn = (column: string): string | null =>
  column.startsWith(metricPrefix) && column.length > metricPrefix.length
    ? column.slice(metricPrefix.length)
    : null;

/** The registry's type, else the project's (contract 3.4, rule 2). */
export const metricType = (metric: string, types: KnownMetricTypes): MetricType | null =>
  registryMetricByName.get(metric)?.type ?? types?.get(metric) ?? null;

/**
 * The metric that a name means: the first of its readings (`metricReadings`) that the project or
 * the registry has; without one, the name as it is.
 */
export const resolveMetric = (written: string, types: KnownMetricTypes): string => {
  const readings = metricReadings(written);
  const known = readings.find((metric) => metricType(metric, types) !== null);
  return known ?? readings[0] ?? written;
};

/**
 * The id of the column that a name means: other columns as they are, and a metric under any of its
 * names (contract 3.4, rule 6). What is no column stays as it is written.
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
 * What a name means where metrics are named (contract 3.4, rule 6): the ratings by the template of
 * `annotations/<template>`, else a metric.
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

/** As answers name it: a metric by its bare name, ratings by the id of their column. */
export const measureName = ({
  metric,
  source,
}: Pick<MeasureTarget, 'metric' | 'source'>): string =>
  source === 'annotations' ? annotationPrefix + metric : metric;

/** Of these column ids, the metrics that nobody recorded in the project (contract 3.7, rule 4). */
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
 * The filter types that the column takes: one, or three of a metric without a type (contract 3.7,
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
 * Metrics whose types a plan has to ask the project for: all that these columns may mean, but those
 * that the registry fixes.
 */
export const metricsWithoutType = (columns: readonly string[]): readonly string[] => [
  ...new Set(
    columns.flatMap((column) => {
      // A metric may be called so too, where no template is.
      const metric = isAnnotationColumn(column) ? column : metricOfColumn(column);
      if (metric === null) return [];
      return metricReadings(metric).filter((one) => !registryMetricByName.has(one));
    }),
  ),
];
