import { useRef, useState } from 'preact/hooks';
import type {
  ComparedMetric,
  ComparedRow,
  RowOfExperiment,
} from '../../clients/typescript/src/generated/experiments-types.js';
import { useKeys } from '../client/keys.js';
import { useView } from '../client/view.js';
import { Button } from '../parts/button.js';
import { EmptyNotice, FaultNotice, Skeleton } from '../parts/notice.js';
import { RecordedWord } from '../parts/recorded-text.js';
import { Tabs } from '../parts/tabs.js';
import { markedText } from '../parts/text-pieces.js';
import { useComparedRows } from './compare-questions.js';
import {
  comparedName,
  comparedRowKey,
  outputText,
  printDifference,
  rowCounts,
  type Comparison,
} from './comparison.js';
import { metricLabel, printMetric } from '../parts/metrics.js';
import { RowDetail } from './row-detail.js';
import { comparisonCodec } from './state.js';
import { ownMember } from '../../kernel/own-member.js';

type Props = {
  readonly projectId: string;
  readonly comparison: Comparison;
  readonly judge: ComparedMetric;
};

const groups = [
  { key: 'losses', text: 'regressions', empty: 'No regression' },
  { key: 'wins', text: 'improvements', empty: 'No improvement' },
  { key: 'ties', text: 'same', empty: 'No row is the same' },
  { key: 'missing', text: 'missing', empty: 'No row is missing' },
  { key: 'all', text: 'all', empty: 'No row' },
] as const;

/** Rows by the metric that judges, the largest difference first; one is opened. */
export const ComparedRows = (props: Props) => {
  const { comparison, judge } = props;
  const [view, change] = useView(comparisonCodec);
  const [pages, setPages] = useState(1);
  const rows = useComparedRows(props.projectId, view, judge.metric, pages);
  const counts = rowCounts(comparison, judge);
  const list = rows.value?.rows ?? [];
  const shown = rows.value?.shown ?? 0;
  const empty = groups.find(({ key }) => key === view.rows)?.empty ?? 'No row';
  return (
    <section class="stack" aria-label="Rows">
      <p class="note">
        Rows judged by {markedText(metricLabel(judge.metric))}: a regression is{' '}
        {judge.direction === 'higher' ? 'lower' : 'higher'} than the baseline. Click another metric
        above to judge by it.
      </p>
      <Tabs
        label="Rows by their difference"
        tabs={groups.map(({ key, text }) => {
          const count = counts[key];
          return { key, text: count === null ? text : `${text} ${count.toLocaleString('en')}` };
        })}
        selected={view.rows}
        onSelect={(key) => {
          setPages(1);
          change({ rows: key, row: '' });
        }}
      />
      <FaultNotice fault={rows.fault} onRetry={rows.refetch} />
      {rows.isLoading && <Skeleton />}
      {rows.value !== undefined && list.length === 0 && (
        <EmptyNotice title={`${empty} in ${markedText(metricLabel(judge.metric))}`} />
      )}
      {list.length > 0 && <RowTable {...props} rows={list} isStale={rows.isPrevious} />}
      {list.length < shown && (
        <Button isDisabled={rows.isFetching} onClick={() => setPages(pages + 1)}>
          {`${list.length.toLocaleString('en')} of ${shown.toLocaleString('en')} rows: more`}
        </Button>
      )}
    </section>
  );
};

const RowTable = (
  props: Props & { readonly rows: readonly ComparedRow[]; readonly isStale: boolean },
) => {
  const { comparison, rows } = props;
  const [view, change] = useView(comparisonCodec);
  const table = useRef<HTMLTableElement | null>(null);
  const step = (by: number): void => {
    const at = rows.findIndex((row) => comparedRowKey(row) === view.row);
    const index = at < 0 ? 0 : Math.max(0, Math.min(rows.length - 1, at + by));
    const row = rows[index];
    if (row === undefined) return;
    change({ row: comparedRowKey(row) }, 'replace');
    table.current?.querySelectorAll('tbody[data-row]')[index]?.scrollIntoView({ block: 'nearest' });
  };
  const by = view.by === 'words' ? 'lines' : 'words';
  useKeys(
    [
      { keys: 'n', what: 'Next row', run: () => step(1) },
      { keys: 'p', what: 'Previous row', run: () => step(-1) },
      { keys: 't', what: 'Difference by words or lines', run: () => change({ by }) },
    ],
    [rows, view],
  );
  return (
    <div
      class="scroll-x"
      tabIndex={0}
      role="group"
      aria-label="Compared rows"
      aria-busy={props.isStale}
    >
      <table class="grid-table compared-rows" ref={table}>
        <thead>
          <tr>
            <th scope="col">Row</th>
            <th scope="col">Expected</th>
            {comparison.experiments.map((experiment) => (
              <th key={experiment.experiment_id} scope="col">
                {markedText(comparedName(experiment))}
              </th>
            ))}
          </tr>
        </thead>
        {rows.map((row) => (
          <Row key={comparedRowKey(row)} {...props} row={row} />
        ))}
      </table>
    </div>
  );
};

const Row = (props: Props & { readonly row: ComparedRow }) => {
  const { row, judge, comparison } = props;
  const [view, change] = useView(comparisonCodec);
  const key = comparedRowKey(row);
  const isOpen = view.row === key;
  return (
    <tbody data-row>
      <tr class={isOpen ? 'judging' : undefined}>
        <th scope="row">
          <button
            type="button"
            class="metric-choice"
            aria-expanded={isOpen}
            onClick={() => change({ row: isOpen ? '' : key })}
          >
            <RecordedWord text={row.dataset_input ?? row.row_id ?? 'without input'} />
          </button>
        </th>
        <td data-label="Expected">
          {row.dataset_output !== null && <RecordedWord text={row.dataset_output} />}
        </td>
        {row.experiments.map((one, index) => (
          <td key={one.experiment_id} data-label={nameOf(comparison, index)}>
            <RowValue one={one} judge={judge} />
          </td>
        ))}
      </tr>
      {isOpen && (
        <tr>
          <td colSpan={2 + comparison.experiments.length} class="row-detail">
            <RowDetail projectId={props.projectId} comparison={comparison} row={row} />
          </td>
        </tr>
      )}
    </tbody>
  );
};

const nameOf = ({ experiments }: Comparison, index: number): string => {
  const experiment = experiments[index];
  return experiment === undefined ? '' : markedText(comparedName(experiment));
};

const RowValue = (props: { readonly one: RowOfExperiment; readonly judge: ComparedMetric }) => {
  const { one, judge } = props;
  if (one.trace_id === null) return <span class="warn">no trace</span>;
  const value = ownMember(one.metrics, judge.metric);
  const difference = value?.difference ?? null;
  const isBetter = difference !== null && difference > 0 === (judge.direction === 'higher');
  const time = one.metrics['duration_ns'];
  return (
    <span class="row-value">
      <span class="number">
        <span class="muted">{markedText(metricLabel(judge.metric))} </span>
        {value === undefined
          ? '–'
          : printMetric(judge.metric, value.value, judge.type === 'boolean')}
        {difference !== null && difference !== 0 && (
          <strong class={isBetter ? 'good' : 'bad'}> {printDifference(judge, difference)}</strong>
        )}
        {time !== undefined && judge.metric !== 'duration_ns' && (
          <span class="muted">
            {' '}
            {metricLabel('duration_ns')} {printMetric('duration_ns', time.value, false)}
          </span>
        )}
      </span>
      <span class="row-output">
        <RecordedWord text={outputText(one.output)} />
      </span>
    </span>
  );
};
