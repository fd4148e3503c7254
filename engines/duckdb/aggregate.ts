import type { DuckDBValue } from '@duckdb/node-api';
import { measuredColumn } from '../../kernel/records/column-value.js';
import { bucketBounds } from '../../kernel/records/time-buckets.js';
import { byCodePoint, codePointCount } from '../../kernel/code-points.js';
import {
  answeredValuesMax,
  answeredValuesPerCell,
  groupName,
  groupsMax,
  groupValueCharactersMax,
  measuredMetrics,
  type Aggregate,
  type AggregateCell,
  type AggregateGroup,
  type AggregatePlan,
  type AggregateRefusal,
  type GroupValue,
  type Widget,
  type WidgetResult,
} from '../../kernel/records/query-plans.js';
import type { MetricError } from '../../kernel/records/record.js';
import type { QueryContext } from '../../kernel/ports.js';
import type { Rows } from './connections.js';
import {
  groupKeyNames,
  groupedRowsSql,
  groupValuesOf,
  type AggregateQuery,
} from './grouped-rows.js';
import {
  countCategories,
  cellKey,
  checkCategoryLimit,
  type CountedCategories,
} from './category-counts.js';
import { countHistograms, histogramIn, type CountedHistograms } from './histogram-counts.js';
import { readGroupColumns, noGroupColumns, type GroupColumns } from './group-by.js';
import type { RecordsModel } from './model.js';
import { projectModelOf } from './project-columns.js';
import { integerList } from './sql.js';
import { recordSource } from './record-source.js';
import { isCategorical, isHistogram, widgetMeasures, widgetValues } from './widget-measures.js';

/** `aggregate` in SQL; kernel/records/reference/aggregate.ts is the reference. */
export const aggregate = (
  whole: RecordsModel,
  plan: AggregatePlan,
  context: QueryContext = {},
): Promise<Aggregate | AggregateRefusal> =>
  whole.connections.scan(async (statements) => {
    const model = await projectModelOf(whole, statements, plan.project);
    const columns = await readGroupColumns(model, statements, plan);
    const measures = widgetMeasures(recordSource(model, plan), plan.widgets);
    const inquiry: AggregateQuery = { model, statements, plan, columns, measures };
    const early = await checkGroupsBeforeScan(inquiry);
    if (early !== null) return early;
    const { cells, total } = await measureCells(inquiry);
    const refusal = checkGroups(inquiry, cells) ?? (await checkCategoryLimit(inquiry));
    if (refusal !== null) return refusal;
    const count = cells.length * answeredValuesPerCell(plan.widgets);
    if (count > answeredValuesMax) return { refused: 'values', count };
    const counted = {
      categories: await countCategories(inquiry),
      histograms: await countHistograms(inquiry),
    };
    return {
      total: cellOf(inquiry, total.slice(1), null, counted),
      groups: groupsOf(inquiry, cells, counted),
      errors: await readMetricErrors(inquiry),
    };
  }, context);

type MeasuredCells = { readonly cells: Rows; readonly total: Rows[number] };

/** Measures the cells, and the total over the whole window and all groups, each record once. */
const measureCells = async (inquiry: AggregateQuery): Promise<MeasuredCells> => {
  const { columns } = inquiry;
  if (columns.isMany) {
    const [total = []] = await cellRows(inquiry, noGroupColumns, 'total');
    const cells = await cellRows(inquiry, columns, 'cells');
    return { cells: cells.map((row) => row.slice(1)), total: total.slice(1) };
  }
  // One scan for both: reading and filtering the records is the cost.
  const rows = await cellRows(inquiry, columns, 'both');
  const of = (whole: number): Rows =>
    rows.filter(([level]) => Number(level) === whole).map((row) => row.slice(1));
  return { cells: of(0), total: of(1)[0]?.slice(columns.keys.length) ?? [] };
};

/**
 * Rows of (is the total, groups, bucket, requests, sessions, spans, measures). The total's row
 * exists without records too.
 */
const cellRows = (
  inquiry: AggregateQuery,
  groups: GroupColumns,
  which: 'total' | 'cells' | 'both',
): Promise<Rows> => {
  const { plan, statements } = inquiry;
  const { sql, parameters } = groupedRowsSql(
    inquiry,
    groups,
    (source) => widgetMeasures(source, plan.widgets).values,
  );
  const ofTraces = plan.population === 'trace';
  const counts = [
    ofTraces ? 'count(*)' : 'count(DISTINCT grp)',
    'count(DISTINCT session)',
    ofTraces ? 'coalesce(sum(spans), 0)' : 'count(*)',
  ];
  const cell = [...groupKeyNames(groups), 'b'];
  const keys = which === 'total' ? ['1', 'NULL'] : ['grouping(b)', ...cell];
  const columns = [...keys, ...counts, ...inquiry.measures.measures].join(', ');
  const sets = `(${cell.join(', ')})${which === 'both' ? ', ()' : ''}`;
  const by = which === 'total' ? '' : `GROUP BY GROUPING SETS (${sets})`;
  return statements.rows(`SELECT ${columns} FROM ${sql} ${by}`, parameters);
};

/**
 * Columns that have few and short values: their groups need not be counted before they are built.
 */
const shortValueColumns: ReadonlySet<string> = new Set([
  'model',
  'type',
  'agent_type',
  'finish_reason',
  'check_stage',
  'applies_to',
  'tags',
  'run_id',
]);

/**
 * Checks the number and length of groups before the scan, where both may be as large as the
 * records.
 */
const checkGroupsBeforeScan = async (inquiry: AggregateQuery): Promise<AggregateRefusal | null> => {
  const { columns, statements, plan } = inquiry;
  if (
    plan.groupBy.length <= 1 &&
    plan.groupBy.every(({ column }) => shortValueColumns.has(column))
  ) {
    return null;
  }
  const { sql, parameters } = groupedRowsSql(inquiry, columns, () => []);
  const names = groupKeyNames(columns);
  const texts = names.filter((_, at) => columns.keys[at]?.isText);
  const lengths = texts.map((name) => `length(${name})`).join(', ');
  const longest = texts.length === 0 ? '0' : `coalesce(max(greatest(${lengths})), 0)`;
  const [found] = await statements.rows(
    `SELECT count(*), ${longest} FROM (SELECT DISTINCT ${names.join(', ')} FROM ${sql})`,
    parameters,
  );
  const [groups, length] = [Number(found?.[0]), Number(found?.[1])];
  if (length > groupValueCharactersMax) return { refused: 'long-group-value' };
  return groups > groupsMax ? { refused: 'groups' } : null;
};

const checkGroups = (inquiry: AggregateQuery, cells: Rows): AggregateRefusal | null => {
  const groups = new Map(
    cells.map((row) => groupValuesOf(inquiry, row)).map((values) => [groupName(values), values]),
  );
  const isLong = (value: GroupValue): boolean =>
    codePointCount(String(value)) > groupValueCharactersMax;
  if ([...groups.values()].some((values) => values.some(isLong))) {
    return { refused: 'long-group-value' };
  }
  return groups.size > groupsMax ? { refused: 'groups' } : null;
};

/** Values that are counted by category or bin, apart from the measures. */
type CountedValues = {
  readonly categories: CountedCategories;
  readonly histograms: CountedHistograms;
};

/** Counted value of the widget in the cell, the total for null; undefined: it is measured. */
const countedValue = (
  widget: Widget,
  cell: string | null,
  { categories, histograms }: CountedValues,
): WidgetResult | undefined => {
  if (isCategorical(widget)) return categories.get(measuredColumn(widget))?.get(cell) ?? {};
  return isHistogram(widget) ? histogramIn(histograms, widget, cell) : undefined;
};

const cellOf = (
  { plan, measures }: AggregateQuery,
  measured: readonly DuckDBValue[],
  cell: string | null,
  counted: CountedValues,
): AggregateCell => {
  const [requests, sessions, spans, ...values] = measured;
  return {
    widgets: widgetValues(plan.widgets, measures, values, (widget) =>
      countedValue(widget, cell, counted),
    ),
    requests: Number(requests),
    sessions: Number(sessions),
    spans: Number(spans),
  };
};

const groupsOf = (
  inquiry: AggregateQuery,
  cells: Rows,
  counted: CountedValues,
): readonly AggregateGroup[] => {
  const groups = new Map<
    string,
    { values: readonly GroupValue[]; cells: [bigint, Rows[number]][] }
  >();
  for (const cell of cells) {
    const values = groupValuesOf(inquiry, cell);
    const key = groupName(values);
    const group = groups.get(key) ?? { values, cells: [] };
    const [bucket, ...numbers] = cell.slice(values.length);
    group.cells.push([bucket as bigint, numbers]);
    groups.set(key, group);
  }
  return [...groups]
    .sort(([one], [other]) => byCodePoint(one, other))
    .map(([key, group]) => ({
      key,
      values: group.values,
      buckets: group.cells
        .sort(([one], [other]) => (one < other ? -1 : 1))
        .map(([bucket, numbers]) => ({
          ...bucketBounds(bucket, inquiry.plan),
          ...cellOf(inquiry, numbers, cellKey(key, bucket), counted),
        })),
    }));
};

/**
 * Reads errors of the measured metrics; skips the scan unless a column of such errors has a number.
 */
const readMetricErrors = async ({
  model,
  statements,
  plan,
}: AggregateQuery): Promise<readonly MetricError[]> => {
  const numbers = measuredMetrics(plan.widgets).flatMap(
    (metric) => model.columns.get(`errors/${metric}`) ?? [],
  );
  if (numbers.length === 0) return [];
  const source = recordSource(model, plan);
  const member = plan.population === 'trace' ? 'grp' : 'key';
  const errors = await statements.rows(
    `SELECT f.num, min(f.text) FROM facets f
     WHERE f.col IN (${integerList(numbers)})
       AND f.${member} IN (SELECT r.${member} ${source.fromWhere()})
     GROUP BY f.num ORDER BY f.num`,
    source.parameters,
  );
  return errors.map(([code, message]) => ({
    code: Number(code),
    message: typeof message === 'string' ? message : null,
  }));
};
