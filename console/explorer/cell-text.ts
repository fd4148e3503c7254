import type { Column } from '../../clients/typescript/src/generated/traces-types.js';
import type { MetricInfo } from '../../clients/typescript/src/generated/traces-types-3.js';
import { printCost, printDuration, printScore } from '../parts/numbers.js';
import { textForm } from '../../kernel/records/text-form.js';
import type { Json } from '../../kernel/schema-types.js';
import { ownMember } from '../../kernel/own-member.js';

/** A session, trace or span as a search answers it. */
export type ExploredRecord = Readonly<Record<string, unknown>> & {
  readonly id: string;
  readonly type: string;
  readonly trace_id: string | null;
  readonly created_at: string;
};

export type CellValue = {
  readonly value: unknown;
  /** Sentence about the evaluation that failed; null: none. */
  readonly error: string | null;
};

/** Value of a record in a column (contract 3.2), own or rolled up. */
export const cellValue = (record: ExploredRecord, column: Pick<Column, 'id'>): CellValue => {
  const [prefix, ...rest] = column.id.split('/');
  const name = rest.join('/');
  if (rest.length > 0 && prefix === 'metrics') return metricValue(record, name);
  if (rest.length > 0 && prefix === 'user_metadata') {
    return { value: memberOf(record['user_metadata'], name), error: null };
  }
  if (rest.length > 0 && prefix === 'annotations') {
    return { value: ratingText(record, name), error: null };
  }
  return { value: record[column.id], error: null };
};

const memberOf = (map: unknown, name: string): unknown =>
  typeof map === 'object' && map !== null
    ? ownMember(map as Readonly<Record<string, unknown>>, name)
    : undefined;

const metricValue = (record: ExploredRecord, name: string): CellValue => {
  const info = memberOf(record['metric_info'], name) as MetricInfo | undefined;
  const own = memberOf(record['metrics'], name);
  if (info?.status_type === 'error') return { value: own, error: info.message };
  return { value: info?.value ?? own, error: null };
};

type RatingAggregate = {
  readonly feedback_type?: string;
  readonly average?: number | null;
  readonly like_count?: number;
  readonly dislike_count?: number;
  readonly counts?: Readonly<Record<string, number>>;
  readonly count?: number;
};

/** Ratings of a trace in one word: `★4`, `2 up 1 down`, `polite, short`, `2 texts`. */
const ratingText = (record: ExploredRecord, template: string): string | undefined => {
  const all = memberOf(record['annotation_aggregates'], template) as RatingAggregate | undefined;
  if (all === undefined) return undefined;
  switch (all.feedback_type) {
    case 'star':
      return all.average == null ? undefined : `★${printScore(all.average)}`;
    case 'score':
      return all.average == null ? undefined : printScore(all.average);
    case 'like_dislike': {
      const { like_count: up = 0, dislike_count: down = 0 } = all;
      return up + down === 0 ? undefined : `${up} up ${down} down`;
    }
    case 'tags':
    case 'choice':
      return Object.keys(all.counts ?? {}).join(', ') || undefined;
    case undefined:
    default:
      return (all.count ?? 0) > 0 ? `${all.count} texts` : undefined;
  }
};

/** Text of a value of a column in a cell; null where there is none. */
export const cellText = (
  value: unknown,
  column: Pick<Column, 'data_type' | 'data_unit'>,
): string | null => {
  if (value === null || value === undefined || value === '') return null;
  if (Array.isArray(value) && column.data_type === 'string_list') return value.join(', ') || null;
  if (typeof value === 'number') return numberText(value, column);
  if (column.data_type === 'uuid' && typeof value === 'string') return value.slice(0, 8);
  return shortText(textForm(value as Json) ?? '') || null;
};

const shownMax = 300;
/** A text on one line. */
const shortText = (text: string): string => {
  const line = text.slice(0, shownMax).replace(/\s+/g, ' ').trim();
  return text.length > shownMax ? `${line}…` : line;
};

const numberText = (value: number, { data_unit: unit, data_type: type }: Partial<Column>) => {
  if (unit === 'nano_seconds') return printDuration(value);
  if (unit === 'dollars') return printCost(value);
  return type === 'integer' ? String(value) : printScore(value);
};
