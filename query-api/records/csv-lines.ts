import { memberNames, type RecordView } from '../../contract/record-reads.js';
import { encodeCsvRow } from '../../kernel/csv.js';
import type { ColumnFacts } from '../../kernel/records/query-plans.js';
import type { Population } from '../../kernel/records/record.js';
import type { Json, JsonObject } from '../../kernel/schema-types.js';

/** Columns of a file of records (contract 5.7, rule 4), in their order. */
export type CsvColumns = {
  readonly members: readonly string[];
  readonly metrics: readonly string[];
  readonly userMetadata: readonly string[];
  readonly escapes: boolean;
};

/** Members with a column for each of their entries. */
const expandedMembers = new Set(['metrics', 'metric_info', 'user_metadata']);

export const csvColumns = (
  population: Population,
  { metrics, userMetadata }: Pick<ColumnFacts, 'metrics' | 'userMetadata'>,
  escapes: boolean,
): CsvColumns => ({
  members: memberNames[population].filter((name) => !expandedMembers.has(name)),
  metrics,
  userMetadata,
  escapes,
});

export const csvHeader = ({ members, metrics, userMetadata, escapes }: CsvColumns): string =>
  encodeCsvRow(
    [
      ...members,
      ...metrics.map((name) => `metrics/${name}`),
      ...userMetadata.map((key) => `user_metadata/${key}`),
    ],
    escapes,
  );

export const csvRecord = (record: RecordView, shown: CsvColumns): string => {
  const notes = record['user_metadata'] as JsonObject | undefined;
  return encodeCsvRow(
    [
      ...shown.members.map((name) => record[name]),
      ...shown.metrics.map((name) => valueOf(record, name)),
      ...shown.userMetadata.map((key) => ownMember(notes, key)),
    ],
    shown.escapes,
  );
};

/** Own or rolled-up value; undefined where there is only an error. */
const valueOf = (record: RecordView, metric: string): Json | undefined => {
  const infos = record['metric_info'] as JsonObject | undefined;
  return (ownMember(infos, metric) as JsonObject | undefined)?.['value'];
};

/** Own members only: a column may be called `__proto__`, which each object inherits. */
const ownMember = (members: JsonObject | undefined, name: string): Json | undefined =>
  members !== undefined && Object.hasOwn(members, name) ? members[name] : undefined;
