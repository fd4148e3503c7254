// What LangChain.js and LangGraph give from step to step, as OpenInference writes it down: states
// and commands with messages somewhere in them.
import type { Json } from '../shapes.js';
import { langChainMessage } from './langchain-message.js';
import { messagesOf, type ChatMessage } from './messages.js';
import { attribute, type Rule } from './rule.js';
import { isJsonList, isJsonObject, parsed } from './values.js';

/** Where messages stand in a state, in a command's update and in what a node is sent. */
const members = ['messages', 'output', 'update', 'args'] as const;
const depthMax = 6;

const statedIn = (value: Json | undefined, depth = 0): readonly Json[] => {
  if (depth > depthMax) return [];
  if (isJsonList(value)) return value.flatMap((one) => statedIn(one, depth + 1));
  if (!isJsonObject(value)) return [];
  if (langChainMessage(value) !== undefined) return [value];
  for (const member of members) {
    const found = statedIn(value[member], depth + 1);
    if (found.length > 0) return found;
  }
  return [];
};

const statedMessages = (value: Json): readonly ChatMessage[] | undefined =>
  messagesOf(statedIn(parsed(value)), 'user');

export const langChainInput: Rule<readonly ChatMessage[]> = attribute(
  'input.value',
  statedMessages,
);
/** The last one: those before it had been there before the step. */
export const langChainOutput: Rule<ChatMessage> = attribute('output.value', (value) =>
  statedMessages(value)?.at(-1),
);
/** What a tool answered, without who is told. */
export const langChainText: Rule<string> = {
  names: langChainOutput.names,
  read: (span) => langChainOutput.read(span)?.content,
};
