import type { ColumnDescriptor } from '../../contract/columns.js';
import type { ScorerFacts } from '../../contract/scorers.js';
import type { ScoreType } from '../../kernel/sandbox.js';
import type { Documents } from '../../kernel/documents.js';
import type { MetricType } from '../../kernel/records/record.js';
import type { OrganizationId } from '../../kernel/schema-types.js';
import { scorerFacts, scorerList, type ScorerRow } from '../../projections/scorer-list.js';
import { customMetric } from './descriptors.js';

const typeOf: Readonly<Record<ScoreType, MetricType>> = {
  bool: 'boolean',
  int: 'integer',
  float: 'floating_point',
  str: 'text',
};

/** Code scorers of the organisation that make these metrics, by name (contract 3.4). */
export const readScorersByMetric = async (
  documents: Documents,
  organization: OrganizationId,
  metrics: readonly string[],
): Promise<ReadonlyMap<string, ScorerFacts>> => {
  if (metrics.length === 0) return new Map();
  const { documents: found } = await documents.find<ScorerRow>(scorerList.collection, {
    scope: organization,
    filter: {
      kind: 'text',
      column: 'name',
      operator: 'one_of',
      values: [...metrics],
      caseSensitive: true,
    },
    limit: metrics.length,
  });
  return new Map(found.map(({ body }) => [scorerFacts(body).name, scorerFacts(body)]));
};

/**
 * Column with the scorer's label, description and declared type. Stored values keep the roll-up
 * method they were scored with.
 */
export const withScorer = (
  column: ColumnDescriptor,
  { name, label, description, latest_version, roll_up_method: method, threshold }: ScorerFacts,
): ColumnDescriptor => {
  const type = latest_version === null ? null : typeOf[latest_version.score_type];
  const own =
    type === null
      ? column
      : customMetric(name, type, { ...column, label, group_label: 'Custom Metrics' });
  return {
    ...own,
    label,
    description,
    ...(method !== null && own.roll_up_method !== undefined && { roll_up_method: method }),
    ...(threshold !== null && { threshold }),
  };
};
