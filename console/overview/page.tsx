import { useEffect, useRef } from 'preact/hooks';
import type { Column } from '../../clients/typescript/src/generated/traces-types.js';
import { useSurroundings } from '../client/context.js';
import { useColumnsQuery } from '../client/filter-context.js';
import { useKeys } from '../client/keys.js';
import { useQuery, type Query } from '../client/queries.js';
import { useScopeFields } from '../client/scope-fields.js';
import { useView } from '../client/view.js';
import { NewestRecord } from '../explorer/newest-record.js';
import { useBounds, withFilter, type RecordQuestion } from '../explorer/questions.js';
import type { FilterTree } from '../language/filter-tree.js';
import { Button } from '../parts/button.js';
import { Select } from '../parts/field.js';
import { PageHeading } from '../parts/heading.js';
import { BehindNotice, EmptyNotice, FaultNotice, Skeleton } from '../parts/notice.js';
import type { PageProps } from '../parts/page.js';
import type { TimeRange } from '../parts/address.js';
import { allRuns, runSelector, windowOf } from '../parts/record-scope.js';
import { useSavedViews } from '../views/saved-views.js';
import { Answer } from './answer.js';
import {
  groupChoices,
  intervalsFrom,
  refreshMs,
  shownMetrics,
  widgetsOf,
  type OverviewWindow,
} from './model.js';
import { askOverview, type OverviewAnswer } from './questions.js';
import { overviewCodec, type OverviewView } from './state.js';
import { useScope } from './use-scope.js';

/** How is it going? Counts, errors, latency, cost, tokens and metrics of a project over time. */
export const Page = ({ params }: PageProps) => {
  const projectId = params['project_id'] ?? '';
  const [view, change] = useView(overviewCodec);
  const setRange = useRangeStack(view.t, (t) => change({ t }));
  const fields = useScopeFields({
    projectId,
    population: 'trace',
    view,
    isOfStreams: true,
    onChange: (part) => (part.t === undefined ? change(part) : setRange.push(part.t)),
  });
  const views = useSavedViews({ projectId, page: 'overview' });
  const ofTraces = useColumnsQuery(projectId, 'trace', true);
  const ofSpans = useColumnsQuery(projectId, 'span', true);
  const [traceColumns, spanColumns] = [ofTraces.value?.columns, ofSpans.value?.columns];
  const columns = [...(traceColumns ?? []), ...(spanColumns ?? [])];
  const metrics = shownMetrics(traceColumns ?? []);
  const scope = useScope(projectId, view.run, fields.tree);
  const isReady = traceColumns !== undefined && spanColumns !== undefined && scope !== undefined;
  const { run, tree } = scope ?? { run: '', tree: null };
  const records = { project_id: projectId, ...runSelector(run) };
  const overview = useOverview(projectId, view, {
    isReady,
    run,
    filter: tree,
    widgets: widgetsOf(metrics),
  });
  const failed = [overview, ofTraces, ofSpans].find(({ fault }) => fault !== null);
  const count = overview.value?.all.aggregate_metrics.requests_count;
  useOverviewKeys(view, {
    refetch: overview.refetch,
    back: setRange.back,
    toggle: (show) => change({ show: view.show === show ? 'charts' : show }, 'replace'),
  });
  return (
    <>
      <Head {...{ view, columns, fields }} onChange={change} />
      {fields.filter(views.button)}
      {views.dialog}
      <FaultNotice fault={failed?.fault ?? null} onRetry={failed?.refetch ?? overview.refetch} />
      <BehindNotice isBehind={overview.isBehind} />
      {overview.isLoading && <Skeleton />}
      {count === 0 && overview.value !== undefined && (
        <Nothing
          view={view}
          records={withFilter(records, scope?.runs ?? null)}
          range={overview.value.window}
          hasOtherRuns={scope?.hasOthers === true}
          onRange={setRange.push}
          onAllRuns={() => change({ run: allRuns })}
        />
      )}
      {overview.value !== undefined && count !== 0 && (
        <Answer
          projectId={projectId}
          view={view}
          answer={overview.value}
          isStale={overview.isPrevious}
          run={run}
          tree={tree}
          me={fields.context.me}
          metrics={metrics}
          columns={columns}
          onRange={setRange.push}
        />
      )}
    </>
  );
};

const useOverviewKeys = (
  { show, t }: OverviewView,
  run: Readonly<Record<'refetch' | 'back', () => void>> & {
    readonly toggle: (show: OverviewView['show']) => void;
  },
): void =>
  useKeys(
    [
      { keys: '.', what: 'Ask again', run: run.refetch },
      { keys: 'z', what: 'Range before', run: run.back },
      { keys: 'd', what: 'Charts as tables', run: () => run.toggle('tables') },
      { keys: 'h', what: 'Distributions', run: () => run.toggle('distributions') },
    ],
    [show, t],
  );

const Head = (props: {
  readonly view: OverviewView;
  readonly columns: readonly Column[];
  readonly fields: Pick<ReturnType<typeof useScopeFields>, 'run' | 'range'>;
  readonly onChange: (change: Partial<OverviewView>) => void;
}) => {
  const { view, fields } = props;
  return (
    <div class="overview-head">
      <PageHeading title="Overview">
        {typeof view.t === 'string' && <span class="note">live</span>}
      </PageHeading>
      {fields.run}
      <Select
        label="By"
        value={view.by ?? ''}
        choices={[{ value: '', text: 'no groups' }, ...groupChoices(props.columns)]}
        onChange={(by) => props.onChange({ by: by === '' ? null : by })}
      />
      <Select
        label="Show"
        value={view.show}
        choices={[
          { value: 'charts', text: 'charts' },
          { value: 'tables', text: 'tables' },
          { value: 'distributions', text: 'distributions' },
        ]}
        onChange={(show) => props.onChange({ show })}
      />
      {fields.range}
    </div>
  );
};

/** The answer for the view; it is asked once the columns are known, which name the metrics. */
const useOverview = (
  projectId: string,
  view: OverviewView,
  options: {
    readonly isReady: boolean;
    readonly run: string;
    readonly filter: FilterTree | null;
    readonly widgets: ReturnType<typeof widgetsOf>;
  },
): Query<OverviewAnswer> => {
  const { service } = useSurroundings();
  const { isReady, filter, widgets } = options;
  const run = runSelector(options.run) ?? {};
  const bounds = useBounds(
    'trace',
    { project_id: projectId, ...run },
    {
      isEnabled: view.t === 'all',
    },
  );
  const isBounded = view.t !== 'all' || bounds.value !== undefined;
  const [minutes = 1] = intervalsFrom(windowNow(view.t, service.now(), bounds.value));
  return useQuery({
    key: ['metrics', 'overview', projectId, view.t, run, filter, view.by, widgets, bounds.value],
    ask: (operations, signal) => {
      const window = windowNow(view.t, service.now(), bounds.value);
      const question = { projectId, window, run, filter, widgets, by: view.by };
      return askOverview(operations, question, signal);
    },
    isEnabled: isReady && isBounded,
    everyMs: typeof view.t === 'string' ? refreshMs(minutes) : false,
    keepsPrevious: true,
  });
};

type Bounds = { readonly fromMs: number; readonly toMs: number };

/** The window of a range at this time; `bounds`: those of all records, for all time. */
const windowNow = (range: TimeRange, now: number, bounds?: Bounds | null): OverviewWindow => {
  const { start_time, end_time } = windowOf(range, now);
  const { fromMs, toMs } = bounds ?? { fromMs: now - 1, toMs: now };
  return {
    from: start_time ?? new Date(fromMs).toISOString(),
    to: end_time ?? new Date(toMs + 1).toISOString(),
  };
};

/** Ranges that were chosen on this page, so that `z` goes back through them. */
const useRangeStack = (range: TimeRange, change: (range: TimeRange) => void) => {
  const earlier = useRef<readonly TimeRange[]>([]);
  return {
    push: (next: TimeRange): void => {
      earlier.current = [...earlier.current, range];
      change(next);
    },
    back: (): void => {
      const last = earlier.current.at(-1);
      if (last === undefined) return;
      earlier.current = earlier.current.slice(0, -1);
      change(last);
    },
  };
};

/** Without any trace the project begins with the first run; else the range or filter is empty. */
const Nothing = (props: {
  readonly view: OverviewView;
  /** The records of all times and values. */
  readonly records: RecordQuestion;
  readonly range: OverviewWindow;
  readonly hasOtherRuns: boolean;
  readonly onRange: (range: TimeRange) => void;
  readonly onAllRuns: () => void;
}) => {
  const { navigation } = useSurroundings();
  const { view, records, range } = props;
  const bounds = useBounds('trace', records, { isEnabled: true });
  const isUnused = bounds.value === null && Object.keys(records).length === 1;
  useEffect(() => {
    if (isUnused) navigation.go(`/p/${records.project_id}/start`, '', 'replace');
  }, [isUnused]);
  if (bounds.value === undefined || isUnused) return null;
  const newest = bounds.value?.toMs ?? null;
  const showOthers = props.hasOtherRuns && (
    <Button onClick={props.onAllRuns}>Show experiments too</Button>
  );
  if (newest === null) {
    return (
      <EmptyNotice title="Nothing is recorded here yet">
        <a href={navigation.href(`/p/${records.project_id}/start`)}>Send a first trace</a>
        {showOthers}
      </EmptyNotice>
    );
  }
  const [from, to] = [Date.parse(range.from), Date.parse(range.to)];
  const isOutside = newest < from || newest > to;
  const isWhole = view.f === '' && view.by === null;
  return (
    <EmptyNotice
      title={
        isOutside || isWhole
          ? 'Nothing was recorded in this range'
          : 'Nothing in this range matches the filter and grouping'
      }
    >
      {isOutside && <NewestRecord at={newest} onRange={props.onRange} />}
      {view.t !== 'all' && <Button onClick={() => props.onRange('all')}>Show all time</Button>}
      {showOthers}
    </EmptyNotice>
  );
};
