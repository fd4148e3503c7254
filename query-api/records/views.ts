import type { RecordView } from '../../contract/record-reads.js';
import { firstCodePoints } from '../../kernel/code-points.js';
import { traceFeedback, type FeedbackTemplate } from '../../kernel/records/feedback.js';
import { matchesFilter } from '../../kernel/filter.js';
import { toRecordView, traceCountOf } from '../../kernel/records/record-view.js';
import type { MetricType, RecordRow } from '../../kernel/records/record.js';
import type { Json } from '../../kernel/schema-types.js';

/**
 * A record as responses show it (contract 5.7); `templates` are the live annotation templates of
 * its project, `types` those of its metrics outside the registry.
 */
export const recordViewOf = (
  row: RecordRow,
  withCounts: boolean,
  templates: readonly FeedbackTemplate[],
  types: ReadonlyMap<string, MetricType> = new Map(),
): RecordView => {
  const record = toRecordView(row, types);
  if (row.kind === 'session')
    return { ...record, num_traces: withCounts ? traceCountOf(row) : null };
  if (row.kind !== 'trace') return record;
  return {
    ...record,
    annotation_aggregates: traceFeedback(row, templates),
    fully_annotated: matchesFilter(
      byAnyone,
      row,
      templates.map(({ id }) => id),
    ),
    num_spans: withCounts ? row.spanCount : null,
  };
};

const byAnyone = { kind: 'fully_annotated', users: null } as const;

/** Length of truncated texts (contract 5.7). */
const truncatedCharacters = 1_000;
const truncatedMembers = ['input', 'output', 'dataset_input', 'dataset_output', 'dataset_metadata'];

/**
 * Truncates the strings of these members, including those inside messages and documents, so that
 * their shape stays.
 */
export const truncateTexts = (record: RecordView): RecordView => ({
  ...record,
  ...Object.fromEntries(
    truncatedMembers.flatMap((member) => {
      const value = record[member];
      return value === undefined ? [] : [[member, cutText(value)]];
    }),
  ),
});

const cutText = (value: Json): Json => {
  if (typeof value === 'string') return firstCodePoints(value, truncatedCharacters);
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return (value as readonly Json[]).map(cutText);
  return Object.fromEntries(
    Object.entries(value).map(([member, inner]) => [member, cutText(inner)]),
  );
};
