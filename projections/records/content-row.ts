import type { RecordContent, SpanContent, TraceEvent } from '../../events/traces.js';
import type { StoredEvent, StreamName } from '../../kernel/ports.js';
import { columnIndex as at } from '../../kernel/records/columns.js';
import type { ColumnValue } from '../../kernel/records/record.js';
import { namedValues, type ColumnValues } from '../../kernel/records/record-cells.js';
import {
  recordFieldNames,
  spanFieldNamesOf,
  unsentSpanFields,
} from '../../kernel/records/span-fields.js';
import type { Json, JsonObject } from '../../kernel/schema-types.js';
import { textForm } from '../../kernel/records/text-form.js';
import { clearOverlap, removeMember, type RowBuilder } from './row-builder.js';
import { recordScores } from './scores.js';

/** Values that all rows of a trace share. */
export type TraceContext = {
  readonly group: StreamName;
  readonly projectId: string;
  readonly runId: string;
  readonly traceId: string;
  readonly sessionId: string;
};

type FirstTraceEvent = StoredEvent<TraceEvent> & { type: 'TraceLogged' | 'OtelSpansReceived' };
export const contextOf = ({ stream, data }: FirstTraceEvent): TraceContext => ({
  group: stream,
  projectId: data.project_id,
  runId: data.run_id,
  traceId: data.trace_id,
  sessionId: data.session_id ?? data.trace_id,
});

/** Log order of a value, as text that sorts like the log. */
export const logPlace = ({ position }: Pick<StoredEvent, 'position'>, ordinal: number): string =>
  `${position}-${ordinal.toString(16).padStart(8, '0')}`;

/**
 * Row of a record as it was sent; values that depend on other rows are derived later. `place`: its
 * event in the log.
 */
export const builderFromContent = (
  content: RecordContent | SpanContent,
  ordinal: number,
  context: TraceContext,
  place: string,
): RowBuilder => {
  const values: (ColumnValue | undefined)[] = [];
  putContentValues(values, content, context);
  const builder: RowBuilder = {
    group: context.group,
    ordinal,
    kind: content.type,
    values: namedValues(values),
    metrics: {},
    userMetadata: content.user_metadata ?? {},
    errors: {},
    annotators: [],
    spanCount: 0,
    body: bodyOfContent(content),
  };
  if (content.metrics !== undefined) recordScores(builder, content.metrics, place);
  return builder;
};

type Writable<T> = { -readonly [index in keyof T]: T[index] };

/** Sets the values of a record that its content alone decides. */
export const putContentValues = (
  values: Writable<ColumnValues>,
  content: RecordContent | SpanContent,
  context: TraceContext,
): void => {
  values[at.input] = textForm(content.input ?? '');
  values[at.output] = textForm(content.output);
  values[at.name] = content.name ?? '';
  values[at.created_at] = content.created_at;
  values[at.id] = content.id;
  if (content.tags !== undefined && content.tags.length > 0) values[at.tags] = content.tags;
  for (const name of recordFieldNames) values[at[name]] = content[name];
  values[at.session_id] = context.sessionId;
  values[at.project_id] = context.projectId;
  values[at.run_id] = context.runId;
  values[at.has_children] = false;
  values[at.is_complete] = false;
  if ('parent_id' in content) putSpanValues(values, content, context);
};

const putSpanValues = (
  values: Writable<ColumnValues>,
  content: SpanContent,
  context: TraceContext,
): void => {
  values[at.type] = content.type;
  values[at.trace_id] = context.traceId;
  values[at.parent_id] = content.parent_id;
  values[at.step_number] = content.step_number;
  const fields = spanFieldNamesOf[content.type];
  for (const name of fields) values[at[name]] = content[name] ?? unsentSpanFields[name];
  if (content.type === 'llm' && content.tools != null)
    values[at.tools] = JSON.stringify(content.tools);
};

/** Members of a record's body that its content alone decides. */
export const bodyOfContent = (content: RecordContent | SpanContent): Record<string, Json> => {
  const body: Record<string, Json> = {};
  putSentForm(body, 'input', content.input ?? '');
  putSentForm(body, 'output', content.output ?? null);
  if (content.redacted_input !== undefined) body['redacted_input'] = content.redacted_input;
  if (content.redacted_output !== undefined) body['redacted_output'] = content.redacted_output;
  if (content.dataset_metadata !== undefined) body['dataset_metadata'] = content.dataset_metadata;
  if (content.price !== undefined) body['price'] = content.price;
  if (content.type === 'llm' && content.events !== undefined) body['events'] = content.events;
  return body;
};

/** Replaces a text, and clears computed overlaps, since their text changed. */
export const putText = (builder: RowBuilder, name: 'input' | 'output', value: Json): void => {
  const { values, body } = builder;
  const text = textForm(value);
  if (name === 'output') clearOverlap(builder);
  if (text === null) removeMember(values, name);
  else values[name] = text;
  removeMember(body, name);
  removeMember(body, formNames[name]);
  putSentForm(body, name, value);
};

const formNames = { input: 'input_as', output: 'output_as' } as const;

/**
 * Puts into the body what is needed to restore a value from its text form: nothing for a string,
 * `<name>_as` for one message with nothing but text (by far the most common, and its text is not
 * stored twice), otherwise all of it.
 */
const putSentForm = (body: Record<string, Json>, name: 'input' | 'output', value: Json): void => {
  if (value === null || typeof value === 'string') return;
  const only = Array.isArray(value) && value.length === 1 ? (value as readonly Json[])[0] : value;
  const role = roleOfPlainMessage(only);
  if (role === null) body[name] = value;
  else body[formNames[name]] = only === value ? `message:${role}` : `messages:${role}`;
};

const roleOfPlainMessage = (value: Json | undefined): string | null => {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return null;
  const { content, role } = value as JsonObject;
  const isPlain = typeof content === 'string' && Object.keys(value).length === 2;
  return isPlain && typeof role === 'string' ? role : null;
};
