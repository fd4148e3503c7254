import type { Json, JsonObject } from '../../kernel/schema-types.js';
import { treeOfSpans, type GroupedRow, type RowsFormat } from './trace-grouping.js';
import { spanIdFor, traceIdFor } from './ids.js';
import { isList, isObject, withoutEmpty, type ImportedRecord } from './records.js';
import {
  outputDocuments,
  elapsedNs,
  instantFor,
  outputMessage,
  inputMessages,
  metadataOf,
  nameFor,
  numberOf,
  scalars,
  tagsOf,
  textOf,
  toolCall,
  parseEmbeddedJson,
} from './texts.js';

/**
 * Spans as Arize Phoenix exports them: rows of `get_spans_dataframe()` written with
 * `to_json(orient="records", lines=True)` (arize.com/docs/phoenix/tracing/
 * how-to-tracing/importing-and-exporting-traces/extract-data-from-spans) or objects of its REST
 * interface with a nested `context`. Attributes have the names of OpenInference
 * (github.com/Arize-ai/openinference, its page Semantic Conventions), as dotted names, as lists of
 * objects or as objects within objects: all are read as dotted names. Attributes map to members as
 * in contract 5.12, and so do the ids.
 */
export const phoenix: RowsFormat = {
  rowsOf: (value) => {
    const trace = textOf(flattenMembers(value)['context.trace_id']);
    return trace === null || trace === '' ? [] : [{ trace, row: value }];
  },
  traceOf: (trace, rows) => traceOf(trace, rows),
};

type FlatMembers = Readonly<Record<string, Json>>;

/** All nested scalars by their path: `llm.input_messages.0.message.role`. */
const flattenMembers = (value: Json, path = '', found: Record<string, Json> = {}): FlatMembers => {
  if (typeof value !== 'object' || value === null) {
    if (value !== null) found[path] = value;
    return found;
  }
  for (const [name, inner] of Object.entries(value)) {
    flattenMembers(inner, path === '' ? name : `${path}.${name}`, found);
  }
  return found;
};

const attributesPrefix = 'attributes.';

/** Parses the JSON texts of a table, except for values that are texts by meaning. */
const attributesOf = (row: JsonObject): FlatMembers => {
  const found: Record<string, Json> = {};
  for (const [name, value] of Object.entries(row)) {
    if (name === 'attributes') flattenMembers(value, '', found);
    else if (name.startsWith(attributesPrefix)) {
      const bare = name.slice(attributesPrefix.length);
      flattenMembers(
        listAttributes.includes(bare) ? (parseEmbeddedJson(value) ?? null) : value,
        bare,
        found,
      );
    }
  }
  return found;
};
const listAttributes = [
  'llm.input_messages',
  'llm.output_messages',
  'llm.tools',
  'retrieval.documents',
];

/** The items of a list in order: `llm.tools.0.x` and `llm.tools.1.x` are two. */
const listItems = (attributes: FlatMembers, list: string): readonly FlatMembers[] => {
  const found = new Map<number, Record<string, Json>>();
  for (const [name, value] of Object.entries(attributes)) {
    if (!name.startsWith(`${list}.`)) continue;
    const [, index = '', rest = ''] = /^(\d+)\.(.*)$/.exec(name.slice(list.length + 1)) ?? [];
    if (index === '') continue;
    const item = found.get(Number(index)) ?? {};
    item[rest] = value;
    found.set(Number(index), item);
  }
  return [...found].sort(([one], [other]) => one - other).map(([, item]) => item);
};

const messageOf = (item: FlatMembers): JsonObject => {
  const contents = listItems(item, 'message.contents').flatMap((part) => {
    const text = part['message_content.text'];
    return typeof text === 'string' ? [{ type: 'text', text }] : [];
  });
  const calls = listItems(item, 'message.tool_calls').map((call) =>
    toolCall({
      id: call['tool_call.id'] ?? null,
      name: call['tool_call.function.name'] ?? null,
      arguments: call['tool_call.function.arguments'] ?? null,
    }),
  );
  const plain = textOf(item['message.content']);
  return {
    role: item['message.role'] ?? 'user',
    content: plain ?? (contents.length > 0 ? contents : ''),
    ...withoutEmpty({ tool_call_id: item['message.tool_call_id'], tool_calls: calls }),
  };
};

const inMessages = (attributes: FlatMembers): Json => {
  const messages = listItems(attributes, 'llm.input_messages').map(messageOf);
  return inputMessages(messages.length > 0 ? messages : attributes['input.value']);
};
const outMessage = (attributes: FlatMembers): Json => {
  const [message] = listItems(attributes, 'llm.output_messages').map(messageOf);
  return outputMessage(message ?? attributes['output.value']);
};
const inText = (attributes: FlatMembers): Json => textOf(attributes['input.value']);
const outText = (attributes: FlatMembers): Json => textOf(attributes['output.value']);
const inTool = (attributes: FlatMembers): Json =>
  textOf(attributes['tool.parameters']) ?? inText(attributes);
const outDocuments = (attributes: FlatMembers): Json => {
  const documents = listItems(attributes, 'retrieval.documents').map((item) => ({
    content: textOf(item['document.content']) ?? '',
    ...withoutEmpty({
      metadata: scalars({
        ...metadataOf(nestedValue(item, 'document.metadata')),
        ...withoutEmpty({ id: item['document.id'], score: item['document.score'] }),
      }),
    }),
  }));
  return documents.length > 0 ? documents : outputDocuments(attributes['output.value']);
};

/** The value below a name, as an object again; or its text. */
const nestedValue = (attributes: FlatMembers, name: string): Json => {
  const whole = attributes[name];
  if (whole !== undefined) return whole;
  const inside = Object.entries(attributes).filter(([one]) => one.startsWith(`${name}.`));
  return Object.fromEntries(inside.map(([one, value]) => [one.slice(name.length + 1), value]));
};

type SpanForm = {
  readonly type: string;
  readonly input: (attributes: FlatMembers) => Json;
  readonly output: (attributes: FlatMembers) => Json;
};
const textStep = (type: string): SpanForm => ({ type, input: inText, output: outText });

/** Forms by `span_kind`; a control's result form (contract 5.6) has no attribute. */
const spanForms: Readonly<Record<string, SpanForm>> = {
  LLM: { type: 'llm', input: inMessages, output: outMessage },
  TOOL: { type: 'tool', input: inTool, output: outText },
  AGENT: textStep('agent'),
  RETRIEVER: { type: 'retriever', input: inText, output: outDocuments },
  RERANKER: { type: 'retriever', input: inText, output: outDocuments },
  GUARDRAIL: { type: 'control', input: inText, output: () => null },
};
const workflow = textStep('workflow');
const statusCodes: Readonly<Record<string, number>> = { OK: 200, ERROR: 500 };

/** First match wins. */
const metricAttributes: Readonly<Record<string, readonly string[]>> = {
  num_input_tokens: ['llm.token_count.prompt'],
  num_output_tokens: ['llm.token_count.completion'],
  num_total_tokens: ['llm.token_count.total'],
  num_cached_input_tokens: ['llm.token_count.prompt_details.cache_read'],
  num_cache_creation_input_tokens: ['llm.token_count.prompt_details.cache_write'],
  num_reasoning_tokens: ['llm.token_count.completion_details.reasoning'],
  num_audio_input_tokens: ['llm.token_count.prompt_details.audio'],
  num_audio_output_tokens: ['llm.token_count.completion_details.audio'],
  cost: ['llm.cost.total'],
};
/** Attributes mapped to members of their own; the scalars among the others become metadata. */
const mappedAttributes = (
  'input output llm tool tool_call message retrieval embedding ' +
  'reranker metadata tag session openinference'
).split(' ');
const isMapped = (name: string): boolean => mappedAttributes.includes(name.split('.', 1)[0] ?? '');

const source = 'phoenix';
type PhoenixSpan = {
  readonly id: string;
  readonly parent: string | null;
  readonly row: JsonObject;
  readonly flat: FlatMembers;
  readonly attributes: FlatMembers;
};

const traceOf = (theirs: string, gathered: readonly GroupedRow[]): ImportedRecord => {
  const line = gathered[0]?.line ?? 0;
  const spans = gathered.map(({ row }): PhoenixSpan => {
    const flat = flattenMembers(row);
    const id = textOf(flat['context.span_id']) ?? textOf(flat['span_id']) ?? '';
    const parent = textOf(flat['parent_id']) || null;
    return { id, parent, row, flat, attributes: attributesOf(row) };
  });
  if (spans.some(({ id }) => id === '')) {
    const problem =
      'a span has no context.span_id; of a dataframe it is the index: reset_index() before to_json';
    return { line, problem };
  }
  const known = new Set(spans.map(({ id }) => id));
  const root =
    spans.find(({ parent }) => parent === null) ??
    spans.find(({ parent }) => !known.has(parent ?? ''));
  const session = spans.map(({ attributes }) => textOf(attributes['session.id'])).find(Boolean);
  const { input: _, output: _o, ...shown } = root === undefined ? {} : recordOf(root);
  return {
    line,
    kind: 'trace',
    request: session === undefined || session === null ? {} : { session_external_id: session },
    trace: withoutEmpty({
      ...shown,
      id: traceIdFor(source, theirs),
      external_id: theirs,
      ...(root !== undefined && {
        input: inText(root.attributes),
        output: outText(root.attributes),
      }),
      spans: treeOfSpans(spans, (span, below) => spanOf(theirs, span, below)),
    }),
  };
};

/** The members that a trace takes from its root too (contract 5.12, rule 3). */
const recordOf = ({ row, flat, attributes }: PhoenixSpan): JsonObject => {
  const others = Object.entries(attributes).filter(([name]) => !isMapped(name));
  return withoutEmpty({
    name: nameFor(row['name']),
    created_at: instantFor(row['start_time']),
    status_code: statusCodes[textOf(flat['status_code'])?.toUpperCase() ?? ''],
    tags: tagsOf(list(attributes, 'tag.tags')),
    user_metadata: metadataOf(
      nestedValue(attributes, 'metadata'),
      Object.fromEntries(
        others.map(([name, value]) => [name.replace(/^user\.id$/, 'user_id'), value]),
      ),
      withoutEmpty({ status_message: flat['status_message'] }),
    ),
    metrics: withoutEmpty({ duration_ns: elapsedNs(row['start_time'], row['end_time']) }),
  });
};

const spanOf = (trace: string, span: PhoenixSpan, below: readonly JsonObject[]): JsonObject => {
  const { id, flat, attributes } = span;
  const kind = textOf(flat['span_kind'] ?? attributes['openinference.span.kind']) ?? '';
  const form = spanForms[kind.toUpperCase()] ?? workflow;
  const { metrics: own, ...shared } = recordOf(span);
  return withoutEmpty({
    type: form.type,
    id: spanIdFor(source, trace, id),
    external_id: id,
    ...shared,
    input: form.input(attributes),
    output: form.output(attributes),
    ...(form.type === 'llm' && modelOf(attributes)),
    ...(form.type === 'tool' && { tool_call_id: textOf(attributes['tool_call.id']) }),
    metrics: withoutEmpty({
      ...(isObject(own) && own),
      ...Object.fromEntries(
        Object.entries(metricAttributes).map(([metric, names]) => [
          metric,
          names.map((name) => numberOf(attributes[name])).find((one) => one !== null) ?? null,
        ]),
      ),
    }),
    spans: below,
  });
};

const modelOf = (attributes: FlatMembers): JsonObject => {
  const parameters = parseEmbeddedJson(nestedValue(attributes, 'llm.invocation_parameters'));
  const tools = listItems(attributes, 'llm.tools').map((tool) =>
    parseEmbeddedJson(nestedValue(tool, 'tool.json_schema')),
  );
  return withoutEmpty({
    model: textOf(attributes['llm.model_name']),
    temperature: isObject(parameters) ? numberOf(parameters['temperature']) : null,
    finish_reason: textOf(attributes['llm.finish_reason']),
    tools: tools.flatMap((tool) => (isObject(tool) ? [tool] : [])),
  });
};

/** A list of scalars whose indexes became names. */
const list = (attributes: FlatMembers, name: string): Json => {
  const inside = nestedValue(attributes, name);
  return isObject(inside) ? Object.values(inside) : inside;
};
export const isPhoenixRow = (value: JsonObject): boolean => {
  const { context, data } = value;
  const [first] = isList(data) ? data : [];
  if (isObject(first)) return isPhoenixRow(first);
  return 'context.trace_id' in value || (isObject(context) && 'trace_id' in context);
};
