import { pageMeasure } from '../../contract/envelope.js';
import type { RecordView } from '../../contract/record-reads.js';
import { openFairLine } from '../../kernel/fair.js';
import type { FeedbackTemplate } from '../../kernel/records/feedback.js';
import { inPieces, openObject, type JsonParts, type JsonPieces } from '../../kernel/json-pieces.js';
import type { Asking, StreamName } from '../../kernel/ports.js';
import type { Records } from '../../kernel/records/records.js';
import type {
  AggregatePlan,
  AggregateRefusal,
  GroupPlan,
  SearchPlan,
  Weighed,
} from '../../kernel/records/questions.js';
import { registryType } from '../../kernel/records/column-value.js';
import type { MetricType, RecordRow } from '../../kernel/records/record.js';
import type { InSlices } from '../../kernel/turns.js';
import { comparisonAnswer, type ComparisonPlan } from '../experiments/comparison-answer.js';
import { bucketOf, metricsParts, type ShownBucket } from '../metrics/answer.js';
import { metricsElsewhere } from '../metrics/elsewhere.js';
import { recordLine, type CsvShown } from './csv-lines.js';
import { spanTree, traceTree } from './tree.js';
import { truncated, viewOf } from './views.js';

/** How a search shows its records; templates are the live ones of the project. */
type PageShown = {
  readonly withCounts: boolean;
  readonly truncated: boolean;
  readonly templates: readonly FeedbackTemplate[];
};
/** How an export shows them: as lines of JSON, or of CSV with these columns. */
export type StretchShown = PageShown & { readonly csv: CsvShown | null };
/** `next`: where the walk goes on, null at its end. */
type WalkedLines = { readonly lines: JsonPieces; readonly next: string | null };
export type RecordPlan = GroupPlan & { readonly population: 'trace' | 'span' };
/** `json` null: its trace weighs more than was asked for. */
type RecordShown = Weighed & { readonly json: JsonPieces | null };
type SessionShown = {
  readonly group: StreamName;
  /** Those of its page, in their order. */
  readonly traces: readonly Weighed[];
  readonly starting_token: number;
  readonly next_starting_token: number | null;
};

/**
 * Answers of contract 4.5, 5.5 and 5.7 as they go out: made where the records are, so that the
 * thread that accepts requests does no work on them. What is not there any more is null, or left
 * out of its list.
 */
export interface RecordAnswers {
  search(plan: SearchPlan, shown: PageShown, asking?: Asking): Promise<JsonPieces>;
  /** As `Records.search` of a walk. */
  stretch(plan: SearchPlan, shown: StretchShown, asking?: Asking): Promise<WalkedLines>;
  metrics(plan: AggregatePlan, asking?: Asking): Promise<JsonPieces | AggregateRefusal>;
  /** Null: there is more to compare than may be. */
  comparison(plan: ComparisonPlan, asking?: Asking): Promise<JsonPieces | null>;
  /** A trace with its spans, or a span with those below it. */
  record(
    plan: RecordPlan,
    templates: readonly FeedbackTemplate[],
    asking?: Asking,
  ): Promise<RecordShown | null>;
  session(
    session: SessionShown,
    templates: readonly FeedbackTemplate[],
    asking?: Asking,
  ): Promise<JsonPieces | null>;
}

type Needs = {
  readonly records: Pick<
    Records,
    'groups' | 'groupOf' | 'search' | 'aggregate' | 'metricTypes' | 'runRows' | 'weights' | 'heads'
  >;
  readonly inSlices: InSlices;
};
/** Rows are written without their `}`: it is among the texts that follow. */
type Parts = JsonParts<RecordRow>;

/**
 * The rows of a trace of 64 MiB take about three times that while its answer is made, so answers
 * that weigh more than this are made one at a time. Smaller ones do not wait for them.
 */
const largeBytes = 1_048_576;

export const recordAnswers = ({ records, inSlices }: Needs): RecordAnswers => {
  const line = openFairLine(1, 1);
  const alone = async <T>(bytes: number, asking: Asking, work: () => Promise<T>): Promise<T> => {
    const leave = bytes > largeBytes ? await line.enter(asking.who ?? '', asking) : () => undefined;
    try {
      return await work();
    } finally {
      leave();
    }
  };
  const made = async (
    found: Parts | null,
    templates: readonly FeedbackTemplate[],
    asking: Asking,
  ): Promise<JsonPieces | null> => {
    if (found === null) return null;
    const rows = found.filter((part): part is RecordRow => typeof part !== 'string');
    const types = await typesIn(records, rows, asking);
    const write = (row: RecordRow) => openObject(viewOf(row, false, templates, types));
    return inPieces(found, write, inSlices, asking);
  };
  return {
    search: async (plan, shown, asking = {}) => {
      const { rows, more } = await records.search(plan, asking);
      const view = viewer(shown, await typesIn(records, rows, asking));
      const write = (row: RecordRow) => openObject(view(row));
      return inPieces(pageParts(plan, rows, more), write, inSlices, asking);
    },
    stretch: async (plan, shown, asking = {}) => {
      const { csv } = shown;
      const { rows, next = null } = await records.search(plan, asking);
      const view = viewer(shown, await typesIn(records, rows, asking));
      const write = (row: RecordRow) =>
        csv === null ? `${JSON.stringify(view(row))}\n` : recordLine(view(row), csv);
      return { lines: await inPieces([...rows], write, inSlices, asking), next };
    },
    metrics: async (plan, asking = {}) => {
      const aggregate = await records.aggregate(plan, asking);
      if ('refused' in aggregate) return aggregate;
      const elsewhere = await metricsElsewhere(records, plan, aggregate, asking);
      const write = (shown: ShownBucket) => JSON.stringify(bucketOf(plan, shown));
      return inPieces(metricsParts(plan, aggregate, elsewhere), write, inSlices, asking);
    },
    comparison: (plan, asking = {}) =>
      alone(Infinity, asking, () => comparisonAnswer({ records, inSlices }, plan, asking)),
    record: async (plan, templates, asking = {}) => {
      const shown = async (): Promise<RecordShown | null> => {
        const found = await records.groupOf(plan, asking);
        if (found === null) return null;
        const { group, bytes, rows } = found;
        if (rows === null) return { group, bytes, json: null };
        const tree = plan.population === 'trace' ? traceTree(rows) : spanTree(rows, plan.id);
        const json = await made(tree, templates, asking);
        return json === null ? null : { group, bytes, json };
      };
      return alone(plan.bytesMax, asking, shown);
    },
    session: (session, templates, asking = {}) =>
      alone(weightOf(session.traces), asking, async () => {
        const names = [session.group, ...session.traces.map(({ group }) => group)];
        const groups = await records.groups(names, asking);
        return made(sessionParts(session, groups), templates, asking);
      }),
  };
};

const viewer =
  ({ withCounts, truncated: isCut, templates }: PageShown, types: MetricTypes) =>
  (row: RecordRow): RecordView => {
    const whole = viewOf(row, withCounts, templates, types);
    return isCut ? truncated(whole) : whole;
  };

type MetricTypes = ReadonlyMap<string, MetricType>;

/** Types of the metrics that these records of one project have as their own. */
const typesIn = async (
  records: Pick<Records, 'metricTypes'>,
  rows: readonly RecordRow[],
  asking: Asking,
): Promise<MetricTypes> => {
  const names = new Set<string>();
  for (const { metrics } of rows) {
    for (const name in metrics) {
      if (metrics[name]?.rolledUp === false && registryType(name) === null) names.add(name);
    }
  }
  const [first] = rows;
  if (first === undefined || names.size === 0) return new Map();
  return records.metricTypes(String(first.values['project_id']), [...names], asking);
};

export const weightOf = (groups: readonly Weighed[]): number =>
  groups.reduce((sum, { bytes }) => sum + bytes, 0);

const pageParts = (
  { offset, limit }: SearchPlan,
  rows: readonly RecordRow[],
  more: boolean,
): Parts => {
  const last = rows.at(-1)?.values['id'];
  const after = { last_row_id: typeof last === 'string' ? last : null };
  const before = pageMeasure({ starting_token: offset, limit }, rows.length, more);
  return [
    openObject(before),
    ',"records":[',
    ...listed(rows.map((row) => [row, '}'])),
    `],${JSON.stringify(after).slice(1)}`,
  ];
};

const sessionParts = (
  { group, traces, ...page }: SessionShown,
  groups: ReadonlyMap<StreamName, readonly RecordRow[]>,
): Parts | null => {
  const session = groups.get(group)?.find(({ kind }) => kind === 'session');
  if (session === undefined) return null;
  const trees = traces.flatMap((trace) => {
    const tree = traceTree(groups.get(trace.group) ?? []);
    return tree === null ? [] : [tree];
  });
  return [session, ',"traces":[', ...listed(trees), `],${JSON.stringify(page).slice(1)}`];
};

const listed = (items: readonly Parts[]): Parts =>
  items.flatMap((parts, at) => (at === 0 ? parts : [',', ...parts]));
