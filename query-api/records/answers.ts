import { pageInfo } from '../../contract/envelope.js';
import type { RecordView } from '../../contract/record-reads.js';
import { openLimiter } from '../../kernel/limiter.js';
import { limits } from '../../kernel/limits.js';
import type { FeedbackTemplate } from '../../kernel/records/feedback.js';
import { unclosedObject } from '../../kernel/json-text.js';
import { encodeJsonChunks, type JsonParts, type JsonChunks } from '../../kernel/json-chunks.js';
import type { QueryContext, StreamName } from '../../kernel/ports.js';
import type { QueryTable } from '../../kernel/query-methods.js';
import type { RecordQueries } from '../../kernel/records/record-queries.js';
import type {
  AggregatePlan,
  AggregateRefusal,
  GroupPlan,
  SearchPlan,
  StoredGroupSize,
} from '../../kernel/records/query-plans.js';
import { registryType } from '../../kernel/records/column-value.js';
import type { MetricType, RecordRow } from '../../kernel/records/record.js';
import type { RunInSlice } from '../../kernel/concurrency.js';
import { comparisonAnswer, type ComparisonPlan } from '../experiments/comparison-answer.js';
import { bucketOf, metricsParts, type GroupBucket } from '../metrics/answer.js';
import { metricsOfOtherPopulation } from '../metrics/other-population.js';
import { csvRecord, type CsvColumns } from './csv-lines.js';
import { spanTree, traceTree } from './tree.js';
import { pickFields, type RecordFields } from './fields.js';
import { truncateTexts, recordViewOf } from './views.js';

/**
 * Options of a search's records; templates are the live ones of the project. `fields`: members to
 * show; null: all.
 */
type PageOptions = {
  readonly withCounts: boolean;
  readonly truncated: boolean;
  readonly fields: RecordFields | null;
  readonly templates: readonly FeedbackTemplate[];
};
/** Options of an export's records: lines of JSON, or of CSV with these columns. */
export type StretchOptions = PageOptions & { readonly csv: CsvColumns | null };
/** `next`: where the walk continues, null at its end. */
type StretchLines = { readonly lines: JsonChunks; readonly next: string | null };
export type RecordPlan = GroupPlan & { readonly population: 'trace' | 'span' };
/** `json` null: its trace exceeds the requested size. */
type RecordAnswer = StoredGroupSize & { readonly json: JsonChunks | null };
type SessionAnswer = {
  readonly group: StreamName;
  /** Traces of its page, in their order. */
  readonly traces: readonly StoredGroupSize[];
  readonly starting_token: number;
  readonly next_starting_token: number | null;
};

/**
 * Serialised responses of contract 4.5, 5.5 and 5.7: built where the records are, so that the
 * thread that accepts requests does no work on them. Deleted records are null, or left out of their
 * list.
 */
export interface RecordAnswers {
  search(plan: SearchPlan, shown: PageOptions, context?: QueryContext): Promise<JsonChunks>;
  /** One part of an export, from a walk of `RecordQueries.search`. */
  stretch(plan: SearchPlan, shown: StretchOptions, context?: QueryContext): Promise<StretchLines>;
  metrics(plan: AggregatePlan, context?: QueryContext): Promise<JsonChunks | AggregateRefusal>;
  /** Null: the comparison exceeds its limit. */
  comparison(plan: ComparisonPlan, context?: QueryContext): Promise<JsonChunks | null>;
  /** A trace with its spans, or a span with its descendants. */
  record(
    plan: RecordPlan,
    templates: readonly FeedbackTemplate[],
    context?: QueryContext,
  ): Promise<RecordAnswer | null>;
  session(
    session: SessionAnswer,
    templates: readonly FeedbackTemplate[],
    context?: QueryContext,
  ): Promise<JsonChunks | null>;
}

/** Queries of answers (see QueryTable). */
export const answerQueries = {
  search: { kind: 'scan', contextAt: 2 },
  stretch: { kind: 'scan', contextAt: 2 },
  metrics: { kind: 'scan', contextAt: 1 },
  comparison: { kind: 'scan', contextAt: 1 },
  record: { kind: 'lookup', contextAt: 2 },
  session: { kind: 'lookup', contextAt: 2 },
} as const satisfies QueryTable<RecordAnswers>;

type Needs = {
  readonly records: RecordQueries;
  readonly inSlices: RunInSlice;
};
/** Rows are serialised without their `}`, which the following text contains. */
type Parts = JsonParts<RecordRow>;

/** Bulkhead: responses larger than this are built one at a time; smaller ones do not wait. */
const largeBytes = 1_048_576;

export const recordAnswers = ({ records, inSlices }: Needs): RecordAnswers => {
  const limiter = openLimiter(limits.largeRecordAnswers);
  const oneAtATime = <T>(bytes: number, context: QueryContext, work: () => Promise<T>) =>
    bytes > largeBytes ? limiter.run({ tenant: context.tenant ?? '' }, context, work) : work();
  const serialise = async (
    found: Parts | null,
    templates: readonly FeedbackTemplate[],
    context: QueryContext,
  ): Promise<JsonChunks | null> => {
    if (found === null) return null;
    const rows = found.filter((part): part is RecordRow => typeof part !== 'string');
    const types = await metricTypesOf(records, rows, context);
    const write = (row: RecordRow) => unclosedObject(recordViewOf(row, false, templates, types));
    return encodeJsonChunks(found, write, inSlices, context);
  };
  return {
    search: async (plan, shown, context = {}) => {
      const { rows, more } = await records.search(plan, context);
      const view = openRecordView(shown, await metricTypesOf(records, rows, context));
      const write = (row: RecordRow) => unclosedObject(view(row));
      return encodeJsonChunks(pageParts(plan, rows, more), write, inSlices, context);
    },
    stretch: async (plan, shown, context = {}) => {
      const { csv } = shown;
      const { rows, next = null } = await records.search(plan, context);
      const view = openRecordView(shown, await metricTypesOf(records, rows, context));
      const write = (row: RecordRow) =>
        csv === null ? `${JSON.stringify(view(row))}\n` : csvRecord(view(row), csv);
      return { lines: await encodeJsonChunks([...rows], write, inSlices, context), next };
    },
    metrics: async (plan, context = {}) => {
      const aggregate = await records.aggregate(plan, context);
      if ('refused' in aggregate) return aggregate;
      const elsewhere = await metricsOfOtherPopulation(records, plan, aggregate, context);
      const write = (shown: GroupBucket) => JSON.stringify(bucketOf(plan, shown));
      return encodeJsonChunks(metricsParts(plan, aggregate, elsewhere), write, inSlices, context);
    },
    comparison: (plan, context = {}) =>
      oneAtATime(Infinity, context, () => comparisonAnswer({ records, inSlices }, plan, context)),
    record: async (plan, templates, context = {}) => {
      const shown = async (): Promise<RecordAnswer | null> => {
        const found = await records.groupRows(plan, context);
        if (found === null) return null;
        const { group, bytes, rows } = found;
        if (rows === null) return { group, bytes, json: null };
        const tree = plan.population === 'trace' ? traceTree(rows) : spanTree(rows, plan.id);
        const json = await serialise(tree, templates, context);
        return json === null ? null : { group, bytes, json };
      };
      return oneAtATime(plan.bytesMax, context, shown);
    },
    session: (session, templates, context = {}) =>
      oneAtATime(totalWeight(session.traces), context, async () => {
        const names = [session.group, ...session.traces.map(({ group }) => group)];
        const groups = await records.rowsByGroup(names, context);
        return serialise(sessionParts(session, groups), templates, context);
      }),
  };
};

const openRecordView =
  ({ withCounts, truncated: isTruncated, fields, templates }: PageOptions, types: MetricTypes) =>
  (row: RecordRow): RecordView => {
    const whole = recordViewOf(row, withCounts, templates, types);
    const shown = fields === null ? whole : pickFields(whole, fields);
    return isTruncated ? truncateTexts(shown) : shown;
  };

type MetricTypes = ReadonlyMap<string, MetricType>;

/** Types of the metrics that these records of one project have as own values. */
const metricTypesOf = async (
  records: Pick<RecordQueries, 'metricTypes'>,
  rows: readonly RecordRow[],
  context: QueryContext,
): Promise<MetricTypes> => {
  const names = new Set<string>();
  for (const { metrics } of rows) {
    for (const name in metrics) {
      if (metrics[name]?.rolledUp === false && registryType(name) === null) names.add(name);
    }
  }
  const [first] = rows;
  if (first === undefined || names.size === 0) return new Map();
  return records.metricTypes(String(first.values['project_id']), [...names], context);
};

export const totalWeight = (groups: readonly StoredGroupSize[]): number =>
  groups.reduce((sum, { bytes }) => sum + bytes, 0);

const pageParts = (
  { offset, limit, after }: SearchPlan,
  rows: readonly RecordRow[],
  more: boolean,
): Parts => {
  const last = rows.at(-1)?.values['id'];
  const end = { last_row_id: typeof last === 'string' ? last : null };
  const page = pageInfo({ starting_token: offset, limit }, rows.length, more);
  const start = { ...page, paginated: page.paginated || after != null };
  return [
    unclosedObject(start),
    ',"records":[',
    ...commaSeparated(rows.map((row) => [row, '}'])),
    `],${JSON.stringify(end).slice(1)}`,
  ];
};

const sessionParts = (
  { group, traces, ...page }: SessionAnswer,
  groups: ReadonlyMap<StreamName, readonly RecordRow[]>,
): Parts | null => {
  const session = groups.get(group)?.find(({ kind }) => kind === 'session');
  if (session === undefined) return null;
  const trees = traces.flatMap((trace) => {
    const tree = traceTree(groups.get(trace.group) ?? []);
    return tree === null ? [] : [tree];
  });
  return [session, ',"traces":[', ...commaSeparated(trees), `],${JSON.stringify(page).slice(1)}`];
};

const commaSeparated = (items: readonly Parts[]): Parts =>
  items.flatMap((parts, at) => (at === 0 ? parts : [',', ...parts]));
