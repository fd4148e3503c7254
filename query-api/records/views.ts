import type { RecordView } from '../../contract/record-reads.js';
import { firstCharacters } from '../../kernel/code-points.js';
import { traceFeedback, type FeedbackTemplate } from '../../kernel/records/feedback.js';
import { matches } from '../../kernel/filter.js';
import { recordOf, tracesOf } from '../../kernel/records/record-of.js';
import type { MetricType, RecordRow } from '../../kernel/records/record.js';
import type { Json } from '../../kernel/shapes.js';

/**
 * A record as read (contract 5.7); `templates` are the live annotation templates of its project,
 * `types` those of its metrics outside the registry.
 */
export const viewOf = (
  row: RecordRow,
  withCounts: boolean,
  templates: readonly FeedbackTemplate[],
  types: ReadonlyMap<string, MetricType> = new Map(),
): RecordView => {
  const record = recordOf(row, types);
  if (row.kind === 'session') return { ...record, num_traces: withCounts ? tracesOf(row) : null };
  if (row.kind !== 'trace') return record;
  return {
    ...record,
    annotation_aggregates: traceFeedback(row, templates),
    fully_annotated: matches(
      byAnyone,
      row,
      templates.map(({ id }) => id),
    ),
    num_spans: withCounts ? row.spanCount : null,
  };
};

const byAnyone = { kind: 'fully_annotated', users: null } as const;

/** Contract 5.7. */
const truncatedCharacters = 1_000;
const truncatedMembers = ['input', 'output', 'dataset_input', 'dataset_output', 'dataset_metadata'];

/**
 * Cuts the strings of these members, those inside of messages and documents too, so that their
 * shape stays.
 */
export const truncated = (record: RecordView): RecordView => ({
  ...record,
  ...Object.fromEntries(
    truncatedMembers.flatMap((member) => {
      const value = record[member];
      return value === undefined ? [] : [[member, cut(value)]];
    }),
  ),
});

const cut = (value: Json): Json => {
  if (typeof value === 'string') return firstCharacters(value, truncatedCharacters);
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return (value as readonly Json[]).map(cut);
  return Object.fromEntries(Object.entries(value).map(([member, inner]) => [member, cut(inner)]));
};
