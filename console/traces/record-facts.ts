import type { Span } from '../../clients/typescript/src/generated/spans-types.js';
import type { MetricInfo } from '../../clients/typescript/src/generated/traces-types-3.js';
import type { TracePage } from '../../clients/typescript/src/generated/traces-types-4.js';
import { printCost, printCount, printDuration, printScore } from '../parts/numbers.js';
import { costsByKind } from '../../kernel/prices/cost.js';
import { tokenParts, tokensOfMetrics, type TokenKind } from '../../kernel/prices/token-kinds.js';
import { ownMember } from '../../kernel/own-member.js';

export type TraceRecord = TracePage['records'][number];
export type AnyRecord = Span | TraceRecord;

/** Value of a metric of a record as lists count it, own or rolled up; null: no number. */
const metricNumber = (
  record: Pick<AnyRecord, 'metric_info' | 'metrics'>,
  name: string,
): number | null => {
  const info = record.metric_info[name];
  if (info?.status_type === 'error') return null;
  const value = info?.value ?? record.metrics[name];
  return typeof value === 'number' ? value : null;
};

const secondaryMetrics = ['duration_ns', 'cost', 'num_total_tokens'] as const;
const printers: Readonly<Record<(typeof secondaryMetrics)[number], (value: number) => string>> = {
  duration_ns: printDuration,
  cost: printCost,
  num_total_tokens: (tokens) => `${printCount(tokens)} tok`,
};

/** Duration, cost and tokens of a record, those that it has. */
export const recordFigures = (
  record: Pick<AnyRecord, 'metric_info' | 'metrics'>,
): readonly string[] =>
  secondaryMetrics.flatMap((name) => {
    const value = metricNumber(record, name);
    return value === null ? [] : [printers[name](value)];
  });

type MetricRow = {
  readonly name: string;
  readonly text: string;
  /** How the value came about. */
  readonly origin: 'own' | 'rolled up' | 'failed';
  /** Sentence about a failed evaluation; null: none. */
  readonly error: string | null;
};

/** Metrics of a record by name, the failed ones first. */
export const metricRows = (record: AnyRecord): readonly MetricRow[] =>
  Object.entries(record.metric_info)
    .map(([name, info]) => metricRow(name, info, ownMember(record.metrics, name)))
    .sort(
      (one, other) =>
        Number(other.error !== null) - Number(one.error !== null) ||
        (one.name < other.name ? -1 : 1),
    );

const metricRow = (name: string, info: MetricInfo, own: unknown): MetricRow => {
  if (info.status_type === 'error') {
    const error = `${info.ems_error_code} ${info.message}`;
    // As it was sent: 1.5 ns do not fit a whole number, and rounded they would.
    const text = typeof own === 'string' ? own : (JSON.stringify(own) ?? '–');
    return { name, text, origin: 'failed', error };
  }
  const origin = info.status_type === 'success' ? 'own' : 'rolled up';
  return { name, text: metricText(name, info.value), origin, error: null };
};

const metricText = (name: string, value: unknown): string => {
  if (typeof value !== 'number') return typeof value === 'string' ? value : JSON.stringify(value);
  if (name.endsWith('_ns')) return printDuration(value);
  if (/(^|_)cost$/.test(name)) return printCost(value);
  return Number.isInteger(value) ? printCount(value) : printScore(value);
};

type TokenRow = {
  readonly label: string;
  readonly tokens: string;
  /** Dollars; null: the span has no price of its own. */
  readonly cost: string | null;
};

/**
 * Tokens of a record by kind, and what each kind cost where the cost follows from a price; empty
 * for records that count no kinds and have no price.
 */
export const tokenRows = (record: AnyRecord): readonly TokenRow[] => {
  const tokens = tokensOfMetrics((name) => metricNumber(record, name));
  const info = ownMember(record.metric_info, 'cost');
  const price = info?.status_type === 'success' ? info.price : undefined;
  const costs = costsByKind(tokens, price ?? { input: 0, output: 0 });
  if (price === undefined && costs.every(({ kind }) => isSide(kind))) return [];
  return costs.map(({ kind, tokens: count, dollars }) => ({
    label: isSide(kind) ? `other ${kind}` : tokenParts[kind].label,
    tokens: printCount(count),
    cost: price === undefined ? null : printCost(dollars),
  }));
};

const isSide = (kind: TokenKind): kind is 'input' | 'output' =>
  kind === 'input' || kind === 'output';

/** Message of a failed step; null: it did not fail, or does not say why. */
export const errorMessage = (
  record: Pick<AnyRecord, 'status_code'> & {
    readonly user_metadata?: Readonly<Record<string, string>>;
  },
): string | null =>
  record.user_metadata?.['error.message'] ??
  ((record.status_code ?? 0) >= 400 ? `Status ${record.status_code}` : null);
