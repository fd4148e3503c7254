import type { RecordContent, SpanContent, TraceEvent } from '../../events/traces.js';
import type { OtelMapping } from '../../kernel/otel/mapping.js';
import { otelTrace } from '../../kernel/otel/trace.js';
import type { StoredEvent } from '../../kernel/ports.js';
import { forEachMetricName } from '../../kernel/records/column-names.js';
import { columnIndex as at, standardColumns } from '../../kernel/records/columns.js';
import type { ColumnValue, MetricValue } from '../../kernel/records/record.js';
import type { MetricEntry, RecordCells } from '../../kernel/records/record-cells.js';
import type { TraceColumns } from '../../kernel/records/records.js';
import { effectiveParents } from '../../kernel/records/span-tree.js';
import type { Json } from '../../kernel/schema-types.js';
import {
  bodyOfContent,
  contextOf,
  logPlace,
  putContentValues,
  type TraceContext,
} from './content-row.js';
import { childrenOf, costAtPrice, putRollUps, rollUpsOf, totalTokens } from './derive.js';
import { elapsedTimes, type TimedRecord } from './elapsed.js';
import { ownNumber, putElapsed, setMember } from './row-builder.js';
import { cellOfValue, isOfError } from './scores.js';

/**
 * Records of a trace that one event logged: equal to the rows that `foldTrace` makes of the event,
 * without making rows (D-232). Null: only `foldTrace` can fold it. That is so in sessions, with
 * overlap metrics and with evaluation errors.
 */
export const columnsOf = (event: StoredEvent, mapping: OtelMapping): TraceColumns | null => {
  const first = event as StoredEvent<TraceEvent>;
  if (first.type !== 'TraceLogged' && first.type !== 'OtelSpansReceived') return null;
  const context = contextOf(first);
  if (context.sessionId !== context.traceId) return null;
  const logged = loggedContents(first, mapping);
  const contents = [logged.trace, ...logged.spans];
  const parts: OwnPart[] = [];
  for (const [ordinal, content] of contents.entries()) {
    const part = ownPart(content, () => logPlace(first, ordinal));
    if (part === null) return null;
    parts.push(part);
  }
  const tree = placeSpans(logged, parts);
  (parts[0] as OwnPart).body['revision'] = first.revision;
  parts.forEach(deriveOwn);
  deriveFromSpans(contents, parts, tree.children);
  return {
    projectId: context.projectId,
    runId: context.runId,
    size: contents.length,
    forEachName: (add) => {
      for (const [ordinal, { user_metadata: metadata = {} }] of contents.entries()) {
        forEachMetricName(parts[ordinal]?.metrics ?? [], add);
        for (const key of Object.keys(metadata)) add('user_metadata', key, '');
      }
    },
    records: () => recordsOf({ context, contents, parts, tree, isComplete: logged.isComplete }),
  };
};

type Content = RecordContent | SpanContent;
type LoggedContents = {
  readonly trace: RecordContent;
  readonly spans: readonly SpanContent[];
  readonly isComplete: boolean;
};
type FirstTraceEvent = StoredEvent<TraceEvent> & { type: 'TraceLogged' | 'OtelSpansReceived' };

const loggedContents = (event: FirstTraceEvent, mapping: OtelMapping): LoggedContents => {
  if (event.type === 'TraceLogged') {
    const { trace, spans, is_complete: isComplete } = event.data;
    return { trace, spans, isComplete };
  }
  const { trace, spans, root } = otelTrace(mapping, event.data);
  return { trace, spans, isComplete: root !== null };
};

/** The part of a record that is kept until it is written, besides its content. */
type OwnPart = { metrics: MetricEntry[]; readonly body: Record<string, Json> };

/** Metrics and body that follow from the content alone; null: see `columnsOf`. */
const ownPart = (content: Content, place: () => string): OwnPart | null => {
  const { metrics: sent = {}, output = null, dataset_output: reference = '' } = content;
  if (output !== null && reference !== '') return null;
  const metrics: MetricEntry[] = [];
  let unfit: Record<string, MetricValue> | null = null;
  for (const name of Object.keys(sent)) {
    if (isOfError(name)) return null;
    const value = sent[name] as MetricValue;
    const cell = cellOfValue(name, value, place);
    if (cell === null) setMember((unfit ??= {}), name, value);
    else metrics.push([name, cell]);
  }
  const body = bodyOfContent(content);
  if (unfit !== null) body['metrics'] = unfit;
  return { metrics, body };
};

type Tree = {
  /** Id of the effective parent of each span. */
  readonly parentIds: readonly string[];
  readonly children: readonly (readonly number[])[];
};

/** As `placeSpans` of derive.ts: the parent that was sent stays in the body where it differs. */
const placeSpans = ({ trace, spans }: LoggedContents, parts: readonly OwnPart[]): Tree => {
  const links = spans.map(({ id, parent_id: parent }) => ({ id, parent }));
  const parents = effectiveParents(trace.id, links);
  const parentIds = spans.map(({ parent_id: sent }, index) => {
    const id = spans[parents[index] ?? spans.length]?.id ?? trace.id;
    const part = parts[index + 1];
    if (id !== sent && part !== undefined) part.body['parent_id'] = sent;
    return id;
  });
  return { parentIds, children: childrenOf(parents) };
};

const numberOf = (metrics: readonly MetricEntry[], wanted: string): number | null => {
  for (const [name, cell] of metrics) if (name === wanted) return ownNumber(cell);
  return null;
};

/** Adds total tokens and cost. */
const deriveOwn = ({ metrics, body }: OwnPart): void => {
  const input = numberOf(metrics, 'num_input_tokens');
  const output = numberOf(metrics, 'num_output_tokens');
  const total = totalTokens(input, output);
  if (total !== null && numberOf(metrics, 'num_total_tokens') === null) {
    metrics.push(['num_total_tokens', { value: total, rolledUp: false }]);
    body['total'] = true;
  }
  const price = body['price'] as SpanContent['price'];
  if (price === undefined || numberOf(metrics, 'cost') !== null) return;
  const cost = costAtPrice(price, (name) => numberOf(metrics, name));
  if (cost === null) return;
  metrics.push(['cost', { value: cost, rolledUp: false }]);
  body['priced'] = true;
};

/** Adds elapsed times, and the roll-ups of the trace. */
const deriveFromSpans = (
  contents: readonly Content[],
  parts: readonly OwnPart[],
  children: Tree['children'],
): void => {
  const [trace, ...spans] = parts;
  if (trace === undefined) return;
  const metrics = Object.fromEntries(trace.metrics);
  const own = numberOf(trace.metrics, 'duration_ns');
  putRollUps(
    metrics,
    rollUpsOf(
      spans.map((span) => span.metrics),
      children,
    ),
  );
  const timed = contents.map(({ type: kind, created_at: begin }, ordinal): TimedRecord => {
    const duration = numberOf(parts[ordinal]?.metrics ?? [], 'duration_ns');
    return { kind, begin, duration };
  });
  timed.push(...timed.splice(0, 1));
  const elapsed = elapsedTimes(timed, children);
  for (const [index, span] of spans.entries()) {
    const value = elapsed[index];
    if (value !== undefined) span.metrics.push(['duration_ns', { value, rolledUp: true }]);
  }
  if (own === null) putElapsed(metrics, elapsed[spans.length]);
  trace.metrics = Object.entries(metrics);
};

type DerivedTrace = {
  readonly context: TraceContext;
  readonly contents: readonly Content[];
  readonly parts: readonly OwnPart[];
  readonly tree: Tree;
  readonly isComplete: boolean;
};

/** One list of values serves all records, so that nothing of them outlives their writing. */
function* recordsOf(trace: DerivedTrace): Iterable<RecordCells> {
  const { context, contents, parts, tree, isComplete } = trace;
  const values: (ColumnValue | undefined)[] = standardColumns.map(() => undefined);
  for (let ordinal = 0; ordinal < contents.length; ordinal += 1) {
    const content = contents[ordinal] as Content;
    const { metrics, body } = parts[ordinal] as OwnPart;
    values.fill(undefined);
    putContentValues(values, content, context);
    const isTrace = ordinal === 0;
    if (!isTrace) values[at.parent_id] = tree.parentIds[ordinal - 1];
    const children = tree.children[isTrace ? contents.length - 1 : ordinal - 1] ?? [];
    values[at.has_children] = children.length > 0;
    values[at.is_complete] = isComplete;
    yield {
      group: context.group,
      ordinal,
      kind: content.type,
      values,
      metrics,
      userMetadata: content.user_metadata ?? {},
      errors: noErrors,
      annotators: noAnnotators,
      spanCount: isTrace ? contents.length - 1 : 0,
      body,
    };
  }
}

const noErrors: RecordCells['errors'] = {};
const noAnnotators: readonly string[] = [];
