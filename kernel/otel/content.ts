// Rules for input and output of a span, by the kind of its record.
import type { Json } from '../schema-types.js';
import {
  genAiDocuments,
  genAiEventsInput,
  genAiEventsOutput,
  genAiInput,
  genAiOutput,
} from './gen-ai.js';
import { langChainInput, langChainOutput, langChainText } from './langchain.js';
import { message, parseMessages, type ChatMessage } from './messages.js';
import {
  documentsRule,
  parseDocuments,
  inputMessages,
  outputMessages,
  type RetrievedDocument,
} from './openinference.js';
import { numberedCompletions, numberedPrompts } from './openllmetry.js';
import { attribute, text, type Rule } from './rule.js';
import {
  controlAttributes,
  controlResult,
  galileoDocuments,
  galileoQuery,
  splunkToolText,
} from './splunk-ao.js';
import { isJsonObject, parseIfJson } from './values.js';
import { vercelInput, vercelOutput, vercelToolResult } from './vercel-ai.js';

export type OtelKind = 'llm' | 'retriever' | 'tool' | 'workflow' | 'agent' | 'control';
export type Rules<T> = readonly Rule<T>[];

const inputText: Rules<string> = [
  text('gen_ai.tool.call.arguments'),
  text('tool.parameters'),
  text('ai.toolCall.args'),
  text('traceloop.entity.input'),
  text('input.value'),
];
const toolResultRules: Rules<string> = [
  text('gen_ai.tool.call.result'),
  vercelToolResult,
  text('traceloop.entity.output'),
];
const outputText: Rules<string> = [...toolResultRules, text('output.value')];
const userMessagesRule = (name: string): Rule<readonly ChatMessage[]> =>
  attribute(name, (value) => parseMessages(value, 'user'));
const assistantMessageRule = (name: string): Rule<ChatMessage> =>
  attribute(name, (value) => parseMessages(value, 'assistant')?.[0]);
const mapRule = <T>(rule: Rule<T>, as: (value: T) => Json): Rule<Json> => ({
  names: rule.names,
  read: (span) => {
    const value = rule.read(span);
    return value === undefined ? undefined : as(value);
  },
});

const inputMessageRules: Rules<readonly ChatMessage[]> = [
  genAiInput,
  numberedPrompts,
  genAiEventsInput,
  inputMessages,
  vercelInput,
];
const outputMessageRules: Rules<ChatMessage> = [
  genAiOutput,
  numberedCompletions,
  genAiEventsOutput,
  outputMessages,
  vercelOutput,
];
const llmInput: Rules<Json> = [
  ...inputMessageRules,
  ...['input.value', 'traceloop.entity.input'].map(userMessagesRule),
  ...['input.value', 'traceloop.entity.input'].map((name) =>
    mapRule(text(name), (value) => [message('user', value)]),
  ),
];
const llmOutput: Rules<Json> = [
  ...outputMessageRules,
  ...['output.value', 'traceloop.entity.output'].map(assistantMessageRule),
  ...['output.value', 'traceloop.entity.output'].map((name) =>
    mapRule(text(name), (value) => message('assistant', value)),
  ),
];
const stepInput: Rules<Json> = [...inputMessageRules, langChainInput, ...inputText];
const stepOutput: Rules<Json> = [...outputMessageRules, langChainOutput, ...outputText];
const toolOutput: Rules<string> = [...toolResultRules, langChainText, text('output.value')];

const asDocuments = (value: string): Json => [{ content: value }];
const documentRules: Rules<readonly RetrievedDocument[]> = [
  genAiDocuments,
  galileoDocuments,
  documentsRule('retrieval.documents.'),
  documentsRule('reranker.output_documents.'),
];

const controlOutputRule: Rule<Json> = attribute('output.value', (value) => {
  const read = parseIfJson(value);
  if (!isJsonObject(read)) return undefined;
  return controlResult(read['action'], read['matched'], read['confidence'], read['error_message']);
});

/** Keeps an output that was sent as an empty text; an input defaults to empty anyway. */
const emptyOutput: Rule<string> = {
  names: [],
  read: ({ attributes }) =>
    outputNames.some((name) => attributes.get(name) === '') ? '' : undefined,
};
const outputNames = ['output.value', 'traceloop.entity.output', 'gen_ai.tool.call.result'] as const;
const emptyMessage: Rule<ChatMessage> = {
  names: [],
  read: (span) => (emptyOutput.read(span) === '' ? message('assistant', '') : undefined),
};

export const inputRules: Readonly<Record<OtelKind, Rules<Json>>> = {
  llm: llmInput,
  retriever: [text('gen_ai.retrieval.query.text'), galileoQuery, ...inputText],
  tool: [splunkToolText('gen_ai.tool.call.arguments'), ...inputText],
  workflow: stepInput,
  agent: stepInput,
  control: stepInput,
};

export const outputRules: Readonly<Record<OtelKind, Rules<Json>>> = {
  llm: [...llmOutput, emptyMessage],
  retriever: [
    ...documentRules,
    ...outputText.map((rule) => mapRule(rule, asDocuments)),
    mapRule(emptyOutput, asDocuments),
  ],
  tool: [splunkToolText('gen_ai.tool.call.result'), ...toolOutput, emptyOutput],
  workflow: [galileoDocuments, ...stepOutput, emptyOutput],
  agent: [galileoDocuments, ...stepOutput, emptyOutput],
  control: [controlAttributes, controlOutputRule],
};

const redactedRules = (name: string, usual: 'user' | 'assistant') => {
  const messages: Rule<readonly ChatMessage[]> = attribute(name, (value) =>
    parseMessages(value, usual),
  );
  const firstMessage = attribute(name, (value) => parseMessages(value, usual)?.[0]);
  return { messages, firstMessage, text: text(name) };
};
const redactedInput = redactedRules('splunk_ao.redacted_input', 'user');
const redactedOutput = redactedRules('splunk_ao.redacted_output', 'assistant');

export const redactedInputRules = (kind: OtelKind): Rules<Json> => [
  kind === 'llm' ? redactedInput.messages : redactedInput.text,
];
export const redactedOutputRules = (kind: OtelKind): Rules<Json> => {
  if (kind === 'llm') return [redactedOutput.firstMessage];
  return [
    kind === 'retriever' ? mapRule(redactedOutput.text, parseDocuments) : redactedOutput.text,
  ];
};
