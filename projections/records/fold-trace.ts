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
import {
  builderFromContent,
  contextOf,
  logPlace,
  putText,
  type TraceContext,
} from './content-row.js';
import { annotate } from './annotations.js';
import { addTags, putRoot, putSession } from './otel-rows.js';
import { recordScores } from './scores.js';

/**
 * Folds events of a trace's stream, in revision order, onto its rows; no rows = no trace.
 * Idempotent: an event that the rows already contain, by its revision, changes nothing; callers
 * check for gaps.
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

/** A stored trace that events are folded onto. */
type KnownTrace = {
  readonly head: RecordRow;
  /** All its spans. */
  readonly spans: readonly SpanOutline[];
  /** Full rows of the spans that the events name: see `spansToLoad`. */
  readonly named: readonly RecordRow[];
};
/** Changes to a trace; other rows stay as they are. */
export type ChangedTrace = {
  /** Empty: the trace was deleted. */
  readonly rows: readonly RecordRow[];
  /** Spans whose place in the tree or elapsed time alone changed: `rowInTree` makes their rows. */
  readonly moved: readonly SpanOutline[];
  /** All spans after the events. */
  readonly spans: readonly SpanOutline[];
};

/**
 * Equivalent of `foldTrace` for events that add to a trace: for spans that no event names it needs
 * and returns only outlines.
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

/**
 * The stored row of a span at its current place in the tree, with the values that derive from its
 * trace.
 */
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

/** Ids of existing records that events change: their full rows are needed. */
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
      // Scorer events from before the member `scorer` existed lack it.
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

const newTraceRows = (event: StoredEvent<TraceEvent> & { type: 'TraceLogged' }): RowBuilder[] => {
  const { data } = event;
  const context = contextOf(event);
  const trace = builderFromContent(data.trace, 0, context, logPlace(event, 0));
  trace.values['is_complete'] = data.is_complete;
  return [trace, ...spanRows(data.spans, 1, context, event)];
};

/**
 * Adds received spans: the first span creates the trace, and its root completes it (contract 5.12,
 * rule 3).
 */
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
  // The rest of a large trace does not count as a change; spans of another request do (contract 7).
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
 * The row with this id; the trace's own comes first. A missing one is an error, since the command
 * side validated the event.
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
