import type { RecordView } from '../../contract/record-reads.js';
import { recordOf, tracesOf } from '../../kernel/record-of.js';
import type { RecordRow } from '../../kernel/records.js';
import type { Json } from '../../kernel/shapes.js';

/** A record as read (contract 5.7). A project without templates has no annotations. */
export const viewOf = (row: RecordRow, withCounts: boolean): RecordView => {
  const record = recordOf(row);
  if (row.kind === 'session') return { ...record, num_traces: withCounts ? tracesOf(row) : null };
  if (row.kind !== 'trace') return record;
  return {
    ...record,
    annotations: {},
    annotation_aggregates: {},
    fully_annotated: false,
    num_spans: withCounts ? row.spanCount : null,
  };
};

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
  if (typeof value === 'string') return cutText(value);
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return (value as readonly Json[]).map(cut);
  return Object.fromEntries(Object.entries(value).map(([member, inner]) => [member, cut(inner)]));
};

/** By code points: a pair of surrogates is not torn. */
const cutText = (text: string): string => {
  if (text.length <= truncatedCharacters) return text;
  let end = 0;
  for (let count = 0; count < truncatedCharacters && end < text.length; count += 1) {
    end += (text.codePointAt(end) ?? 0) > 0xffff ? 2 : 1;
  }
  return text.slice(0, end);
};
