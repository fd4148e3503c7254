import type { Column } from '../../clients/typescript/src/generated/traces-types.js';
import type { ChartBucket, ChartSeries, ChartThreshold } from '../parts/chart-scale.js';
import { printCost, printCount, printDuration, printScore, printShare } from '../parts/numbers.js';
import {
  bucketsOf,
  changeOf,
  countOf,
  groupSeries,
  measureOf,
  seriesOf,
  sharesOf,
  type ShownMetric,
} from './model.js';
import type { OverviewAnswer } from './questions.js';

/** One chart with its headline. */
export type OverviewCard = {
  readonly key: string;
  readonly title: string;
  readonly figures: readonly string[];
  /** Change since the window before; null: nothing to compare with. */
  readonly change: string | null;
  /** The level of a metric by its thresholds, in a word; null: none. */
  readonly level: string | null;
  readonly thresholds: readonly ChartThreshold[];
  readonly kind: 'lines' | 'bars';
  readonly series: readonly ChartSeries[];
  readonly format: (value: number) => string;
};

const printed = (value: number | null, print: (value: number) => string): string =>
  value === null ? '–' : print(value);

const percent = (change: number | null): string | null => {
  if (change === null) return null;
  const size = Math.round(change * 100);
  return `${size > 0 ? '+' : ''}${size} %`;
};

/** The charts of an answer, in their order: counts, errors, latency, cost, tokens, metrics. */
export const cardsOf = (
  answer: OverviewAnswer,
  metrics: readonly ShownMetric[],
  columns: readonly Column[],
): readonly OverviewCard[] => {
  const buckets = bucketsOf(answer.window, answer.minutes);
  const usual = answer.groups === null ? usualCards(answer, buckets) : groupCards(answer, buckets);
  const own = metrics.map((metric) => metricCard(answer, buckets, metric, columns));
  // Metrics of traces have no values where spans are counted, as by model.
  return [...usual, ...own.filter(({ series }) => answer.groups === null || hasValues(series))];
};

const hasValues = (series: readonly ChartSeries[]): boolean =>
  series.some(({ values }) => values.some((value) => value !== null));

type UsualKey = 'count' | 'errors' | 'latency' | 'cost' | 'tokens';
type Head = Omit<OverviewCard, 'series' | 'kind' | 'level' | 'thresholds'>;

/** System metrics have no levels. */
const noLevels = { level: null, thresholds: [] } as const;

/** Headlines over all records; groups share them. */
const headsOf = ({ all, errors, before, errorsBefore }: OverviewAnswer): Record<UsualKey, Head> => {
  const [now, then] = [all.aggregate_metrics, before.aggregate_metrics];
  const count = countOf(all);
  const total = (measure: string): number | null => measureOf(now, measure);
  const change = (measure: string): string | null =>
    percent(changeOf(total(measure), measureOf(then, measure)));
  const share = now[count] === 0 ? null : errors.aggregate_metrics[count] / now[count];
  const shareBefore =
    then[count] === 0 ? null : errorsBefore.aggregate_metrics[count] / then[count];
  return {
    count: {
      key: 'count',
      title: count === 'span_count' ? 'Spans' : 'Traces',
      figures: [printCount(now[count])],
      change: change(count),
      format: printCount,
    },
    errors: {
      key: 'errors',
      title: 'Errors',
      figures: [printed(share, printShare)],
      change: share === null || shareBefore === null ? null : points(share - shareBefore),
      format: printShare,
    },
    latency: {
      key: 'latency',
      title: 'Latency p50 p95 p99',
      figures: ['p50', 'p95', 'p99'].map((measure) => printed(total(measure), printDuration)),
      change: change('p95'),
      format: printDuration,
    },
    cost: {
      key: 'cost',
      title: 'Cost',
      figures: [printed(total('cost'), printCost)],
      change: change('cost'),
      format: printCost,
    },
    tokens: {
      key: 'tokens',
      title: 'Tokens in, out',
      figures: ['input', 'output'].map((measure) => printed(total(measure), printCount)),
      change: change('tokens'),
      format: printCount,
    },
  };
};

/** Change of a share in points of a hundred. */
const points = (change: number): string => `${change > 0 ? '+' : ''}${(change * 100).toFixed(1)}`;

const usualCards = (
  answer: OverviewAnswer,
  buckets: readonly ChartBucket[],
): readonly OverviewCard[] => {
  const heads = headsOf(answer);
  const filled = answer.all.bucketed_metrics['all'] ?? [];
  const failed = answer.errors.bucketed_metrics['all'] ?? [];
  const count = countOf(answer.all);
  const line = (label: string, measure: string, kind: 'count' | 'metric'): ChartSeries => ({
    label,
    values: seriesOf(filled, buckets, measure, kind),
  });
  const all = line(heads.count.title, count, 'count');
  const shares = sharesOf(seriesOf(failed, buckets, count, 'count'), all.values);
  const card = (
    key: UsualKey,
    kind: OverviewCard['kind'],
    series: readonly ChartSeries[],
  ): OverviewCard => ({ ...heads[key], ...noLevels, kind, series });
  return [
    card('count', 'bars', [all]),
    card('errors', 'bars', [{ label: 'Errors', values: shares }]),
    card(
      'latency',
      'lines',
      ['p50', 'p95', 'p99'].map((measure) => line(measure, measure, 'metric')),
    ),
    card('cost', 'bars', [line('Cost', 'cost', 'count')]),
    card('tokens', 'lines', [line('in', 'input', 'count'), line('out', 'output', 'count')]),
  ];
};

const groupCards = (
  answer: OverviewAnswer,
  buckets: readonly ChartBucket[],
): readonly OverviewCard[] => {
  const { groups, groupErrors } = answer;
  if (groups === null || groupErrors === null) return [];
  const heads = headsOf(answer);
  const count = countOf(groups);
  const lines = (measure: string, kind: 'count' | 'metric'): readonly ChartSeries[] =>
    groupSeries(groups, buckets, measure, kind);
  const counts = lines(count, 'count');
  const failed = new Map(
    Object.entries(groupErrors.bucketed_metrics).map(([value, filled]) => [
      value === '' ? 'without a value' : value,
      seriesOf(filled, buckets, count, 'count'),
    ]),
  );
  const shares = counts.map(({ label, values }) => ({
    label,
    values: sharesOf(failed.get(label) ?? [], values),
  }));
  const card = (key: UsualKey, title: string, series: readonly ChartSeries[]): OverviewCard => ({
    ...heads[key],
    title,
    ...noLevels,
    kind: 'lines',
    series,
  });
  return [
    card('count', heads.count.title, counts),
    card('errors', 'Errors', shares),
    card('latency', 'Latency p50 p95 p99, lines of p95', lines('p95', 'metric')),
    card('cost', 'Cost', lines('cost', 'count')),
    card('tokens', 'Tokens in, out, lines of both', lines('tokens', 'count')),
  ];
};

const metricCard = (
  { all, before, groups }: OverviewAnswer,
  buckets: readonly ChartBucket[],
  { id, label, aggregation }: ShownMetric,
  columns: readonly Column[],
): OverviewCard => {
  const now = measureOf(all.aggregate_metrics, id);
  const isShare = aggregation === 'PercentageTrue';
  const format = isShare ? printShare : printScore;
  const values = seriesOf(all.bucketed_metrics['all'] ?? [], buckets, id, 'metric');
  const then = measureOf(before.aggregate_metrics, id);
  const column = columns.find((one) => one.id === id);
  const shareChange = now === null || then === null ? null : points(now - then);
  return {
    key: id,
    title: isShare ? label : `${label}, average`,
    figures: [printed(now, format)],
    change: isShare ? shareChange : percent(changeOf(now, then)),
    level: levelOf(column, now),
    thresholds: thresholdsOf(column),
    kind: 'lines',
    series: groups === null ? [{ label, values }] : groupSeries(groups, buckets, id, 'metric'),
    format,
  };
};

/** The word of a metric's level: the number of thresholds that are not greater than the value. */
const levelOf = (column: Column | undefined, value: number | null): string | null => {
  const threshold = column?.threshold;
  if (threshold === undefined || value === null) return null;
  const level = threshold.buckets.filter((one) => one <= value).length;
  return threshold.display_value_levels[level] ?? null;
};

/** The thresholds of a metric, each with the word of the level that begins there. */
const thresholdsOf = (column: Column | undefined): readonly ChartThreshold[] => {
  const { buckets = [], display_value_levels: levels = [] } = column?.threshold ?? {};
  return buckets.map((value, index) => ({ value, word: levels[index + 1] ?? '' }));
};
