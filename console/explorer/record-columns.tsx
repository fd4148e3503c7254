import type { ComponentChildren } from 'preact';
import type { Column } from '../../clients/typescript/src/generated/traces-types.js';
import { useSurroundings } from '../client/context.js';
import { addressCodec, textMember } from '../parts/address.js';
import type { GridColumn } from '../parts/data-grid.js';
import { instantFigure, type InstantScale } from '../parts/instants.js';
import { listMembers, type RecordList } from '../parts/record-scope.js';
import { cellText, cellValue, type ExploredRecord } from './cell-text.js';
import { columnWidth, isNumeric } from './model.js';

/** Path of the page that shows a record; a span is shown in its trace. */
export const recordPath = (projectId: string, record: ExploredRecord): string => {
  if (record.type === 'session') return `/p/${projectId}/sessions/${record.id}`;
  return `/p/${projectId}/traces/${record.trace_id ?? record.id}`;
};

const openedCodec = addressCodec<RecordList & { readonly sel: string }>({
  ...listMembers,
  sel: textMember(),
});

/** View of that page: the span that is selected in it, and the list that it is opened from. */
export const recordView = (
  record: ExploredRecord,
  list: Pick<RecordList, 't' | 'f' | 'run' | 'sort'>,
  row: number,
): string => {
  if (record.type === 'session') return '';
  const { t, f, run, sort } = list;
  const isTrace = record.type === 'trace';
  const from = isTrace ? 'traces' : 'spans';
  return openedCodec.write({ t, f, run, sort, from, row, sel: isTrace ? '' : record.id });
};

/** The zone that the person chose, and the time. */
export const useInstantScale = (): InstantScale => {
  const { appearance, clock } = useSurroundings();
  return { nowMs: clock.now(), zone: appearance.zone.value };
};

/** Columns that the cards of narrow screens have. */
const primaryColumns = [
  'created_at',
  'type',
  'name',
  'input',
  'output',
  'status_code',
  'metrics/duration_ns',
];

/** Columns of the grid: values by type, levels by threshold, failed evaluations with reason. */
export const gridColumns = (
  columns: readonly Column[],
  hrefOf: (record: ExploredRecord) => string,
  scale: InstantScale,
): readonly GridColumn<ExploredRecord>[] =>
  columns.map((column, index) => ({
    id: column.id,
    label: column.label,
    width: columnWidth(column),
    isNumber: isNumeric(column),
    isSortable: column.sortable,
    isPrimary: primaryColumns.includes(column.id) || index === 0,
    cell: (record) => {
      const content = <Cell record={record} column={column} scale={scale} />;
      if (index !== 0 && column.id !== 'name') return content;
      return (
        <a tabIndex={-1} href={hrefOf(record)}>
          {content}
        </a>
      );
    },
  }));

const Cell = (props: {
  readonly record: ExploredRecord;
  readonly column: Column;
  readonly scale: InstantScale;
}): ComponentChildren => {
  const { column } = props;
  const { value, error } = cellValue(props.record, column);
  if (error !== null) {
    return (
      <span class="bad" title={error}>
        <span aria-hidden="true">⚠ </span>
        <span class="visually-hidden">Failed: </span>
        {cellText(value, column) ?? error}
      </span>
    );
  }
  if (column.data_type === 'timestamp' && typeof value === 'string') {
    const figure = instantFigure(value, props.scale);
    return <span title={figure?.title}>{figure?.text ?? value}</span>;
  }
  const text = cellText(value, column);
  if (text === null) return <span class="muted">–</span>;
  if (column.id === 'status_code' && Number(value) >= 400) {
    return (
      <span class="bad">
        <span aria-hidden="true">⚠ </span>
        {text}
      </span>
    );
  }
  const level = levelOf(value, column);
  if (level === null) return text;
  return (
    <span class={level.look} title={level.name}>
      {text} <span class="note">{level.name}</span>
    </span>
  );
};

/** The level of a value between the thresholds of its metric (contract 3.2). */
const levelOf = (value: unknown, { threshold }: Column) => {
  if (threshold === undefined || typeof value !== 'number') return null;
  const { buckets, display_value_levels: levels, inverted } = threshold;
  const level = buckets.filter((bucket) => bucket <= value).length;
  const badness = inverted ? level : buckets.length - level;
  const look = badness === 0 ? '' : badness === buckets.length ? 'bad' : 'warn';
  return { name: levels[level] ?? '', look };
};
