// OpenLLMetry: numbered attributes of messages, and entities of workflows.
// https://github.com/traceloop/openllmetry, opentelemetry-semantic-conventions-ai
import type { Json, JsonObject } from '../schema-types.js';
import { message, roleOf, toolCall, type ChatMessage } from './messages.js';
import { oneOf, type Rule } from './rule.js';
import { indexedAttributes, type Attributes } from './span.js';
import { parseIfJson, nonEmptyText } from './values.js';

export const traceloopKind = oneOf('traceloop.span.kind', {
  workflow: 'workflow',
  task: 'workflow',
  agent: 'agent',
  tool: 'tool',
} as const);
export const llmRequestKind = oneOf('llm.request.type', {
  chat: 'llm',
  completion: 'llm',
  rerank: 'retriever',
} as const);

const messageOf = (said: Attributes, usual: string): ChatMessage =>
  message(roleOf(said.get('role'), usual), nonEmptyText(said.get('content')) ?? '', {
    toolCallId: nonEmptyText(said.get('tool_call_id')),
    toolCalls: indexedAttributes(said, 'tool_calls.').map((one) =>
      toolCall(one.get('id'), one.get('name'), one.get('arguments')),
    ),
  });

export const numberedPrompts: Rule<readonly ChatMessage[]> = {
  names: ['gen_ai.prompt.'],
  read: ({ attributes }) => {
    const found = indexedAttributes(attributes, 'gen_ai.prompt.');
    return found.length > 0 ? found.map((one) => messageOf(one, 'user')) : undefined;
  },
};
export const numberedCompletions: Rule<ChatMessage> = {
  names: ['gen_ai.completion.'],
  read: ({ attributes }) => {
    const [first] = indexedAttributes(attributes, 'gen_ai.completion.');
    return first && messageOf(first, 'assistant');
  },
};
export const numberedFinishReason: Rule<string> = {
  names: ['gen_ai.completion.'],
  read: ({ attributes }) =>
    nonEmptyText(indexedAttributes(attributes, 'gen_ai.completion.')[0]?.get('finish_reason')),
};

export const requestFunctions: Rule<readonly JsonObject[]> = {
  names: ['llm.request.functions.'],
  read: ({ attributes }) => {
    const found = indexedAttributes(attributes, 'llm.request.functions.');
    if (found.length === 0) return undefined;
    return found.map((one) => ({
      type: 'function',
      function: Object.fromEntries(
        [...one].map(([name, value]): [string, Json] => [
          name,
          name === 'parameters' ? parseIfJson(value) : value,
        ]),
      ),
    }));
  },
};
