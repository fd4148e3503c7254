import { unreachable } from '../../kernel/decision.js';
import type { StoredEvent } from '../../kernel/ports.js';
import { elapsedOf, spanOutline, type SpanOutline } from '../../kernel/records/outlines.js';
import { otelMapping, type OtelMapping } from '../../kernel/otel/mapping.js';
import { otelTrace, type OtelTrace } from '../../kernel/otel/trace.js';
import type { RecordRow } from '../../kernel/records/record.js';
import type { Instant } from '../../kernel/schema-types.js';
import type { RecordChanges, SpanContent, TraceEvent } from '../../events/traces.js';
import { skippedType } from '../read-model.js';
import { deriveValues } from './derive.js';
import {
  builderFromRow,
  builderFromOutline,
  ownNumber,
  putElapsed,
  removeMember,
  type RowBuilder,
} from './row-builder.js';
import { putText, builderFromContent, type TraceContext } from './content-row.js';
import { annotate } from './annotations.js';
import { addTags, putRoot, putSession } from './otel-rows.js';
import { recordScores } from './scores.js';

/**
 * The rows of a trace after these events of its stream, in revision order; no rows = no trace. An
 * event that the rows already know, by its revision, changes nothing; gaps are the caller's to
 * find.
 */
export const foldTrace = (
  rows: readonly RecordRow[],
  events: readonly StoredEvent<TraceEvent>[],
  mapping: OtelMapping = otelMapping,
): readonly RecordRow[] => {
  const folded = events.reduce(evolveWith(mapping), rows.map(builderFromRow));
  deriveValues(folded);
  return folded;
};

/** A stored trace, as far as events are folded onto it. */
type KnownTrace = {
  readonly head: RecordRow;
  /** All its spans. */
  readonly spans: readonly SpanOutline[];
  /** The rows of those that the events are about: see `spansToLoad`. */
  readonly named: readonly RecordRow[];
};
/** What changes of a trace; the rows that are not here stay as they are. */
export type ChangedTrace = {
  /** None: the trace is gone. */
  readonly rows: readonly RecordRow[];
  /**
   * Spans of which only place in the tree or elapsed time changed: `rowInTree` makes their rows.
   */
  readonly moved: readonly SpanOutline[];
  /** All spans as they are now. */
  readonly spans: readonly SpanOutline[];
};

/**
 * As `foldTrace` of all rows of the trace, for what is added: of the spans that no event is about
 * it needs and gives no more than their outlines.
 */
export const foldOntoOutlines = (
  { head, spans, named }: KnownTrace,
  events: readonly StoredEvent<TraceEvent>[],
  mapping: OtelMapping = otelMapping,
): ChangedTrace => {
  const whole = new Map(named.map((row) => [row.ordinal, row]));
  const before = spans.map((span) => {
    const row = whole.get(span.ordinal);
    return row === undefined ? builderFromOutline(span, head.group) : builderFromRow(row);
  });
  const builders = events.reduce(evolveWith(mapping), [builderFromRow(head), ...before]);
  deriveValues(builders);
  const after = builders.slice(1).map((builder) => ({ builder, outline: outlineAfter(builder) }));
  return {
    rows: builders.filter(({ outline }) => outline === undefined),
    moved: after.flatMap(({ builder, outline }) =>
      builder.outline === undefined || builder.outline === outline ? [] : [outline],
    ),
    spans: after.map(({ outline }) => outline),
  };
};

const outlineAfter = (builder: RowBuilder): SpanOutline => {
  const { outline, values, body } = builder;
  if (outline === undefined) return spanOutline(builder);
  const stays =
    outline.parent === values['parent_id'] &&
    outline.hasChildren === values['has_children'] &&
    outline.sent === body['parent_id'] &&
    outline.elapsed === elapsedOf(builder);
  return stays ? outline : { ...spanOutline(builder), numbers: outline.numbers };
};

/** The stored row of a span where the tree has it now, with what its trace says about it. */
export const rowInTree = (row: RecordRow, outline: SpanOutline, head: RecordRow): RecordRow => {
  const builder = builderFromRow(row);
  builder.values['parent_id'] = outline.parent;
  builder.values['has_children'] = outline.hasChildren;
  if (ownNumber(builder.metrics['duration_ns']) === null) {
    putElapsed(builder.metrics, outline.elapsed);
  }
  builder.values['is_complete'] = head.values['is_complete'] ?? false;
  builder.annotators = head.annotators;
  if (outline.sent === undefined) removeMember(builder.body, 'parent_id');
  else builder.body['parent_id'] = outline.sent;
  return builder;
};

/** Ids of the records that an event changes beyond what it brings: their rows are needed whole. */
export const spansToLoad = (events: readonly StoredEvent[]): ReadonlySet<string> =>
  new Set(
    (events as readonly StoredEvent<TraceEvent>[]).flatMap(({ type, data }) => {
      if (type === 'SpanUpdated') return [data.span_id];
      return type === 'ScoresRecorded' ? [data.record_id] : [];
    }),
  );

const evolveWith =
  (mapping: OtelMapping) =>
  (rows: RowBuilder[], event: StoredEvent<TraceEvent>): RowBuilder[] => {
    const known = rows[0] === undefined ? -1 : Number(rows[0].body['revision']);
    if (event.revision <= known) return rows;
    const after = (event.type as string) === skippedType ? rows : applyEvent(rows, event, mapping);
    if (after[0] !== undefined) after[0].body['revision'] = event.revision;
    return after;
  };

const applyEvent = (
  rows: RowBuilder[],
  event: StoredEvent<TraceEvent>,
  mapping: OtelMapping,
): RowBuilder[] => {
  switch (event.type) {
    case 'TraceLogged':
      return newTraceRows(event);
    case 'OtelSpansReceived':
      return withReceivedSpans(rows, event, otelTrace(mapping, event.data));
    case 'SpansLogged':
      return withLoggedSpans(rows, event);
    case 'TraceUpdated':
      applyChanges(
        requireRow(rows, event.data.trace_id, event),
        event.data.changes,
        event.metadata.at,
      );
      return rows;
    case 'SpanUpdated':
      applyChanges(
        requireRow(rows, event.data.span_id, event),
        event.data.changes,
        event.metadata.at,
      );
      return rows;
    case 'ScoresRecorded': {
      const { record_id: id, scores, roll_up_methods: methods } = event.data;
      const row = requireRow(rows, id, event);
      // The events of scorers from before they said so have no member `scorer`.
      const by = event.metadata.actor.type === 'service' ? 'scorer' : 'client';
      recordScores(row, scores, logPlace(event, row.ordinal), { methods, by });
      row.values['updated_at'] = event.metadata.at;
      return rows;
    }
    case 'RatingGiven': {
      const { trace_id: id, template_id: template, user_id: user, ...given } = event.data;
      const { annotation_type, value, explanation, given_at } = given;
      const rating = { annotation_type, value, explanation, given_at };
      annotate(requireRow(rows, id, event), template, user, rating);
      return rows;
    }
    case 'RatingWithdrawn': {
      const { trace_id: id, template_id: template, user_id: user } = event.data;
      annotate(requireRow(rows, id, event), template, user, null);
      return rows;
    }
    case 'TraceDeleted':
      return [];
    default:
      return unreachable(event);
  }
};

/** Where in the log a value came from, as text that sorts like the log. */
const logPlace = (event: StoredEvent<TraceEvent>, ordinal: number): string =>
  `${event.position}-${ordinal.toString(16).padStart(8, '0')}`;

const newTraceRows = (event: StoredEvent<TraceEvent> & { type: 'TraceLogged' }): RowBuilder[] => {
  const { data } = event;
  const context = contextOf(event);
  const trace = builderFromContent(data.trace, 0, context, logPlace(event, 0));
  trace.values['is_complete'] = data.is_complete;
  return [trace, ...spanRows(data.spans, 1, context, event)];
};

type FirstTraceEvent = StoredEvent<TraceEvent> & { type: 'TraceLogged' | 'OtelSpansReceived' };
const contextOf = ({ stream, data }: FirstTraceEvent): TraceContext => ({
  group: stream,
  projectId: data.project_id,
  runId: data.run_id,
  traceId: data.trace_id,
  sessionId: data.session_id ?? data.trace_id,
});

/** Contract 5.12, rule 3: the trace is there with its first span, and whole with its root. */
const withReceivedSpans = (
  rows: RowBuilder[],
  event: StoredEvent<TraceEvent> & { type: 'OtelSpansReceived' },
  { trace: first, root, spans }: OtelTrace,
): RowBuilder[] => {
  const [known] = rows;
  const trace = known ?? builderFromContent(first, 0, contextOf(event), logPlace(event, 0));
  if (known === undefined) trace.values['is_complete'] = root !== null;
  else {
    if (event.data.with_trace !== true) trace.values['updated_at'] = event.metadata.at;
    putSession(rows, event.data);
    if (root !== null) putRoot(trace, root, logPlace(event, 0));
  }
  const before = known === undefined ? [trace] : rows;
  const context = contextAround(trace);
  return [...before, ...spanRows(spans, before.length, context, event)];
};

const spanRows = (
  spans: readonly SpanContent[],
  ordinal: number,
  context: TraceContext,
  event: StoredEvent<TraceEvent>,
): RowBuilder[] =>
  spans.map((span, index) =>
    builderFromContent(span, ordinal + index, context, logPlace(event, ordinal + index)),
  );

const withLoggedSpans = (
  rows: RowBuilder[],
  event: StoredEvent<TraceEvent> & { type: 'SpansLogged' },
): RowBuilder[] => {
  const trace = requireRow(rows, event.data.trace_id, event);
  const { values } = trace;
  const context = contextAround(trace);
  // The rest of a large trace is not a change of it; spans of another request are (contract 7).
  if (event.data.with_trace !== true) values['updated_at'] = event.metadata.at;
  return [...rows, ...spanRows(event.data.spans, rows.length, context, event)];
};

const contextAround = ({ group, values }: RowBuilder): TraceContext => ({
  group,
  projectId: String(values['project_id']),
  runId: String(values['run_id']),
  traceId: String(values['id']),
  sessionId: String(values['session_id']),
});

/**
 * The row with this id; the trace's own comes first. A decider let the event through, so it has to
 * be there.
 */
const requireRow = (rows: readonly RowBuilder[], id: string, event: StoredEvent): RowBuilder => {
  const found = rows.find(({ values }) => values['id'] === id);
  if (found === undefined || found.outline !== undefined) {
    throw new RangeError(`${event.type} names the record ${id}, which ${event.stream} lacks`);
  }
  return found;
};

const applyChanges = (row: RowBuilder, changes: RecordChanges, at: Instant): void => {
  const { values } = row;
  if (changes.input !== undefined) putText(row, 'input', changes.input);
  if (changes.output !== undefined) putText(row, 'output', changes.output);
  if (changes.status_code !== undefined) values['status_code'] = changes.status_code;
  addTags(row, changes.tags ?? []);
  if (changes.is_complete !== undefined && row.ordinal === 0) {
    values['is_complete'] = changes.is_complete;
  }
  values['updated_at'] = at;
};
