// Step inputs and outputs of LangChain.js and LangGraph, as OpenInference records them: states and
// commands that contain messages.
import type { Json } from '../schema-types.js';
import { langChainMessage } from './langchain-message.js';
import { parseMessages, type ChatMessage } from './messages.js';
import { attribute, type Rule } from './rule.js';
import { isJsonList, isJsonObject, parseIfJson } from './values.js';

/** Members that hold messages in a state, a command's update or a node's input. */
const members = ['messages', 'output', 'update', 'args'] as const;
const depthMax = 6;

const findStateMessages = (value: Json | undefined, depth = 0): readonly Json[] => {
  if (depth > depthMax) return [];
  if (isJsonList(value)) return value.flatMap((one) => findStateMessages(one, depth + 1));
  if (!isJsonObject(value)) return [];
  if (langChainMessage(value) !== undefined) return [value];
  for (const member of members) {
    const found = findStateMessages(value[member], depth + 1);
    if (found.length > 0) return found;
  }
  return [];
};

const stateMessages = (value: Json): readonly ChatMessage[] | undefined =>
  parseMessages(findStateMessages(parseIfJson(value)), 'user');

export const langChainInput: Rule<readonly ChatMessage[]> = attribute('input.value', stateMessages);
/** The last message: earlier ones existed before the step. */
export const langChainOutput: Rule<ChatMessage> = attribute('output.value', (value) =>
  stateMessages(value)?.at(-1),
);
/** Text of a tool's answer, without its recipient. */
export const langChainText: Rule<string> = {
  names: langChainOutput.names,
  read: (span) => langChainOutput.read(span)?.content,
};
