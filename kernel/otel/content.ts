// What went into a span and what came out of it, by the kind of its record.
import type { Json } from '../shapes.js';
import {
  genAiDocuments,
  genAiEventsInput,
  genAiEventsOutput,
  genAiInput,
  genAiOutput,
} from './gen-ai.js';
import { langChainInput, langChainOutput, langChainText } from './langchain.js';
import { message, messagesOf, type ChatMessage } from './messages.js';
import {
  documents,
  documentsIn,
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
import { isJsonObject, parsed } from './values.js';
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
  genAiDocuments,
  galileoDocuments,
  documents('retrieval.documents.'),
  documents('reranker.output_documents.'),
];

const controlled: Rule<Json> = attribute('output.value', (value) => {
  const read = parsed(value);
  if (!isJsonObject(read)) return undefined;
  return controlResult(read['action'], read['matched'], read['confidence'], read['error_message']);
});

/** An output that was sent as an empty text is one; an input is empty anyway. */
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
    ...retrieved,
    ...outputText.map((rule) => one(rule, asDocuments)),
    one(emptyOutput, asDocuments),
  ],
  tool: [splunkToolText('gen_ai.tool.call.result'), ...toolOutput, emptyOutput],
  workflow: [galileoDocuments, ...stepOutput, emptyOutput],
  agent: [galileoDocuments, ...stepOutput, emptyOutput],
  control: [controlAttributes, controlled],
};

const redacted = (name: string, usual: 'user' | 'assistant') => {
  const messages: Rule<readonly ChatMessage[]> = attribute(name, (value) =>
    messagesOf(value, usual),
  );
  const firstMessage = attribute(name, (value) => messagesOf(value, usual)?.[0]);
  return { messages, firstMessage, text: text(name) };
};
const redactedInput = redacted('splunk_ao.redacted_input', 'user');
const redactedOutput = redacted('splunk_ao.redacted_output', 'assistant');

export const redactedInputRules = (kind: OtelKind): Rules<Json> => [
  kind === 'llm' ? redactedInput.messages : redactedInput.text,
];
export const redactedOutputRules = (kind: OtelKind): Rules<Json> => {
  if (kind === 'llm') return [redactedOutput.firstMessage];
  return [kind === 'retriever' ? one(redactedOutput.text, documentsIn) : redactedOutput.text];
};
