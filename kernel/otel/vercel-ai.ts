// Vercel AI SDK, versions 3 to 6. https://ai-sdk.dev/docs/ai-sdk-core/telemetry
import { parseJsonText } from '../json-text.js';
import { parseToolCalls, message, parseMessages, type ChatMessage } from './messages.js';
import { attribute, type Rule } from './rule.js';
import { nonEmptyText } from './values.js';

/**
 * Kind of a span: `ai.generateText` contains one or more `ai.generateText.doGenerate`, the model
 * calls.
 */
export const vercelKind: Rule<'llm' | 'tool' | 'workflow'> = attribute(
  'ai.operationId',
  (value) => {
    if (value === 'ai.toolCall') return 'tool';
    return /\.do(?:Generate|Stream)$/.test(nonEmptyText(value) ?? '') ? 'llm' : 'workflow';
  },
);

export const vercelInput: Rule<readonly ChatMessage[]> = {
  names: ['ai.prompt.messages', 'ai.prompt'],
  read: ({ attributes }) => {
    const said = attributes.get('ai.prompt.messages') ?? attributes.get('ai.prompt') ?? null;
    return said === null ? undefined : parseMessages(said, 'user');
  },
};

const texts = [
  'ai.response.text',
  'ai.response.object',
  'ai.result.text',
  'ai.result.object',
] as const;
const calls = ['ai.response.toolCalls', 'ai.result.toolCalls'] as const;

export const vercelOutput: Rule<ChatMessage> = {
  names: [...texts, ...calls],
  read: ({ attributes }) => {
    const said = texts
      .map((name) => nonEmptyText(attributes.get(name)))
      .find((one) => one !== undefined);
    const toolCalls = calls.flatMap((name) => parseToolCalls(attributes.get(name)));
    if (said === undefined && toolCalls.length === 0) return undefined;
    return message('assistant', said ?? '', { toolCalls });
  },
};

/** Tool result; one that is a text is sent as its JSON. */
export const vercelToolResult: Rule<string> = attribute('ai.toolCall.result', (value) => {
  const said = nonEmptyText(value);
  if (said === undefined || !/^".*"$/s.test(said)) return said;
  try {
    const read = parseJsonText(said);
    return typeof read === 'string' ? nonEmptyText(read.toWellFormed()) : said;
  } catch {
    return said;
  }
});
