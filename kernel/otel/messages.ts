import type { Json, JsonObject } from '../schema-types.js';
import { langChainMessage } from './langchain-message.js';
import { isJsonList, isJsonObject, parseIfJson, nonEmptyText } from './values.js';

/** Chat message (contract 5.6). */
export type ChatMessage = {
  readonly content: string;
  readonly role: string;
  readonly tool_call_id?: string;
  readonly tool_calls?: readonly ToolCall[];
};
type ToolCall = {
  readonly id: string;
  readonly function: { readonly name: string; readonly arguments: string };
};

const roles: Readonly<Record<string, string>> = {
  agent: 'agent',
  ai: 'assistant',
  assistant: 'assistant',
  developer: 'developer',
  function: 'function',
  human: 'user',
  model: 'assistant',
  system: 'system',
  tool: 'tool',
  user: 'user',
};
/** Role of contract 5.6; `usual` for an unknown one. */
export const roleOf = (said: Json | undefined, usual: string): string => {
  const known = typeof said === 'string' ? said.toLowerCase() : '';
  return (Object.hasOwn(roles, known) ? roles[known] : undefined) ?? usual;
};

export const message = (
  role: string,
  content: string,
  more: { readonly toolCallId?: string | undefined; readonly toolCalls?: readonly ToolCall[] } = {},
): ChatMessage => ({
  content,
  role,
  ...(more.toolCallId !== undefined && { tool_call_id: more.toolCallId }),
  ...(more.toolCalls !== undefined && more.toolCalls.length > 0 && { tool_calls: more.toolCalls }),
});

/**
 * Parses messages of any convention: JSON text or structure, one or a list, with `content` (a text
 * or parts) or `parts`. Undefined if there is no message.
 */
export const parseMessages = (value: Json, usual: string): readonly ChatMessage[] | undefined => {
  const read = parseIfJson(value);
  if (typeof read === 'string') return read === '' ? undefined : [message(usual, read)];
  const given = isJsonList(read) ? read : unwrapMessages(read);
  const found = given.flatMap((one) => parseMessage(one, usual));
  return found.length > 0 ? found : undefined;
};
/** Unwraps `{messages: […]}`, the form of prompts that have more than messages. */
const unwrapMessages = (read: Json): readonly Json[] => {
  if (!isJsonObject(read)) return [];
  const { messages, prompt, system } = read;
  const before = typeof system === 'string' ? [{ role: 'system', content: system }] : [];
  if (isJsonList(messages)) return [...before, ...messages];
  if (typeof prompt === 'string') return [...before, { role: 'user', content: prompt }];
  return [read];
};

const parseMessage = (one: Json, usual: string): readonly ChatMessage[] => {
  if (typeof one === 'string') return one === '' ? [] : [message(usual, one)];
  if (!isJsonObject(one)) return [];
  // OpenAI's choices and some wrappers hold the message one level below.
  if (isJsonObject(one['message'])) return parseMessage(one['message'], usual);
  const constructed = langChainMessage(one);
  if (constructed !== undefined) return parseMessage(constructed, usual);
  const role = roleOf(one['role'], usual);
  const parts = partsOf(one);
  const toolCalls = [...parseToolCalls(one['tool_calls']), ...parts.flatMap(partToolCalls)];
  const answers = parts.flatMap(partToolResults);
  const content = parts.flatMap(partText).join('\n');
  const toolCallId = nonEmptyText(one['tool_call_id'] ?? one['toolCallId']);
  const isEmpty = content === '' && toolCalls.length === 0;
  if (answers.length === 0) {
    return isEmpty && one['role'] === undefined && parts.length === 0
      ? []
      : [message(role, content, { toolCallId, toolCalls })];
  }
  // Several tool results in one message: each becomes a message of its own.
  return [...(isEmpty ? [] : [message(role, content, { toolCalls })]), ...answers];
};

const partsOf = (one: JsonObject): readonly Json[] => {
  const parts = one['parts'] ?? one['content'] ?? one['contents'];
  if (isJsonList(parts)) return parts;
  return parts === undefined || parts === null ? [] : [parts];
};

const textTypes: ReadonlySet<Json | undefined> = new Set(['text', 'input_text', 'output_text']);
const partText = (part: Json): readonly string[] => {
  if (!isJsonObject(part))
    return nonEmptyText(part) === undefined ? [] : [String(nonEmptyText(part))];
  if (isCall(part) || isAnswer(part)) return [];
  const said = part['text'] ?? part['content'];
  const isText = part['type'] === undefined || textTypes.has(part['type']);
  // Images, reasoning and unknown parts stay as they came, so that nothing is lost.
  return [isText && typeof said === 'string' ? said : JSON.stringify(part)];
};

const isCall = ({ type }: JsonObject): boolean => type === 'tool_call' || type === 'tool-call';
const partToolCalls = (part: Json): readonly ToolCall[] =>
  isJsonObject(part) && isCall(part) ? [call(part)] : [];
const isAnswer = ({ type }: JsonObject): boolean =>
  type === 'tool_call_response' || type === 'tool-result' || type === 'tool_result';
const partToolResults = (part: Json): readonly ChatMessage[] => {
  if (!isJsonObject(part) || !isAnswer(part)) return [];
  const given = part['response'] ?? part['result'] ?? part['output'] ?? part['content'];
  // The Vercel AI SDK wraps a result with its type: `{type: 'text', value}`.
  const said = isJsonObject(given) && 'value' in given && 'type' in given ? given['value'] : given;
  const toolCallId = nonEmptyText(part['id'] ?? part['toolCallId'] ?? part['tool_call_id']);
  return [message('tool', nonEmptyText(said) ?? '', { toolCallId })];
};

/** Parses tool calls in OpenAI's form, in the Vercel AI SDK's, and flat. */
export const parseToolCalls = (value: Json | undefined): readonly ToolCall[] => {
  if (value === undefined || value === null) return [];
  const read = parseIfJson(value);
  return isJsonList(read) ? read.filter(isJsonObject).map(call) : [];
};
const call = (one: JsonObject): ToolCall => {
  const called = isJsonObject(one['function']) ? one['function'] : one;
  const given = called['arguments'] ?? called['args'] ?? called['input'];
  return toolCall(one['id'] ?? one['toolCallId'], called['name'] ?? called['toolName'], given);
};
export const toolCall = (
  id: Json | undefined,
  name: Json | undefined,
  given: Json | undefined,
): ToolCall => ({
  id: nonEmptyText(id) ?? '',
  function: { name: nonEmptyText(name) ?? '', arguments: nonEmptyText(given) ?? '' },
});
