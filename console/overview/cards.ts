import type { Column } from '../../clients/typescript/src/generated/traces-types.js';
import type { ChartBucket, ChartSeries, ChartThreshold } from '../parts/chart-scale.js';
import { isDeprecatedMetric } from '../parts/metrics.js';
import { printCost, printCount, printDuration, printScore, printShare } from '../parts/numbers.js';
import {
  bucketsOf,
  changeOf,
  countedNoun,
  countOf,
  groupSeries,
  lengthText,
  measureOf,
  seriesOf,
  sharesOf,
  type ShownMetric,
} from './model.js';
import type { OverviewAnswer } from './questions.js';

/** A number of a headline and what it is; null: the title says it. */
type CardFigure = { readonly label: string | null; readonly text: string };
/** A change with its unit and what it is against; `look`: what it means, null: either. */
type CardChange = { readonly text: string; readonly look: 'good' | 'bad' | null };

/** One chart with its headline. */
export type OverviewCard = {
  readonly key: string;
  readonly title: string;
  readonly figures: readonly CardFigure[];
  /** Change since the window before; null: nothing to compare with. */
  readonly change: CardChange | null;
  /** True for a metric that is there for older applications only. */
  readonly isDeprecated: boolean;
  /** The level of a metric by its thresholds, in a word; null: none. */
  readonly level: string | null;
  readonly thresholds: readonly ChartThreshold[];
  readonly kind: 'lines' | 'bars';
  readonly series: readonly ChartSeries[];
  readonly format: (value: number) => string;
  /** Why there is nothing to draw, and how values come; null: there are some. */
  readonly lack: string | null;
};

const printed = (value: number | null, print: (value: number) => string): string =>
  value === null ? '–' : print(value);

const signed = (size: number, text: string): string => `${size > 0 ? '+' : ''}${text}`;

/** A relative change, or with `isShare` one in points of a hundred. */
const changeText = (
  { window: bounds }: OverviewAnswer,
  change: number | null,
  how: { readonly isShare?: boolean; readonly better?: 'higher' | 'lower' | null },
): CardChange | null => {
  if (change === null) return null;
  const isShare = how.isShare === true;
  const size = isShare ? Math.round(change * 1_000) / 10 : Math.round(change * 100);
  const text = isShare ? `${signed(size, size.toFixed(1))} points` : `${signed(size, `${size}`)} %`;
  const isBetter = size > 0 === (how.better === 'higher');
  const look = how.better == null || size === 0 ? null : isBetter ? 'good' : 'bad';
  const word = look === null ? '' : look === 'good' ? ', better' : ', worse';
  return { text: `${text} vs ${lengthText(bounds)} before${word}`, look };
};

/** The charts of an answer, in their order: counts, errors, latency, cost, tokens, metrics. */
export const cardsOf = (
  answer: OverviewAnswer,
  metrics: readonly ShownMetric[],
  columns: readonly Column[],
): readonly OverviewCard[] => {
  const buckets = bucketsOf(answer.window, answer.minutes);
  const usual = answer.isGrouped ? groupCards(answer, buckets) : usualCards(answer, buckets);
  const own = metrics.map((metric) => metricCard(answer, buckets, metric, columns));
  // Metrics of traces have no values where spans are counted, as by model.
  return [...usual, ...own.filter(({ series }) => !answer.isGrouped || hasValues(series))];
};

/** Metrics that the records of a grouped answer lack, as traces alone have them. */
export const lackedMetrics = (
  { all, isGrouped }: OverviewAnswer,
  metrics: readonly ShownMetric[],
): readonly ShownMetric[] =>
  isGrouped && all.population === 'spans'
    ? metrics.filter(
        ({ id }) => measureOf(all.aggregate_metrics, id) === null && !isDeprecatedMetric(id),
      )
    : [];

const hasValues = (series: readonly ChartSeries[]): boolean =>
  series.some(({ values }) => values.some((value) => value !== null));

type UsualKey = 'count' | 'errors' | 'latency' | 'cost' | 'tokens';
type Head = Omit<OverviewCard, 'series' | 'kind' | 'level' | 'thresholds' | 'isDeprecated'>;

/** System metrics have no levels. */
const noLevels = { level: null, thresholds: [], isDeprecated: false } as const;

/** Headlines over all counted records. */
const headsOf = (answer: OverviewAnswer): Record<UsualKey, Head> => {
  const { all, errors, before, errorsBefore } = answer;
  const [now, then] = [all.aggregate_metrics, before.aggregate_metrics];
  const count = countOf(all);
  const total = (measure: string): number | null => measureOf(now, measure);
  const change = (measure: string, better: 'lower' | null = null): CardChange | null =>
    changeText(answer, changeOf(total(measure), measureOf(then, measure)), { better });
  const share = now[count] === 0 ? null : errors.aggregate_metrics[count] / now[count];
  const shareBefore =
    then[count] === 0 ? null : errorsBefore.aggregate_metrics[count] / then[count];
  const points = share === null || shareBefore === null ? null : share - shareBefore;
  const single = (text: string): readonly CardFigure[] => [{ label: null, text }];
  const figure = (label: string, measure: string, print: typeof printCount): CardFigure => ({
    label,
    text: printed(total(measure), print),
  });
  const lackOf = (measure: string, text: string): string | null =>
    total(measure) === null ? text : null;
  return {
    count: {
      key: 'count',
      title: countedNoun(all),
      figures: single(printCount(now[count])),
      change: change(count),
      format: printCount,
      lack: null,
    },
    errors: {
      key: 'errors',
      title: 'Errors',
      figures: single(printed(share, printShare)),
      change: changeText(answer, points, { isShare: true, better: 'lower' }),
      format: printShare,
      lack: null,
    },
    latency: {
      key: 'latency',
      title: 'Duration',
      figures: ['p50', 'p95', 'p99'].map((name) => figure(name, name, printDuration)),
      change: change('p95', 'lower'),
      format: printDuration,
      lack: lackOf('p95', 'None here says how long it took: send the metric duration_ns.'),
    },
    cost: {
      key: 'cost',
      title: 'Cost',
      figures: single(printed(total('cost'), printCost)),
      change: change('cost'),
      format: printCost,
      lack: lackOf(
        'cost',
        'None here has a cost: send the metric cost, or set prices in Settings.',
      ),
    },
    tokens: {
      key: 'tokens',
      title: 'Tokens',
      figures: [figure('in', 'input', printCount), figure('out', 'output', printCount)],
      change: change('tokens'),
      format: printCount,
      lack: lackOf('tokens', 'None here has tokens: send the metric num_input_tokens.'),
    },
  };
};

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
  const { all: groups, errors: groupErrors } = answer;
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
    card('errors', `Errors of ${heads.count.title}`, shares),
    card('latency', 'Duration, lines of p95', lines('p95', 'metric')),
    card('cost', 'Cost', lines('cost', 'count')),
    card('tokens', 'Tokens, lines of both', lines('tokens', 'count')),
  ];
};

const metricCard = (
  answer: OverviewAnswer,
  buckets: readonly ChartBucket[],
  { id, label, aggregation }: ShownMetric,
  columns: readonly Column[],
): OverviewCard => {
  const { all, before, isGrouped } = answer;
  const now = measureOf(all.aggregate_metrics, id);
  const isShare = aggregation === 'PercentageTrue';
  const format = isShare ? printShare : printScore;
  const values = seriesOf(all.bucketed_metrics['all'] ?? [], buckets, id, 'metric');
  const then = measureOf(before.aggregate_metrics, id);
  const column = columns.find((one) => one.id === id);
  const inverted = column?.threshold?.inverted;
  const better = inverted === undefined ? null : inverted ? 'lower' : 'higher';
  const points = now === null || then === null ? null : now - then;
  const change = isShare ? points : changeOf(now, then);
  return {
    key: id,
    title: isShare ? label : `${label}, average`,
    figures: [{ label: null, text: printed(now, format) }],
    change: changeText(answer, change, { isShare, better }),
    level: levelOf(column, now),
    thresholds: thresholdsOf(column),
    isDeprecated: isDeprecatedMetric(id),
    kind: 'lines',
    series: isGrouped ? groupSeries(all, buckets, id, 'metric') : [{ label, values }],
    format,
    lack: now === null ? 'None here has a value.' : null,
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
