import type { CustomSearch } from '../../clients/typescript/src/generated/metrics-types.js';
import { useQuery } from '../client/queries.js';
import type { FilterTree } from '../language/filter-tree.js';
import { HistogramChart } from '../parts/histogram-chart.js';
import { EmptyNotice, FaultNotice, Skeleton } from '../parts/notice.js';
import { printCount } from '../parts/numbers.js';
import { binTree, histogramIn, measuredMetrics, type MeasuredMetric } from './histograms.js';
import type { OverviewWindow, ShownMetric } from './model.js';

type Props = {
  readonly projectId: string;
  readonly bounds: OverviewWindow;
  readonly run: Pick<CustomSearch, 'log_stream_id' | 'experiment_id' | 'metrics_testing_id'>;
  readonly tree: FilterTree | null;
  readonly metrics: readonly ShownMetric[];
  /** Opens the records that also meet the condition. */
  readonly onOpen: (condition: FilterTree) => void;
};

/** How values are distributed over the window: a histogram for each numeric metric. */
export const Distributions = (props: Props) => {
  const { projectId, bounds, run, tree } = props;
  const metrics = measuredMetrics(props.metrics);
  const answer = useQuery({
    key: ['metrics', 'distributions', projectId, bounds, run, tree, metrics.map(({ id }) => id)],
    ask: (operations, signal) =>
      operations.metrics.search(
        {
          project_id: projectId,
          ...run,
          start_time: bounds.from,
          end_time: bounds.to,
          interval_minutes: null,
          filter_tree: tree,
          metric_details: metrics.map(({ id }) => ({
            id,
            metric_name: id,
            aggregation: 'Histogram',
          })),
        },
        { signal },
      ),
    keepsPrevious: true,
  });
  const shown = metrics.flatMap((metric) => {
    const histogram = histogramIn(answer.value?.aggregate_metrics ?? {}, metric.id);
    return histogram === null ? [] : [{ metric, histogram }];
  });
  return (
    <>
      <FaultNotice fault={answer.fault} onRetry={answer.refetch} />
      {answer.isLoading && <Skeleton rows={3} />}
      {answer.value !== undefined && shown.length === 0 && (
        <EmptyNotice title="No metric has a number in this range" />
      )}
      <div class="overview-cards" aria-busy={answer.isPrevious}>
        {shown.map((one) => (
          <Distribution key={one.metric.id} {...one} onOpen={props.onOpen} />
        ))}
      </div>
    </>
  );
};

const Distribution = (props: {
  readonly metric: MeasuredMetric;
  readonly histogram: NonNullable<ReturnType<typeof histogramIn>>;
  readonly onOpen: Props['onOpen'];
}) => {
  const { metric, histogram } = props;
  const values = histogram.counts.reduce((sum, count) => sum + count, 0);
  return (
    <section class="overview-card" aria-label={`${metric.label}, distribution`}>
      <div class="overview-figures">
        <h2>{metric.label}, distribution</h2>
        <span class="note">{printCount(values)} values</span>
      </div>
      <HistogramChart
        label={metric.label}
        histogram={histogram}
        format={metric.format}
        onOpen={(bin) => props.onOpen(binTree(metric.id, histogram, bin))}
      />
    </section>
  );
};
