// OpenInference. https://github.com/Arize-ai/openinference, its semantic conventions
import type { Json, JsonObject } from '../shapes.js';
import { message, roleOf, toolCall, type ChatMessage } from './messages.js';
import { oneOf, type Rule } from './rule.js';
import { numbered, type Attributes } from './span.js';
import { isJsonList, isJsonObject, parsed, textOf } from './values.js';

export const openInferenceKind = oneOf('openinference.span.kind', {
  llm: 'llm',
  tool: 'tool',
  agent: 'agent',
  retriever: 'retriever',
  reranker: 'retriever',
  guardrail: 'control',
} as const);

const messageOf = (said: Attributes, usual: string): ChatMessage => {
  const parts = numbered(said, 'message.contents.').flatMap((part) => {
    const text = textOf(part.get('message_content.text'));
    const other = textOf(part.get('message_content.image.image.url'));
    return text ?? other ?? [];
  });
  const content = textOf(said.get('message.content')) ?? parts.join('\n');
  return message(roleOf(said.get('message.role'), usual), content, {
    toolCallId: textOf(said.get('message.tool_call_id')),
    toolCalls: numbered(said, 'message.tool_calls.').map((one) =>
      toolCall(
        one.get('tool_call.id'),
        one.get('tool_call.function.name'),
        one.get('tool_call.function.arguments'),
      ),
    ),
  });
};

export const inputMessages: Rule<readonly ChatMessage[]> = {
  names: ['llm.input_messages.'],
  read: ({ attributes }) => {
    const found = numbered(attributes, 'llm.input_messages.');
    return found.length > 0 ? found.map((one) => messageOf(one, 'user')) : undefined;
  },
};
export const outputMessages: Rule<ChatMessage> = {
  names: ['llm.output_messages.'],
  read: ({ attributes }) => {
    const [first] = numbered(attributes, 'llm.output_messages.');
    return first && messageOf(first, 'assistant');
  },
};

/** A document of contract 5.6. */
export type RetrievedDocument = {
  readonly content: string;
  readonly metadata?: Readonly<Record<string, string | number | boolean>>;
};
export const documents = (family: string): Rule<readonly RetrievedDocument[]> => ({
  names: [family],
  read: ({ attributes }) => {
    const found = numbered(attributes, family);
    return found.length > 0 ? found.map(documentOf) : undefined;
  },
});

/** A list of texts, or of objects with `content`, `metadata`, `id`, `score`; empty for others. */
export const documentsIn = (value: Json): readonly RetrievedDocument[] => {
  const read = parsed(value);
  return (isJsonList(read) ? read : [read]).flatMap((one) => {
    if (typeof one === 'string') return [{ content: one }];
    if (!isJsonObject(one)) return [];
    const { content, metadata, ...rest } = one;
    const { text: said, page_content: page, ...others } = rest;
    return [document(content ?? said ?? page, metadata, Object.entries(others))];
  });
};

const documentOf = (said: Attributes): RetrievedDocument =>
  document(said.get('document.content'), said.get('document.metadata'), [
    ['id', said.get('document.id')],
    ['score', said.get('document.score')],
  ]);

const document = (
  said: Json | undefined,
  given: Json | undefined,
  beside: readonly (readonly [string, Json | undefined])[],
): RetrievedDocument => {
  const metadata: Record<string, string | number | boolean> = {};
  const more = parsed(given ?? null);
  const members = [...(isJsonObject(more) ? Object.entries(more) : []), ...beside];
  for (const [name, value] of members) {
    if (value === undefined || value === null || name === '__proto__') continue;
    metadata[name] = typeof value === 'object' ? JSON.stringify(value) : value;
  }
  const content = textOf(said) ?? '';
  return Object.keys(metadata).length > 0 ? { content, metadata } : { content };
};

export const toolSchemas: Rule<readonly JsonObject[]> = {
  names: ['llm.tools.'],
  read: ({ attributes }) => {
    const found = numbered(attributes, 'llm.tools.')
      .map((one) => parsed(one.get('tool.json_schema') ?? null))
      .filter(isJsonObject);
    return found.length > 0 ? found : undefined;
  },
};
