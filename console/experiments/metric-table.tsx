import type {
  AgainstBaseline,
  ComparedExperiment,
  ComparedMetric,
  MetricOfExperiment,
} from '../../clients/typescript/src/generated/experiments-types.js';
import { useView } from '../client/view.js';
import { markedText } from '../parts/text-pieces.js';
import {
  comparedName,
  coverageSentence,
  coverageText,
  intervalText,
  isClear,
  printDifference,
  verdictOf,
  type Comparison,
} from './comparison.js';
import { isDeprecatedMetric, metricLabel, printMetric } from '../parts/metrics.js';
import { comparisonCodec } from './state.js';

type Props = {
  readonly comparison: Comparison;
  readonly judge: ComparedMetric | null;
  readonly isStale: boolean;
};

/** Each metric of each other experiment against the baseline; deprecated ones apart. */
export const MetricTables = (props: Props) => {
  const { metrics, total_rows: total } = props.comparison;
  const deprecated = metrics.filter(({ metric }) => isDeprecatedMetric(metric));
  const current = metrics.filter((metric) => !deprecated.includes(metric));
  const sentence = coverageSentence(metrics, total);
  return (
    <>
      {current.length > 0 && <MetricTable {...props} metrics={current} label="Metrics" />}
      {deprecated.length > 0 && (
        <details open={current.length === 0 || deprecated.some((one) => one === props.judge)}>
          <summary>Deprecated metrics ({deprecated.length})</summary>
          <MetricTable {...props} metrics={deprecated} label="Deprecated metrics" />
        </details>
      )}
      {sentence !== null && <p class="note">{sentence}</p>}
    </>
  );
};

const MetricTable = (
  props: Props & { readonly metrics: readonly ComparedMetric[]; readonly label: string },
) => {
  const { metrics } = props;
  const { experiments, total_rows: total } = props.comparison;
  const [base, ...others] = experiments;
  const isSingle = others.length === 1;
  const baseName = nameOf(base);
  return (
    <div
      class="scroll-x"
      tabIndex={0}
      role="group"
      aria-label={props.label}
      aria-busy={props.isStale}
    >
      <table class="grid-table compared-metrics">
        <thead>
          <tr>
            <th scope="col">Metric</th>
            {!isSingle && <th scope="col">With</th>}
            <th scope="col" class="number">
              {baseName}
            </th>
            <th scope="col" class="number">
              {isSingle ? nameOf(others[0]) : 'Other'}
            </th>
            <th scope="col" class="number">
              Difference
            </th>
            <th scope="col">95 % interval</th>
            <th scope="col" class="number">
              Rows
            </th>
            <th scope="col" class="number">
              Won
            </th>
            <th scope="col" class="number">
              Tied
            </th>
            <th scope="col" class="number">
              Lost
            </th>
          </tr>
        </thead>
        <tbody>
          {metrics.flatMap((metric) =>
            others.map((other) => (
              <MetricRow
                key={`${metric.metric} ${other.experiment_id}`}
                metric={metric}
                of={metric.experiments.find((one) => one.experiment_id === other.experiment_id)}
                name={isSingle ? null : comparedName(other)}
                baseName={baseName}
                otherName={isSingle ? nameOf(other) : 'Other'}
                isJudge={metric === props.judge}
                total={total}
              />
            )),
          )}
        </tbody>
      </table>
    </div>
  );
};

const nameOf = (experiment: ComparedExperiment | undefined): string =>
  experiment === undefined ? 'Baseline' : markedText(comparedName(experiment));

const MetricRow = (props: {
  readonly metric: ComparedMetric;
  readonly of: MetricOfExperiment | undefined;
  /** Null where there is one other. */
  readonly name: string | null;
  readonly baseName: string;
  readonly otherName: string;
  readonly isJudge: boolean;
  /** Rows that some of the experiments have. */
  readonly total: number;
}) => {
  const [, change] = useView(comparisonCodec);
  const { metric, of } = props;
  const against = of?.against_baseline ?? null;
  const [base] = metric.experiments;
  return (
    <tr class={props.isJudge ? 'judging' : undefined}>
      <th scope="row">
        <button
          type="button"
          class="metric-choice"
          aria-pressed={props.isJudge}
          title="Judge rows by this metric"
          onClick={() => change({ metric: metric.metric, row: '' })}
        >
          {markedText(metricLabel(metric.metric))} {metric.direction === 'higher' ? '↑' : '↓'}
        </button>
      </th>
      {props.name !== null && <td data-label="With">{markedText(props.name)}</td>}
      <td class="number" data-label={props.baseName}>
        {meanText(metric, base)}
      </td>
      <td class="number" data-label={props.otherName}>
        {meanText(metric, of)}
      </td>
      {against !== null && <AgainstCells metric={metric} against={against} total={props.total} />}
    </tr>
  );
};

const meanText = (metric: ComparedMetric, of: MetricOfExperiment | undefined): string =>
  of?.mean == null ? '–' : printMetric(metric.metric, of.mean, metric.type === 'boolean');

const AgainstCells = (props: {
  readonly metric: ComparedMetric;
  readonly against: AgainstBaseline;
  readonly total: number;
}) => {
  const { metric, against } = props;
  const difference = against.mean_difference;
  const text = difference === null ? '–' : printDifference(metric, difference);
  const verdict = verdictOf(against, metric.direction);
  const interval = intervalText(metric, against);
  return (
    <>
      <td class={`number ${verdict ?? ''}`} data-label="Difference">
        {isClear(against) ? <strong title="The interval is without 0">{text}</strong> : text}
      </td>
      <td data-label="95 % interval">
        <span class="interval">
          <IntervalBar against={against} verdict={verdict} />
          {isClear(against) ? <strong>{interval}</strong> : <span class="muted">{interval}</span>}
        </span>
      </td>
      <td class="number" data-label="Rows">
        {coverageText(against, props.total)}
      </td>
      <td class="number" data-label="Won">
        {against.wins.toLocaleString('en')}
      </td>
      <td class="number" data-label="Tied">
        {against.ties.toLocaleString('en')}
      </td>
      <td class="number" data-label="Lost">
        {against.losses.toLocaleString('en')}
      </td>
    </>
  );
};

const barWidth = 120;

/** The interval on an axis with 0 in its middle. */
const IntervalBar = (props: {
  readonly against: AgainstBaseline;
  readonly verdict: 'good' | 'bad' | null;
}) => {
  const { confidence_interval: interval, mean_difference: mean } = props.against;
  if (interval === null || mean === null) return null;
  const { lower, upper } = interval;
  const size = Math.max(Math.abs(lower), Math.abs(upper)) || 1;
  const at = (value: number): number => ((value / size) * 0.46 + 0.5) * barWidth;
  return (
    <svg
      class={`interval-bar ${props.verdict ?? ''}`}
      viewBox={`0 0 ${barWidth} 12`}
      aria-hidden="true"
    >
      <line x1={barWidth / 2} x2={barWidth / 2} y1="0" y2="12" class="axis" />
      <line x1={at(lower)} x2={at(upper)} y1="6" y2="6" />
      <line x1={at(lower)} x2={at(lower)} y1="3" y2="9" />
      <line x1={at(upper)} x2={at(upper)} y1="3" y2="9" />
      <circle cx={at(mean)} cy="6" r="3" />
    </svg>
  );
};
