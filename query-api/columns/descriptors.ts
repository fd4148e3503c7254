import type { TemplateFacts } from '../../contract/annotation-templates.js';
import type { ColumnDescriptor } from '../../contract/columns.js';
import { annotationPrefix } from '../../kernel/records/column-value.js';
import {
  appliesTo,
  filterKindOf,
  metricRegistry,
  registryMetricByName,
  standardColumns,
  type RegistryMetric,
  type StandardColumn,
} from '../../kernel/records/columns.js';
import { ratingTypes } from '../../kernel/records/feedback.js';
import type { ColumnFacts } from '../../kernel/records/query-plans.js';
import type { MetricType, Population } from '../../kernel/records/record.js';

/**
 * Column descriptors of contract 3.2 for one population, in its order: standard, registry metrics,
 * other metrics by name, user metadata by key, ratings by the order of their templates. `types` are
 * those of the metrics outside the registry, `templates` the live ones.
 */
export const columnDescriptors = (
  population: Population,
  facts: ColumnFacts,
  types: ReadonlyMap<string, MetricType>,
  templates: readonly TemplateFacts[] = [],
): ColumnDescriptor[] => {
  const present = new Set(facts.present);
  const valued = new Set(facts.metrics);
  return [
    ...standardColumns
      .filter((column) => appliesTo(column, population))
      .map((column) => standardDescriptor(column, !present.has(column.id))),
    ...metricRegistry
      .filter(({ name, always }) => always || valued.has(name))
      .map((metric) => registryDescriptor(metric, !valued.has(metric.name))),
    ...facts.metrics.flatMap((name) => {
      const type = types.get(name);
      return registryMetricByName.has(name) || type === undefined ? [] : [otherMetric(name, type)];
    }),
    ...facts.userMetadata.map(metadataDescriptor),
    ...templates.filter(({ id }) => facts.templates.includes(id)).map(ratingDescriptor),
  ];
};

const standardDescriptor = (column: StandardColumn, isEmpty: boolean): ColumnDescriptor => ({
  id: column.id,
  label: column.label,
  description: column.description,
  category: 'standard',
  group_label: 'Standard',
  data_type: column.type,
  filter_type: column.filter,
  filterable: true,
  sortable: column.type !== 'string_list',
  multi_valued: column.type === 'string_list',
  is_empty: isEmpty,
  is_optional: column.optional,
  applicable_types: [...column.kinds],
  ...(column.allowed !== null && { allowed_values: [...column.allowed] }),
});
type MetricFacts = Pick<ColumnDescriptor, 'label' | 'description' | 'group_label' | 'is_empty'>;

const metricDescriptor = (name: string, type: MetricType, facts: MetricFacts) => ({
  id: `metrics/${name}`,
  label: facts.label,
  description: facts.description,
  category: 'metric' as const,
  group_label: facts.group_label,
  data_type: type,
  filter_type: filterKindOf[type],
  filterable: true,
  sortable: true,
  multi_valued: false,
  is_empty: facts.is_empty,
  is_optional: false,
  applicable_types: [],
});

export const registryDescriptor = (metric: RegistryMetric, isEmpty: boolean): ColumnDescriptor => ({
  ...metricDescriptor(metric.name, metric.type, {
    label: metric.label,
    description: metric.description,
    group_label: metric.group,
    is_empty: isEmpty,
  }),
  ...(metric.unit !== null && { data_unit: metric.unit }),
  roll_up_method: metric.rollUp,
  ...(metric.threshold !== null && {
    threshold: {
      buckets: [...metric.threshold.buckets],
      display_value_levels: [...metric.threshold.display_value_levels],
      inverted: metric.threshold.inverted,
    },
  }),
});

/**
 * Descriptor of a metric outside the registry, which is listed only where it has a value, so it is
 * never empty. Numbers are averaged, other values do not roll up (contract 3.4).
 */
const otherMetric = (name: string, type: MetricType): ColumnDescriptor =>
  customMetric(name, type, { label: name, group_label: 'Custom Metrics', is_empty: false });

export const customMetric = (
  name: string,
  type: MetricType,
  facts: Omit<MetricFacts, 'description'>,
): ColumnDescriptor => ({
  ...metricDescriptor(name, type, { ...facts, description: '' }),
  ...((type === 'integer' || type === 'floating_point') && { roll_up_method: 'average' as const }),
});

const metadataDescriptor = (key: string): ColumnDescriptor => ({
  id: `user_metadata/${key}`,
  label: key,
  description: '',
  category: 'user_metadata',
  group_label: 'User Metadata',
  data_type: 'text',
  filter_type: 'text',
  filterable: true,
  sortable: true,
  multi_valued: false,
  is_empty: false,
  is_optional: true,
  applicable_types: [],
});

/**
 * Descriptor of a rating column, which is listed only where a trace is rated. Closed lists give
 * their allowed values.
 */
const ratingDescriptor = ({ id, name, criteria, constraints }: TemplateFacts): ColumnDescriptor => {
  const type = ratingTypes[constraints.annotation_type];
  const allowed = labelsOf(constraints);
  return {
    id: annotationPrefix + id,
    label: name,
    description: criteria ?? '',
    category: 'annotation',
    group_label: 'Annotations',
    data_type: type,
    ...(constraints.annotation_type === 'like_dislike' && { data_unit: 'percentage' as const }),
    filter_type: filterKindOf[type],
    filterable: true,
    sortable: type !== 'string_list',
    multi_valued: type === 'string_list',
    is_empty: false,
    is_optional: true,
    applicable_types: ['trace'],
    ...(allowed !== null && { allowed_values: [...allowed] }),
  };
};

const labelsOf = (constraints: TemplateFacts['constraints']): readonly string[] | null => {
  if (!('allow_other' in constraints) || constraints.allow_other) return null;
  return constraints.annotation_type === 'tags' ? constraints.tags : constraints.choices;
};
