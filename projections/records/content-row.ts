import type { RecordContent, SpanContent } from '../../events/traces.js';
import type { StreamName } from '../../kernel/ports.js';
import type { ColumnValue } from '../../kernel/records/record.js';
import { ownMembers } from '../../kernel/records/record-view.js';
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

/**
 * Row of a record as it was sent; values that depend on other rows are derived later. `at`: its
 * event in the log.
 */
export const builderFromContent = (
  content: RecordContent | SpanContent,
  ordinal: number,
  context: TraceContext,
  at: string,
): RowBuilder => {
  const builder: RowBuilder = {
    group: context.group,
    ordinal,
    kind: content.type,
    values: commonValues(content, context),
    metrics: {},
    userMetadata: content.user_metadata ?? {},
    errors: {},
    annotators: [],
    spanCount: 0,
    body: {},
  };
  putText(builder, 'input', content.input ?? '');
  putText(builder, 'output', content.output ?? null);
  const { values, body } = builder;
  if (content.tags !== undefined && content.tags.length > 0) values['tags'] = content.tags;
  if ('parent_id' in content) putSpanValues(values, content, context);
  if (content.redacted_input !== undefined) body['redacted_input'] = content.redacted_input;
  if (content.redacted_output !== undefined) body['redacted_output'] = content.redacted_output;
  if (content.dataset_metadata !== undefined) body['dataset_metadata'] = content.dataset_metadata;
  if (content.price !== undefined) body['price'] = content.price;
  if (content.type === 'llm' && content.events !== undefined) body['events'] = content.events;
  if (content.metrics !== undefined) recordScores(builder, content.metrics, at);
  return builder;
};

const commonValues = (
  content: RecordContent,
  context: TraceContext,
): Record<string, ColumnValue> => {
  const values: Record<string, ColumnValue> = {
    input: '',
    name: content.name ?? '',
    created_at: content.created_at,
    id: content.id,
    session_id: context.sessionId,
    project_id: context.projectId,
    run_id: context.runId,
    has_children: false,
    is_complete: false,
  };
  if (content.external_id !== undefined) values['external_id'] = content.external_id;
  if (content.status_code !== undefined) values['status_code'] = content.status_code;
  if (content.dataset_input !== undefined) values['dataset_input'] = content.dataset_input;
  if (content.dataset_output !== undefined) values['dataset_output'] = content.dataset_output;
  return values;
};

const putSpanValues = (
  values: Record<string, ColumnValue>,
  content: SpanContent,
  context: TraceContext,
): void => {
  values['type'] = content.type;
  values['trace_id'] = context.traceId;
  values['parent_id'] = content.parent_id;
  if (content.step_number !== undefined) values['step_number'] = content.step_number;
  for (const name of ownMembers[content.type]) {
    const value = (content as Readonly<Record<string, unknown>>)[name];
    if (value !== undefined) values[name] = value as ColumnValue;
  }
  if (content.type === 'agent') values['agent_type'] ??= 'default';
  if (content.type === 'llm' && content.tools !== undefined && content.tools !== null) {
    values['tools'] = JSON.stringify(content.tools);
  }
};

/**
 * Stores the text form in the values, and in the body what is needed to restore the value: nothing
 * for a string, `<name>_as` for one message with nothing but text (by far the most common, and its
 * text is not stored twice), otherwise all of it. Clears computed overlaps, since their text
 * changed.
 */
export const putText = (builder: RowBuilder, name: 'input' | 'output', value: Json): void => {
  const text = textForm(value);
  if (name === 'output') clearOverlap(builder);
  if (text === null) removeMember(builder.values, name);
  else builder.values[name] = text;
  const { body } = builder;
  removeMember(body, name);
  removeMember(body, `${name}_as`);
  if (value === null || typeof value === 'string') return;
  const only = Array.isArray(value) && value.length === 1 ? (value as readonly Json[])[0] : value;
  const role = roleOfPlainMessage(only);
  if (role === null) body[name] = value;
  else body[`${name}_as`] = only === value ? `message:${role}` : `messages:${role}`;
};

const roleOfPlainMessage = (value: Json | undefined): string | null => {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return null;
  const { content, role } = value as JsonObject;
  const isPlain = typeof content === 'string' && Object.keys(value).length === 2;
  return isPlain && typeof role === 'string' ? role : null;
};
