// OpenInference. https://github.com/Arize-ai/openinference, its semantic conventions
import type { Json, JsonObject } from '../schema-types.js';
import { message, roleOf, toolCall, type ChatMessage } from './messages.js';
import { oneOf, type Rule } from './rule.js';
import { indexedAttributes, type Attributes } from './span.js';
import { isJsonList, isJsonObject, parseIfJson, nonEmptyText } from './values.js';

export const openInferenceKind = oneOf('openinference.span.kind', {
  llm: 'llm',
  tool: 'tool',
  agent: 'agent',
  retriever: 'retriever',
  reranker: 'retriever',
  guardrail: 'control',
} as const);

const messageOf = (said: Attributes, usual: string): ChatMessage => {
  const parts = indexedAttributes(said, 'message.contents.').flatMap((part) => {
    const text = nonEmptyText(part.get('message_content.text'));
    const other = nonEmptyText(part.get('message_content.image.image.url'));
    return text ?? other ?? [];
  });
  const content = nonEmptyText(said.get('message.content')) ?? parts.join('\n');
  return message(roleOf(said.get('message.role'), usual), content, {
    toolCallId: nonEmptyText(said.get('message.tool_call_id')),
    toolCalls: indexedAttributes(said, 'message.tool_calls.').map((one) =>
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
    const found = indexedAttributes(attributes, 'llm.input_messages.');
    return found.length > 0 ? found.map((one) => messageOf(one, 'user')) : undefined;
  },
};
export const outputMessages: Rule<ChatMessage> = {
  names: ['llm.output_messages.'],
  read: ({ attributes }) => {
    const [first] = indexedAttributes(attributes, 'llm.output_messages.');
    return first && messageOf(first, 'assistant');
  },
};

/** A document of contract 5.6. */
export type RetrievedDocument = {
  readonly content: string;
  readonly metadata?: Readonly<Record<string, string | number | boolean>>;
};
export const documentsRule = (family: string): Rule<readonly RetrievedDocument[]> => ({
  names: [family],
  read: ({ attributes }) => {
    const found = indexedAttributes(attributes, family);
    return found.length > 0 ? found.map(documentOf) : undefined;
  },
});

/**
 * Parses a list of texts, or of objects with `content`, `metadata`, `id`, `score`; empty for
 * others.
 */
export const parseDocuments = (value: Json): readonly RetrievedDocument[] => {
  const read = parseIfJson(value);
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
  const more = parseIfJson(given ?? null);
  const members = [...(isJsonObject(more) ? Object.entries(more) : []), ...beside];
  for (const [name, value] of members) {
    if (value === undefined || value === null || name === '__proto__') continue;
    metadata[name] = typeof value === 'object' ? JSON.stringify(value) : value;
  }
  const content = nonEmptyText(said) ?? '';
  return Object.keys(metadata).length > 0 ? { content, metadata } : { content };
};

export const toolSchemas: Rule<readonly JsonObject[]> = {
  names: ['llm.tools.'],
  read: ({ attributes }) => {
    const found = indexedAttributes(attributes, 'llm.tools.')
      .map((one) => parseIfJson(one.get('tool.json_schema') ?? null))
      .filter(isJsonObject);
    return found.length > 0 ? found : undefined;
  },
};
