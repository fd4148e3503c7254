// LangChain.js writes objects of its own as `{lc: 1, type: 'constructor', id, kwargs}`.
// https://github.com/langchain-ai/langchainjs, langchain-core/src/load/serializable.ts
import type { Json, JsonObject } from '../schema-types.js';
import { isJsonObject, nonEmptyText } from './values.js';

const roles: Readonly<Record<string, string>> = {
  AIMessage: 'assistant',
  AIMessageChunk: 'assistant',
  FunctionMessage: 'function',
  HumanMessage: 'user',
  SystemMessage: 'system',
  ToolMessage: 'tool',
};

/** The message with its role beside its members; undefined for other values. */
export const langChainMessage = (value: Json | undefined): JsonObject | undefined => {
  if (!isJsonObject(value) || value['lc'] !== 1 || !isJsonObject(value['kwargs'])) return undefined;
  const path = value['id'];
  const name = Array.isArray(path) ? nonEmptyText(path.at(-1) as Json) : undefined;
  const role = name !== undefined && Object.hasOwn(roles, name) ? roles[name] : undefined;
  return role === undefined ? undefined : { ...value['kwargs'], role };
};
