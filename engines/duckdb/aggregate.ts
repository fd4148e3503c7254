import type { DuckDBValue } from '@duckdb/node-api';
import { bucketBounds } from '../../kernel/records/buckets.js';
import { byCodePoint, codePoints } from '../../kernel/code-points.js';
import {
  answeredValuesMax,
  categoriesMax,
  groupsMax,
  groupValueCharactersMax,
  type Aggregate,
  type AggregateCell,
  type AggregateGroup,
  type AggregatePlan,
  type AggregateRefusal,
} from '../../kernel/records/questions.js';
import type { MetricError } from '../../kernel/records/record.js';
import type { Asking } from '../../kernel/ports.js';
import type { Rows, Statements } from './connections.js';
import { groupOf, groupSql, type GroupColumn } from './group.js';
import type { RecordsModel } from './model.js';
import { inProject, type Scoped } from './named-columns.js';
import { bigintConstant, integers } from './sql.js';
import { sourceOf } from './source.js';
import { isCategorical, measuresOf, widgetValues, type Measures } from './widgets.js';

/** As `aggregate` of kernel/records/reference/aggregate.ts, which is the reference. */
export const aggregate = (
  whole: RecordsModel,
  plan: AggregatePlan,
  asking: Asking = {},
): Promise<Aggregate | AggregateRefusal> =>
  whole.connections.scan(async (statements) => {
    const model = await inProject(whole, statements, plan.project);
    const column = await groupSql(model, statements, plan);
    const measures = measuresOf(sourceOf(model, plan), plan.widgets);
    const inquiry: Inquiry = { model, statements, plan, column, measures };
    const early = await refuseManyGroups(inquiry);
    if (early !== null) return early;
    const { cells, total } = await measured(inquiry);
    const refusal = refuseGroups(plan, cells) ?? (await refuseCategories(inquiry));
    if (refusal !== null) return refusal;
    const count = cells.length * (plan.widgets.length + 3);
    if (count > answeredValuesMax) return { refused: 'values', count };
    const categories = await categoriesOf(inquiry);
    return {
      total: cellOf(inquiry, total.slice(2), categories.get(null)),
      groups: groupsOf(inquiry, cells, categories),
      errors: await errorsOf(inquiry),
    };
  }, asking);

type Inquiry = {
  readonly model: Scoped;
  readonly statements: Statements;
  readonly plan: AggregatePlan;
  readonly column: GroupColumn;
  readonly measures: Measures;
};

const microsecondsPerMinute = 60_000_000n;

/**
 * The records considered as `g` group, `b` bucket, `grp` trace, `session`, `spans`, and `v0…` the
 * values asked for.
 */
const rowsOf = (
  { model, plan }: Inquiry,
  group: GroupColumn | null,
  valuesOf: (source: ReturnType<typeof sourceOf>) => readonly string[],
) => {
  const source = sourceOf(model, plan);
  const values = valuesOf(source);
  const width = BigInt(plan.intervalMinutes) * microsecondsPerMinute;
  const at = 'r.created_at';
  const columns = [
    `${group === null ? 'NULL' : group.of(source)} AS g`,
    // Whole division goes towards zero; before 1970 it must go down.
    `(${at} - CASE WHEN ${at} < 0 THEN ${bigintConstant(width - 1n)} ELSE 0 END)` +
      ` // ${bigintConstant(width)} AS b`,
    'r.grp AS grp',
    'CASE WHEN NOT r.lone THEN r.session_id END AS session',
    'r.span_count AS spans',
    ...values.map((value, place) => `${value} AS v${place}`),
  ];
  return {
    sql: `(SELECT ${columns.join(', ')} ${source.fromWhere()})`,
    parameters: source.parameters,
  };
};

type Measured = { readonly cells: Rows; readonly total: Rows[number] };

/** The cells, and the total over the whole window and all groups, each record once. */
const measured = async (inquiry: Inquiry): Promise<Measured> => {
  const { column } = inquiry;
  if (column.isMany) {
    const [total = []] = await cellRows(inquiry, null, '()');
    const cells = await cellRows(inquiry, column, '(g, b)');
    return { cells: cells.map((row) => row.slice(1)), total: total.slice(1) };
  }
  // One scan answers both: reading and filtering the records is what costs.
  const rows = await cellRows(inquiry, column, '(g, b), ()');
  const of = (whole: number): Rows =>
    rows.filter(([level]) => Number(level) === whole).map((row) => row.slice(1));
  return { cells: of(0), total: of(1)[0] ?? [] };
};

/**
 * Whether it is the total, group, bucket, requests, sessions, spans, measures. The row of the empty
 * set is there without records too.
 */
const cellRows = (inquiry: Inquiry, group: GroupColumn | null, sets: string): Promise<Rows> => {
  const { plan, statements } = inquiry;
  const { sql, parameters } = rowsOf(
    inquiry,
    group,
    (source) => measuresOf(source, plan.widgets).values,
  );
  const ofTraces = plan.population === 'trace';
  const counts = [
    ofTraces ? 'count(*)' : 'count(DISTINCT grp)',
    'count(DISTINCT session)',
    ofTraces ? 'coalesce(sum(spans), 0)' : 'count(*)',
  ];
  const keys = sets === '()' ? ['1', 'NULL', 'NULL'] : ['grouping(b)', 'g', 'b'];
  const columns = [...keys, ...counts, ...inquiry.measures.measures].join(', ');
  const by = sets === '()' ? '' : `GROUP BY GROUPING SETS (${sets})`;
  return statements.rows(`SELECT ${columns} FROM ${sql} ${by}`, parameters);
};

/**
 * Columns that have few and short values: their groups need not be counted before they are built.
 */
const narrow: ReadonlySet<string> = new Set([
  'model',
  'type',
  'agent_type',
  'finish_reason',
  'check_stage',
  'applies_to',
  'tags',
  'run_id',
]);

/** Looks first where there may be as many groups as records, or groups as long as texts. */
const refuseManyGroups = async (inquiry: Inquiry): Promise<AggregateRefusal | null> => {
  const { column, statements, plan } = inquiry;
  if (plan.groupBy === null || narrow.has(plan.groupBy)) return null;
  const { sql, parameters } = rowsOf(inquiry, column, () => []);
  const missing = 'CASE WHEN count(*) > count(g) THEN 1 ELSE 0 END';
  const longest = column.isText ? 'coalesce(max(length(g)), 0)' : '0';
  const [found] = await statements.rows(
    `SELECT count(DISTINCT g) + ${missing}, ${longest} FROM ${sql}`,
    parameters,
  );
  const [groups, length] = [Number(found?.[0]), Number(found?.[1])];
  if (length > groupValueCharactersMax) return { refused: 'long-group-value' };
  return groups > groupsMax ? { refused: 'groups' } : null;
};

const refuseGroups = (plan: AggregatePlan, cells: Rows): AggregateRefusal | null => {
  const keys = new Set(cells.map(([group = null]) => groupOf(plan, group).key));
  for (const key of keys) {
    if (codePoints(key) > groupValueCharactersMax) return { refused: 'long-group-value' };
  }
  return keys.size > groupsMax ? { refused: 'groups' } : null;
};

const refuseCategories = async (inquiry: Inquiry): Promise<AggregateRefusal | null> => {
  for (const [widget, asked] of inquiry.plan.widgets.entries()) {
    if (!isCategorical(asked)) continue;
    const { sql, parameters } = rowsOf(inquiry, null, (source) => [
      source.metric(asked.metric, 'text'),
    ]);
    const [found] = await inquiry.statements.rows(
      `SELECT count(DISTINCT v0) FROM ${sql}`,
      parameters,
    );
    if (Number(found?.[0]) > categoriesMax) return { refused: 'categories', widget };
  }
  return null;
};

type Counts = Record<string, number>;
/** By cell, null for the total: categories by metric. */
type Categories = ReadonlyMap<string | null, ReadonlyMap<string, Counts>>;
const cellName = (key: string, bucket: DuckDBValue): string => `${String(bucket)} ${key}`;

const categoriesOf = async (inquiry: Inquiry): Promise<Categories> => {
  const cells = new Map<string | null, Map<string, Counts>>();
  const textWidgets = inquiry.plan.widgets.filter(isCategorical);
  for (const metric of new Set(textWidgets.map((widget) => widget.metric))) {
    const add = (cell: string | null, category: string, count: number): void => {
      const metrics = cells.get(cell) ?? new Map<string, Counts>();
      // Without a prototype: a category may be called `__proto__`.
      const counts = metrics.get(metric) ?? (Object.create(null) as Counts);
      counts[category] = (counts[category] ?? 0) + count;
      metrics.set(metric, counts);
      cells.set(cell, metrics);
    };
    for (const group of [null, inquiry.column]) {
      const { sql, parameters } = rowsOf(inquiry, group, (source) => [
        source.metric(metric, 'text'),
      ]);
      const keys = group === null ? 'NULL, NULL' : 'g, b';
      const counted = await inquiry.statements.rows(
        `SELECT ${keys}, v0, count(*) FROM ${sql} WHERE v0 IS NOT NULL GROUP BY ALL`,
        parameters,
      );
      for (const [g = null, b = null, category, count] of counted) {
        const cell = group === null ? null : cellName(groupOf(inquiry.plan, g).key, b);
        add(cell, String(category), Number(count));
      }
    }
  }
  return cells;
};

const cellOf = (
  { plan, measures }: Inquiry,
  measured: readonly DuckDBValue[],
  categories: ReadonlyMap<string, Counts> = new Map(),
): AggregateCell => {
  const [requests, sessions, spans, ...values] = measured;
  return {
    widgets: widgetValues(plan.widgets, measures, values, categories),
    requests: Number(requests),
    sessions: Number(sessions),
    spans: Number(spans),
  };
};

const groupsOf = (
  inquiry: Inquiry,
  cells: Rows,
  categories: Categories,
): readonly AggregateGroup[] => {
  const groups = new Map<
    string,
    { value: AggregateGroup['value']; cells: [bigint, Rows[number]][] }
  >();
  for (const cell of cells) {
    const { key, value } = groupOf(inquiry.plan, cell[0] ?? null);
    const group = groups.get(key) ?? { value, cells: [] };
    group.cells.push([cell[1] as bigint, cell]);
    groups.set(key, group);
  }
  return [...groups]
    .sort(([one], [other]) => byCodePoint(one, other))
    .map(([key, group]) => ({
      key,
      value: group.value,
      buckets: group.cells
        .sort(([one], [other]) => (one < other ? -1 : 1))
        .map(([bucket, cell]) => ({
          ...bucketBounds(bucket, inquiry.plan.intervalMinutes),
          ...cellOf(inquiry, cell.slice(2), categories.get(cellName(key, bucket))),
        })),
    }));
};

/** Asked only where some record has an error of the metric at all: then its column has a number. */
const errorsOf = async ({ model, statements, plan }: Inquiry): Promise<readonly MetricError[]> => {
  const numbers = plan.widgets.flatMap(({ metric }) => model.columns.get(`errors/${metric}`) ?? []);
  if (numbers.length === 0) return [];
  const source = sourceOf(model, plan);
  const member = plan.population === 'trace' ? 'grp' : 'key';
  const errors = await statements.rows(
    `SELECT f.num, min(f.text) FROM facets f
     WHERE f.col IN (${integers(numbers)})
       AND f.${member} IN (SELECT r.${member} ${source.fromWhere()})
     GROUP BY f.num ORDER BY f.num`,
    source.parameters,
  );
  return errors.map(([code, message]) => ({
    code: Number(code),
    message: typeof message === 'string' ? message : null,
  }));
};
