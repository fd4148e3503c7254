import type { Json, JsonObject } from '../shapes.js';
import {
  genAiEventsInput,
  genAiEventsOutput,
  genAiFinishReason,
  genAiInput,
  genAiKind,
  genAiOutput,
} from './gen-ai.js';
import { message, messagesOf, type ChatMessage } from './messages.js';
import {
  documents,
  inputMessages,
  openInferenceKind,
  outputMessages,
  toolSchemas,
  type RetrievedDocument,
} from './openinference.js';
import {
  llmRequestKind,
  numberedCompletions,
  numberedFinishReason,
  numberedPrompts,
  requestFunctions,
  traceloopKind,
} from './openllmetry.js';
import { langChainInput, langChainOutput, langChainText } from './langchain.js';
import { attribute, count, memberOf, number, numberOf, text, type Rule } from './rule.js';
import { isJsonList, isJsonObject, parsed, textOf } from './values.js';
import { vercelInput, vercelKind, vercelOutput, vercelToolResult } from './vercel-ai.js';

export type OtelKind = 'llm' | 'retriever' | 'tool' | 'workflow' | 'agent' | 'control';
type Rules<T> = readonly Rule<T>[];

/** Contract 5.12: for each member of a record its rules, the first that has an answer wins. */
export type OtelRules = {
  readonly kind: Rules<OtelKind>;
  /** Without an answer the name of the span. */
  readonly name: Rules<string>;
  readonly statusCode: Rules<number>;
  readonly errorMessage: Rules<string>;
  readonly input: Readonly<Record<OtelKind, Rules<Json>>>;
  readonly output: Readonly<Record<OtelKind, Rules<Json>>>;
  readonly model: Rules<string>;
  readonly temperature: Rules<number>;
  readonly finishReason: Rules<string>;
  readonly tools: Rules<readonly JsonObject[]>;
  readonly toolCallId: Rules<string>;
  /** By metric. */
  readonly metrics: Readonly<Record<string, Rules<number>>>;
  /** External id of the session. */
  readonly session: Rules<string>;
  readonly tags: Rules<readonly string[]>;
  readonly metadata: Rules<JsonObject>;
  readonly userId: Rules<string>;
  /** Families of attributes that are metadata by what stands behind. */
  readonly metadataFamilies: readonly string[];
};

/**
 * How received spans become records. The records' read model has the version in its own: a changed
 * rule has to have another, and then the whole history is mapped anew.
 */
export type OtelMapping = { readonly version: number; readonly rules: OtelRules };

const inputText: Rules<string> = [
  text('gen_ai.tool.call.arguments'),
  text('tool.parameters'),
  text('ai.toolCall.args'),
  text('traceloop.entity.input'),
  text('input.value'),
];
const answeredText: Rules<string> = [
  text('gen_ai.tool.call.result'),
  vercelToolResult,
  text('traceloop.entity.output'),
];
const outputText: Rules<string> = [...answeredText, text('output.value')];
const asked = (name: string): Rule<readonly ChatMessage[]> =>
  attribute(name, (value) => messagesOf(value, 'user'));
const answered = (name: string): Rule<ChatMessage> =>
  attribute(name, (value) => messagesOf(value, 'assistant')?.[0]);
const one = <T>(rule: Rule<T>, as: (value: T) => Json): Rule<Json> => ({
  names: rule.names,
  read: (span) => {
    const value = rule.read(span);
    return value === undefined ? undefined : as(value);
  },
});

const messagesIn: Rules<readonly ChatMessage[]> = [
  genAiInput,
  numberedPrompts,
  genAiEventsInput,
  inputMessages,
  vercelInput,
];
const messageOut: Rules<ChatMessage> = [
  genAiOutput,
  numberedCompletions,
  genAiEventsOutput,
  outputMessages,
  vercelOutput,
];
const llmInput: Rules<Json> = [
  ...messagesIn,
  ...['input.value', 'traceloop.entity.input'].map(asked),
  ...['input.value', 'traceloop.entity.input'].map((name) =>
    one(text(name), (value) => [message('user', value)]),
  ),
];
const llmOutput: Rules<Json> = [
  ...messageOut,
  ...['output.value', 'traceloop.entity.output'].map(answered),
  ...['output.value', 'traceloop.entity.output'].map((name) =>
    one(text(name), (value) => message('assistant', value)),
  ),
];
const stepInput: Rules<Json> = [...messagesIn, langChainInput, ...inputText];
const stepOutput: Rules<Json> = [...messageOut, langChainOutput, ...outputText];
const toolOutput: Rules<string> = [...answeredText, langChainText, text('output.value')];

const asDocuments = (value: string): Json => [{ content: value }];
const retrieved: Rules<readonly RetrievedDocument[]> = [
  documents('retrieval.documents.'),
  documents('reranker.output_documents.'),
];

const actions: ReadonlySet<Json | undefined> = new Set(['deny', 'steer', 'observe']);
const controlled: Rule<Json> = attribute('output.value', (value) => {
  const read = parsed(value);
  if (!isJsonObject(read)) return undefined;
  const { action, matched, confidence, error_message: error } = read;
  if (!actions.has(action) || typeof matched !== 'boolean') return undefined;
  return {
    action: action ?? '',
    matched,
    ...(typeof confidence === 'number' && { confidence }),
    ...(typeof error === 'string' && { error_message: error }),
  };
});

const httpStatus = (name: string): Rule<number> =>
  attribute(name, (value) => {
    const code = numberOf(value);
    return code !== undefined && Number.isInteger(code) && code >= 100 && code < 600
      ? code
      : undefined;
  });
const spanStatus: Rule<number> = {
  names: ['status'],
  read: ({ span }) => ({ 1: 200, 2: 500 })[span.status?.code ?? 0],
};

const statusMessage: Rule<string> = {
  names: ['status'],
  read: ({ span: { status } }) => (status?.code === 2 ? textOf(status.message) : undefined),
};
/** https://opentelemetry.io/docs/specs/semconv/exceptions/exceptions-spans/ */
const exceptionMessage: Rule<string> = {
  names: ['exception'],
  read: ({ events }) =>
    textOf(
      events.findLast(({ name }) => name === 'exception')?.attributes.get('exception.message'),
    ),
};

const list = (name: string): Rule<readonly string[]> =>
  attribute(name, (value) => {
    const read = parsed(value);
    const found = (isJsonList(read) ? read : [read]).flatMap((item) => textOf(item) ?? []);
    return found.length > 0 ? found : undefined;
  });
const objects = (name: string): Rule<readonly JsonObject[]> =>
  attribute(name, (value) => {
    const read = parsed(value);
    const found = (isJsonList(read) ? read : [read]).map(parsed).filter(isJsonObject);
    return found.length > 0 ? found : undefined;
  });
const timed = (name: string, nanoseconds: number): Rule<number> =>
  attribute(name, (value) => {
    const found = numberOf(value);
    return found !== undefined && found >= 0 ? Math.round(found * nanoseconds) : undefined;
  });

export const otelMapping: OtelMapping = {
  version: 2,
  rules: {
    kind: [genAiKind, openInferenceKind, traceloopKind, llmRequestKind, vercelKind],
    name: [text('ai.toolCall.name')],
    statusCode: [
      httpStatus('http.response.status_code'),
      httpStatus('http.status_code'),
      spanStatus,
    ],
    errorMessage: [statusMessage, exceptionMessage],
    input: {
      llm: llmInput,
      retriever: [text('gen_ai.retrieval.query.text'), ...inputText],
      tool: inputText,
      workflow: stepInput,
      agent: stepInput,
      control: stepInput,
    },
    output: {
      llm: llmOutput,
      retriever: [...retrieved, ...outputText.map((rule) => one(rule, asDocuments))],
      tool: toolOutput,
      workflow: stepOutput,
      agent: stepOutput,
      control: [controlled],
    },
    model: [
      text('gen_ai.response.model'),
      text('gen_ai.request.model'),
      text('llm.model_name'),
      text('ai.response.model'),
      text('ai.model.id'),
    ],
    temperature: [
      number('gen_ai.request.temperature'),
      memberOf('llm.invocation_parameters', 'temperature', numberOf),
      number('ai.settings.temperature'),
    ],
    finishReason: [
      genAiFinishReason,
      numberedFinishReason,
      text('llm.finish_reason'),
      text('llm.response.finish_reason'),
      text('ai.response.finishReason'),
      text('ai.finishReason'),
    ],
    tools: [
      objects('gen_ai.tool.definitions'),
      toolSchemas,
      requestFunctions,
      objects('ai.prompt.tools'),
    ],
    toolCallId: [text('gen_ai.tool.call.id'), text('tool_call.id'), text('ai.toolCall.id')],
    metrics: {
      num_input_tokens: [
        count('gen_ai.usage.input_tokens'),
        count('gen_ai.usage.prompt_tokens'),
        count('llm.token_count.prompt'),
        count('ai.usage.inputTokens'),
        count('ai.usage.promptTokens'),
      ],
      num_output_tokens: [
        count('gen_ai.usage.output_tokens'),
        count('gen_ai.usage.completion_tokens'),
        count('llm.token_count.completion'),
        count('ai.usage.outputTokens'),
        count('ai.usage.completionTokens'),
      ],
      num_total_tokens: [
        count('llm.token_count.total'),
        count('llm.usage.total_tokens'),
        count('gen_ai.usage.total_tokens'),
        count('ai.usage.totalTokens'),
      ],
      cost: [count('llm.cost.total')],
      time_to_first_token_ns: [
        timed('gen_ai.server.time_to_first_token', 1e9),
        timed('ai.response.msToFirstChunk', 1e6),
        timed('ai.stream.msToFirstChunk', 1e6),
      ],
    },
    session: [
      text('gen_ai.conversation.id'),
      text('session.id'),
      text('traceloop.association.properties.session_id'),
      text('ai.telemetry.metadata.sessionId'),
    ],
    tags: [list('tag.tags')],
    metadata: [
      attribute('metadata', (value) => {
        const read = parsed(value);
        return isJsonObject(read) ? read : undefined;
      }),
    ],
    userId: [text('user.id'), text('traceloop.association.properties.user_id')],
    metadataFamilies: ['traceloop.association.properties.', 'ai.telemetry.metadata.'],
  },
};

/** Every attribute, event and field that a rule looks at, families with a `.` at their end. */
export const namesOf = (rules: OtelRules): ReadonlySet<string> => {
  const names = new Set<string>();
  const collect = (value: unknown): void => {
    if (Array.isArray(value)) value.forEach(collect);
    else if (typeof value !== 'object' || value === null) return;
    else if ('names' in value) for (const name of value.names as readonly string[]) names.add(name);
    else Object.values(value).forEach(collect);
  };
  collect(rules);
  return names;
};
