import { Type, type TSchema } from 'typebox';
import {
  externalIdMax,
  metadataKeyMax,
  metadataMax,
  metadataValueMax,
  nameMax,
  tagMax,
  tagsMax,
  textBytesMax,
} from '../kernel/records/limits.js';
import type { SpanKind } from '../kernel/records/record.js';
import type { SentMetrics, SentSpan, SentTrace } from '../kernel/records/sent-record.js';
import { mapRecordFields, mapSpanFields, spanFieldNamesOf } from '../kernel/records/span-fields.js';
import {
  id,
  instant,
  nullish,
  namedSchema,
  nullable,
  oneOf,
  plainSchemas,
  type Json,
  type JsonObject,
} from '../kernel/schema-types.js';

/** Limits of contract 1.11. Characters are code points. */
export const tracesMax = 1_000;
/** Span limit of one request, all levels of all its traces together. */
export const spansMax = 5_000;
export const metricsMax = 200;
export const metricNameMax = 128;

const text = Type.String({ maxLength: textBytesMax });
const openObject = Type.Unsafe<JsonObject>(Type.Object({}));

/** Map with free keys; a null entry is dropped (contract 7). */
const mapOf = <T extends TSchema>(value: T) => nullish(Type.Record(Type.String(), nullable(value)));

export const messageRoles = [
  'agent',
  'assistant',
  'developer',
  'function',
  'system',
  'tool',
  'user',
] as const;
export const llmEventTypes = [
  'message',
  'reasoning',
  'internal_tool_call',
  'web_search_call',
  'image_generation',
  'mcp_call',
  'mcp_list_tools',
  'mcp_approval_request',
] as const;

const part = namedSchema(
  'ContentPart',
  Type.Union([
    namedSchema('TextPart', Type.Object({ type: Type.Literal('text'), text })),
    namedSchema('FilePart', Type.Object({ type: Type.Literal('file'), file_id: id('FileId') })),
  ]),
);
const parts = Type.Array(part);
const toolCall = namedSchema(
  'ToolCall',
  Type.Object({
    id: text,
    function: namedSchema('FunctionCall', Type.Object({ name: text, arguments: text })),
  }),
);
const message = namedSchema(
  'ChatMessage',
  Type.Object({
    content: Type.Union([text, parts]),
    role: oneOf(messageRoles),
    tool_call_id: nullish(text),
    tool_calls: nullish(Type.Array(toolCall)),
  }),
);
const messages = Type.Array(message);
const document = namedSchema(
  'RetrievedDocument',
  Type.Object(
    {
      content: text,
      metadata: mapOf(Type.Union([text, Type.Number(), Type.Boolean()])),
    },
    { additionalProperties: false },
  ),
);
const documents = Type.Array(document);
const controlResult = namedSchema(
  'ControlResult',
  Type.Object({
    action: oneOf(['deny', 'steer', 'observe']),
    matched: Type.Boolean(),
    confidence: nullish(Type.Number()),
    error_message: nullish(text),
  }),
);

/** Input and output by kind (contract 5.6); null is allowed everywhere too. */
const stepInput = [text, messages, parts] as const;
const stepOutput = [text, message, documents, parts, controlResult] as const;
const traceText = [text, parts] as const;

export const tagList = nullish(
  Type.Array(nullable(Type.String({ minLength: 1, maxLength: tagMax })), { maxItems: tagsMax }),
);
/**
 * Metrics; record-rules.ts checks the values, because a list or an object is a `value_error`
 * (contract 3.4, rule 1).
 */
export const metricMap = Type.Optional(
  Type.Unsafe<SentMetrics | null>(
    nullable(
      Type.Record(Type.String(), Type.Unknown(), {
        maxProperties: metricsMax,
      }),
    ),
  ),
);
export const userMetadata = nullish(
  Type.Record(Type.String(), nullable(Type.String({ maxLength: metadataValueMax })), {
    propertyNames: { minLength: 1, maxLength: metadataKeyMax },
    maxProperties: metadataMax,
  }),
);
export const externalId = nullish(Type.String({ minLength: 1, maxLength: externalIdMax }));
export const recordName = nullish(Type.String({ maxLength: nameMax }));

const fieldTypes = { ...plainSchemas, text };
const { status_code, ...otherFields } = mapRecordFields(({ type, charactersMax: maxLength }) =>
  nullish(maxLength === undefined ? fieldTypes[type] : Type.String({ minLength: 1, maxLength })),
);
const members = (input: readonly TSchema[], output: readonly TSchema[]) => ({
  id: nullish(id('RecordId')),
  input: anyOf(input),
  output: anyOf(output),
  redacted_input: anyOf(input),
  redacted_output: anyOf(output),
  name: recordName,
  created_at: nullish(instant),
  user_metadata: userMetadata,
  tags: tagList,
  status_code,
  metrics: metricMap,
  ...otherFields,
  dataset_metadata: mapOf(text),
});

export const anyOf = (shapes: readonly TSchema[]) =>
  Type.Optional(Type.Unsafe<Json>(Type.Union([...shapes, Type.Null()])));

/** Event of a model call, stored whole with all other members. */
const llmEvent = namedSchema(
  'LlmEvent',
  Type.Object({ type: oneOf(llmEventTypes) }, { additionalProperties: true }),
);
const fieldSchemas = mapSpanFields(({ type, allowed }) =>
  nullish(allowed === undefined ? fieldTypes[type] : oneOf(allowed)),
);
const spanList = nullish(Type.Array(Type.Ref('NewSpan')));
const span = <K extends SpanKind>(
  kind: K,
  input: readonly TSchema[],
  output: readonly TSchema[],
  further: Readonly<Record<string, TSchema>> = {},
) =>
  namedSchema(
    `New${kind.charAt(0).toUpperCase()}${kind.slice(1)}Span`,
    Type.Object({
      type: Type.Literal(kind),
      ...members(input, output),
      step_number: nullish(Type.Integer()),
      parent_id: nullish(id('RecordId')),
      trace_id: nullish(id('TraceId')),
      spans: spanList,
      ...further,
      ...Object.fromEntries(spanFieldNamesOf[kind].map((name) => [name, fieldSchemas[name]])),
    }),
  );

/** Span schema of any depth: the guard limits the nesting before it validates (contract 1.11). */
export const spanSchema = Type.Unsafe<SentSpan>(
  Type.Cyclic(
    {
      NewSpan: Type.Union([
        span('llm', [text, messages], [text, message], {
          tools: nullish(Type.Array(openObject)),
          events: nullish(Type.Array(llmEvent)),
        }),
        span('retriever', [text], [text, document, documents]),
        span('tool', [text], [text]),
        span('workflow', stepInput, stepOutput),
        span('agent', stepInput, stepOutput),
        span('control', stepInput, [controlResult]),
      ]),
    },
    'NewSpan',
  ),
);

export const traceSchema = Type.Unsafe<SentTrace>(
  namedSchema(
    'NewTrace',
    Type.Object({
      type: nullish(Type.Literal('trace')),
      ...members(traceText, traceText),
      session_id: nullish(id('SessionId')),
      spans: nullish(Type.Array(spanSchema)),
    }),
  ),
);

export const traceTextSchema = anyOf(traceText);
/** Input of a span of unknown kind; the decision validates it again with the kind. */
export const anySpanInput = anyOf(stepInput);
export const anySpanOutput = anyOf([text, message, document, controlResult, documents, parts]);
