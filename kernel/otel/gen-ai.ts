// OpenTelemetry GenAI semantic conventions: attributes since 1.37, and events before that.
// https://github.com/open-telemetry/semantic-conventions/tree/main/docs/gen-ai
import type { Json } from '../schema-types.js';
import { message, parseMessages, roleOf, parseToolCalls, type ChatMessage } from './messages.js';
import { parseDocuments, type RetrievedDocument } from './openinference.js';
import { attribute, parseNumber, oneOf, type Rule } from './rule.js';
import type { Attributes, SpanView } from './span.js';
import { isJsonList, isJsonObject, parseIfJson, nonEmptyText } from './values.js';

export const genAiKind = oneOf('gen_ai.operation.name', {
  chat: 'llm',
  text_completion: 'llm',
  generate_content: 'llm',
  execute_tool: 'tool',
  invoke_agent: 'agent',
  create_agent: 'agent',
  retrieval: 'retriever',
  invoke_workflow: 'workflow',
  control: 'control',
} as const);

const detailsEvent = 'gen_ai.client.inference.operation.details';
/** Attributes of the details event, where instrumentations since 1.37 may put them. */
const detailAttributes = ({ attributes, events }: SpanView): Attributes => {
  if (attributes.has('gen_ai.input.messages') || attributes.has('gen_ai.output.messages')) {
    return attributes;
  }
  return events.find(({ name }) => name === detailsEvent)?.attributes ?? attributes;
};

/** `gen_ai.system_instructions` is a list of parts, without roles. */
const instructionsOf = (value: Json): readonly ChatMessage[] => {
  const read = parseIfJson(value);
  const one = isJsonList(read) && read.every(isPart) ? { role: 'system', parts: read } : read;
  return parseMessages(one, 'system') ?? [];
};
const isPart = (value: Json): boolean => isJsonObject(value) && value['role'] === undefined;

export const genAiInput: Rule<readonly ChatMessage[]> = {
  names: ['gen_ai.system_instructions', 'gen_ai.input.messages', detailsEvent],
  read: (span) => {
    const said = detailAttributes(span);
    const instructions = said.get('gen_ai.system_instructions') ?? null;
    const messages = said.get('gen_ai.input.messages') ?? null;
    const found = [
      ...(instructions === null ? [] : instructionsOf(instructions)),
      ...(messages === null ? [] : (parseMessages(messages, 'user') ?? [])),
    ];
    return found.length > 0 ? found : undefined;
  },
};

export const genAiOutput: Rule<ChatMessage> = {
  names: ['gen_ai.output.messages', detailsEvent],
  read: (span) => {
    const messages = detailAttributes(span).get('gen_ai.output.messages') ?? null;
    return messages === null ? undefined : parseMessages(messages, 'assistant')?.[0];
  },
};

export const genAiFinishReason: Rule<string> = attribute(
  'gen_ai.response.finish_reasons',
  (value) => {
    const read = parseIfJson(value);
    return nonEmptyText(isJsonList(read) ? read[0] : read);
  },
);

const messageEventRoles: Readonly<Record<string, string>> = {
  'gen_ai.system.message': 'system',
  'gen_ai.user.message': 'user',
  'gen_ai.assistant.message': 'assistant',
  'gen_ai.tool.message': 'tool',
};

/** JSON body of an event, which some exporters write as an attribute. */
const bodyName = 'gen_ai.event.content';
const bodyOf = (attributes: Attributes): Json => attributes.get(bodyName) ?? null;

/** Messages as one event each, up to 1.36; `gen_ai.content.prompt` before 1.28. */
export const genAiEventsInput: Rule<readonly ChatMessage[]> = {
  names: [...Object.keys(messageEventRoles), 'gen_ai.content.prompt', bodyName],
  read: ({ events }) => {
    const found = events.flatMap(({ name, attributes }) => {
      if (name === 'gen_ai.content.prompt') {
        const said = attributes.get('gen_ai.prompt') ?? bodyOf(attributes);
        return parseMessages(said, 'user') ?? [];
      }
      const usual = Object.hasOwn(messageEventRoles, name) ? messageEventRoles[name] : undefined;
      if (usual === undefined) return [];
      return parseMessages(bodyOf(attributes), usual) ?? [messageOfEvent(attributes, usual)];
    });
    return found.length > 0 ? found : undefined;
  },
};

/** Finish reason of the first choice, in its body or beside it. */
export const genAiChoiceReason: Rule<string> = {
  names: ['gen_ai.choice'],
  read: ({ events }) => {
    const choice = events.find(({ name }) => name === 'gen_ai.choice')?.attributes;
    const body = parseIfJson(choice?.get(bodyName) ?? null);
    return nonEmptyText(
      choice?.get('finish_reason') ?? (isJsonObject(body) ? body['finish_reason'] : null),
    );
  },
};

export const genAiEventsOutput: Rule<ChatMessage> = {
  names: ['gen_ai.choice', 'gen_ai.content.completion'],
  read: ({ events }) => {
    for (const { name, attributes } of events) {
      if (name === 'gen_ai.content.completion') {
        const said = attributes.get('gen_ai.completion') ?? bodyOf(attributes);
        const found = parseMessages(said, 'assistant');
        if (found !== undefined) return found[0];
      }
      if (name !== 'gen_ai.choice') continue;
      const wrapped = attributes.get('message') ?? bodyOf(attributes);
      const found = wrapped === null ? undefined : parseMessages(wrapped, 'assistant')?.[0];
      return found ?? messageOfEvent(attributes, 'assistant');
    }
    return undefined;
  },
};

const messageOfEvent = (attributes: Attributes, usual: string): ChatMessage =>
  message(roleOf(attributes.get('role'), usual), nonEmptyText(attributes.get('content')) ?? '', {
    toolCallId: usual === 'tool' ? nonEmptyText(attributes.get('id')) : undefined,
    toolCalls: parseToolCalls(attributes.get('tool_calls')),
  });

/** `gen_ai.retrieval.documents`: a list of documents, or its JSON. */
export const genAiDocuments: Rule<readonly RetrievedDocument[]> = attribute(
  'gen_ai.retrieval.documents',
  (value) => {
    const found = parseDocuments(value);
    return found.length > 0 ? found : undefined;
  },
);

const evaluation = 'gen_ai.evaluation.result';
const evaluationMembers = ['name', 'score.value', 'score.label', 'explanation'].map(
  (name) => `gen_ai.evaluation.${name}`,
);
export type Evaluation = {
  readonly name: string;
  readonly score: number | string;
  readonly explanation: string | undefined;
};
/** Evaluation results of the span: its events, or its own attributes where the span is a result. */
export const genAiEvaluations: Rule<readonly Evaluation[]> = {
  names: [evaluation, ...evaluationMembers],
  read: ({ attributes, events }) => {
    const results = events.filter(({ name }) => name === evaluation);
    const found = [attributes, ...results.map((one) => one.attributes)].flatMap((said) => {
      const [name, value, label, why] = evaluationMembers.map((member) => said.get(member));
      const score = parseNumber(value ?? null) ?? nonEmptyText(label);
      const called = nonEmptyText(name);
      if (called === undefined || score === undefined) return [];
      return [{ name: called, score, explanation: nonEmptyText(why) }];
    });
    return found.length > 0 ? found : undefined;
  },
};
