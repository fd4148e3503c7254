import { defaultIntervalMinutes, reservedKeys, type CustomSearch } from '../../contract/metrics.js';
import { measuredColumn } from '../../kernel/records/column-value.js';
import { spanKinds, standardColumnById } from '../../kernel/records/columns.js';
import { type Complaint, valueComplaint } from '../../kernel/fault.js';
import type { Filter } from '../../kernel/filter.js';
import {
  aggregationsOf,
  type AggregatePlan,
  type GroupKey,
  type Widget,
} from '../../kernel/records/query-plans.js';
import type { RecordKind } from '../../kernel/records/record.js';
import {
  resolveColumn,
  lookUpColumn,
  resolveMetric,
  metricPrefix,
  metricsWithoutType,
  resolveMeasure,
  measureName,
  type KnownTemplates,
  type KnownMetricTypes,
} from '../filters/catalogue.js';
import { columnsInFilter, ownColumnsInFilter, planFilter } from '../filters/plan.js';

/** Part of a plan that follows from the request alone; the route adds project and run. */
export type MetricsPlan = Omit<AggregatePlan, 'project' | 'run' | 'templates'>;

type PlannedMetrics =
  | { readonly plan: MetricsPlan; readonly complaints: readonly [] }
  | { readonly plan: null; readonly complaints: readonly Complaint[] };

/**
 * Plans the Records query of a request (contract 4.5), or returns complaints in the order of the
 * request's members.
 */
export const planMetrics = (
  body: CustomSearch,
  types: KnownMetricTypes,
  templates: KnownTemplates = null,
): PlannedMetrics => {
  const known = { types, templates };
  const groups = groupsInRequest(body, known);
  const counted = countedPopulation(body, known);
  const { filter, complaints: filterComplaints } = planFilter(
    { filter_tree: body.filter_tree },
    { population: counted.population, types, templates },
  );
  const complaints = [
    ...widgetComplaints(body.metric_details, counted.population, known),
    ...filterComplaints,
    ...groupComplaints(groups, counted.population, known),
  ];
  if (complaints.length > 0) return { plan: null, complaints };
  return {
    plan: {
      ...counted,
      from: body.start_time,
      to: body.end_time,
      filter,
      widgets: body.metric_details.map((detail) => widgetOf(detail, known)),
      ...gridOf(body),
      groupBy: groups.map(({ key }) => key),
    },
    complaints: [],
  };
};

/**
 * Interval that makes one bucket from 1970 to the end of the calendar; the response clips its
 * bounds to the window.
 */
export const wholeWindowMinutes = 4_400_000_000;

const gridOf = ({ interval_minutes: minutes, utc_offset_minutes: offset }: CustomSearch) =>
  minutes === null
    ? { intervalMinutes: wholeWindowMinutes, offsetMinutes: 0 }
    : { intervalMinutes: minutes ?? defaultIntervalMinutes, offsetMinutes: offset ?? 0 };

type KnownNames = { readonly types: KnownMetricTypes; readonly templates: KnownTemplates };
const noKnownNames: KnownNames = { types: null, templates: null };

/** Metrics of the request whose types have to be loaded from the project. */
export const metricsInRequest = (body: CustomSearch): readonly string[] => {
  const filter = openFilter(body, noKnownNames);
  return metricsWithoutType([
    ...body.metric_details.map(
      ({ metric_name }) => metricPrefix + resolveMetric(metric_name, null),
    ),
    ...columnsInFilter(filter),
    ...groupsInRequest(body, noKnownNames).map(({ key }) => key.column),
  ]);
};

/** Columns that a plan names, including its widgets' metrics. */
export const columnsInPlan = ({ filter, widgets, groupBy }: MetricsPlan): readonly string[] => [
  ...widgets.map(measuredColumn),
  ...columnsInFilter(filter),
  ...groupBy.map(({ column }) => column),
];

/**
 * The filter before the counted population is known. Every standard column applies to some span, so
 * all are accepted; filters of traces by their spans are accepted too.
 */
const openFilter = ({ filter_tree }: CustomSearch, known: KnownNames): Filter | null =>
  planFilter({ filter_tree }, { ...known, population: 'span', orTraces: true }).filter;

type CountedPopulation = Pick<AggregatePlan, 'population' | 'kinds'>;

/** Counted population: as requested, otherwise derived from the columns (contract 4.5, rule 1). */
const countedPopulation = (body: CustomSearch, known: KnownNames): CountedPopulation => {
  const { population = null } = body;
  const keys = groupsInRequest(body, known).map(({ key }) => key);
  const isOfTraces = population === null && keys.some(({ of }) => of === 'any_span');
  if (population === 'traces' || isOfTraces) return { population: 'trace', kinds: null };
  const own = ownColumnsInFilter(openFilter(body, known));
  const grouped = keys.flatMap(({ column, of }) => (of === 'record' ? [column] : []));
  const byColumns = populationOf([...own, ...grouped]);
  return population === 'spans' ? { ...byColumns, population: 'span' } : byColumns;
};

/**
 * Population derived from columns: traces, unless a column does not apply to traces; then the spans
 * to which all of those apply (contract 4.5, rule 1). Kinds of `[]` select no spans.
 */
export const populationOf = (columns: readonly string[]): CountedPopulation => {
  const ofSpansOnly = columns.flatMap((column) => {
    const kinds = standardColumnById.get(column)?.kinds;
    return kinds === undefined || kinds.includes('trace') ? [] : [kinds];
  });
  if (ofSpansOnly.length === 0) return { population: 'trace', kinds: null };
  const kinds: readonly RecordKind[] = spanKinds.filter((kind) =>
    ofSpansOnly.every((applicable) => applicable.includes(kind)),
  );
  return { population: 'span', kinds: kinds.length === spanKinds.length ? null : kinds };
};

type MetricDetail = CustomSearch['metric_details'][number];

const widgetOf = (
  { id, metric_name, aggregation }: MetricDetail,
  { types, templates }: KnownNames,
): Widget => ({ id, aggregation, ...resolveMeasure(metric_name, types, templates) });

const widgetComplaints = (
  details: readonly MetricDetail[],
  population: CountedPopulation['population'],
  known: KnownNames,
): readonly Complaint[] => {
  const seen = new Set<string>();
  return details.flatMap((detail, index) => {
    const loc = ['body', 'metric_details', String(index)];
    const reserved = reservedKeys.some((key) => key === detail.id);
    const repeated = seen.has(detail.id);
    seen.add(detail.id);
    const measured = widgetOf(detail, known);
    const { aggregation, type, source } = measured;
    const isElsewhere = source === 'annotations' && population === 'span';
    const ratings = `'${detail.metric_name}' does not apply to spans`;
    return [
      ...(reserved ? [valueComplaint([...loc, 'id'], `'${detail.id}' is a reserved key`)] : []),
      ...(repeated ? [valueComplaint([...loc, 'id'], `'${detail.id}' is used twice`)] : []),
      ...(isElsewhere ? [valueComplaint([...loc, 'metric_name'], ratings)] : []),
      ...(aggregationsOf(type).includes(aggregation)
        ? []
        : [
            valueComplaint(
              [...loc, 'aggregation'],
              `'${aggregation}' does not fit metric '${measureName(measured)}' of type ${type}`,
            ),
          ]),
    ];
  });
};

export const groupByLoc = ['body', 'group_by'];

const spanPrefix = 'any_span.';

/** A column to group by, as written and as resolved. */
type NamedGroup = {
  readonly written: string;
  readonly key: GroupKey;
  readonly loc: readonly string[];
};

const groupsInRequest = (
  { group_by: given }: CustomSearch,
  { types, templates }: KnownNames,
): readonly NamedGroup[] =>
  (given == null ? [] : [given].flat()).map((written, at) => {
    const isOfSpans = written.startsWith(spanPrefix);
    const name = isOfSpans ? written.slice(spanPrefix.length) : written;
    return {
      written,
      key: { column: resolveColumn(name, types, templates), of: isOfSpans ? 'any_span' : 'record' },
      loc: Array.isArray(given) ? [...groupByLoc, String(at)] : groupByLoc,
    };
  });

/** Public name of a group column (contract 4.5). */
export const groupColumnName = ({ column, of }: GroupKey): string =>
  of === 'any_span' ? spanPrefix + column : column;

const groupComplaints = (
  groups: readonly NamedGroup[],
  population: CountedPopulation['population'],
  known: KnownNames,
): readonly Complaint[] => {
  const seen = new Set<string>();
  return groups.flatMap((group) => {
    const name = groupColumnName(group.key);
    const isRepeated = seen.has(name);
    seen.add(name);
    const sentence = isRepeated
      ? `column '${group.written}' is named twice`
      : groupComplaint(group, population, known);
    return sentence === null ? [] : [valueComplaint(group.loc, sentence)];
  });
};

/**
 * Complaint about a group column: dates and numeric metrics cannot be grouped by (contract 4.5,
 * rule 6).
 */
const groupComplaint = (
  { written, key: { column, of } }: NamedGroup,
  population: CountedPopulation['population'],
  { types, templates }: KnownNames,
): string | null => {
  const isOfSpans = of === 'any_span';
  if (isOfSpans && population === 'span') {
    return `column '${written}' groups traces; spans are grouped by '${column}'`;
  }
  const groupedBy = isOfSpans ? 'span' : population;
  const known = lookUpColumn(column, groupedBy, types, templates);
  if (known === null) return `unknown column '${written}'`;
  if ('applies' in known && !known.applies) {
    return `column '${written}' does not apply to ${groupedBy}s`;
  }
  const isDate = known.is === 'standard' && known.filter === 'date';
  const isNumber =
    known.is === 'metric' && (known.type === 'integer' || known.type === 'floating_point');
  return isDate || isNumber ? `column '${written}' cannot be grouped by` : null;
};
