// The Python packages of Galileo (`galileo`, since 2.6) and of Splunk AO (`splunk-ao`, 0.6).
// https://pypi.org/project/galileo, https://pypi.org/project/splunk-ao
import { agentTypes } from '../records/span-fields.js';
import type { Json } from '../schema-types.js';
import { parseMessages } from './messages.js';
import { parseDocuments, type RetrievedDocument } from './openinference.js';
import { attribute, oneOf, text, type Rule } from './rule.js';
import type { Aliases } from './span.js';
import { isJsonList, isJsonObject, parseIfJson, nonEmptyText } from './values.js';

/**
 * Splunk AO's aliases: its exporter can write `gen_ai.*` under names of its own, and content under
 * these alone. An alias is used where the attribute is missing. Families end with a `.`.
 */
export const splunkAliases: Aliases = [
  // No `gen_ai` name exists for it.
  ['splunk_ao.agent.type', 'splunk_ao.agent.type'],
  ['splunk_ao.session.id', 'gen_ai.conversation.id'],
  ['splunk_ao.system_instructions', 'gen_ai.system_instructions'],
  ['splunk_ao.llm.usage.', 'gen_ai.usage.'],
  ['splunk_ao.input.', 'gen_ai.input.'],
  ['splunk_ao.output.', 'gen_ai.output.'],
  ['splunk_ao.operation.', 'gen_ai.operation.'],
  ['splunk_ao.workflow.', 'gen_ai.workflow.'],
  ['splunk_ao.agent.', 'gen_ai.agent.'],
  ['splunk_ao.provider.', 'gen_ai.provider.'],
  ['splunk_ao.request.', 'gen_ai.request.'],
  ['splunk_ao.response.', 'gen_ai.response.'],
  ['splunk_ao.retrieval.', 'gen_ai.retrieval.'],
  ['splunk_ao.tool.', 'gen_ai.tool.'],
];

export const galileoKind = oneOf('galileo.span.kind', {
  llm: 'llm',
  tool: 'tool',
  agent: 'agent',
  retriever: 'retriever',
  workflow: 'workflow',
  control: 'control',
} as const);
/** Retriever of `galileo`, which marks it only as a search. */
export const galileoSearch: Rule<'retriever'> = {
  names: [],
  read: ({ attributes }) =>
    attributes.get('gen_ai.system') === 'galileo-otel' &&
    attributes.get('db.operation') === 'search'
      ? 'retriever'
      : undefined,
};

/** Query of a `galileo` retriever: its last message. */
export const galileoQuery: Rule<string> = attribute('gen_ai.input.messages', (value) =>
  nonEmptyText(parseMessages(value, 'user')?.at(-1)?.content),
);
/** Documents of `galileo`, the content of a message: `{content: {documents: […]}}`. */
export const galileoDocuments: Rule<readonly RetrievedDocument[]> = attribute(
  'gen_ai.output.messages',
  (value) => {
    const read = parseIfJson(value);
    for (const said of isJsonList(read) ? read : [read]) {
      const content = isJsonObject(said) ? said['content'] : undefined;
      if (isJsonObject(content) && isJsonList(content['documents'])) {
        return parseDocuments(content['documents']);
      }
    }
    return undefined;
  },
);

/** Tool texts of Splunk AO, wrapped as `{"value": …}`. */
export const splunkToolText = (name: string): Rule<string> => ({
  names: [name],
  read: ({ attributes }) => {
    if (!attributes.has('splunk_ao.system')) return undefined;
    const read = parseIfJson(attributes.get(name) ?? null);
    return isJsonObject(read) && Object.keys(read).length === 1
      ? nonEmptyText(read['value'])
      : undefined;
  },
});

export const agentType: Rule<string> = oneOf(
  'splunk_ao.agent.type',
  Object.fromEntries(agentTypes.map((one) => [one, one])),
);

const eventTypes: ReadonlySet<Json | undefined> = new Set([
  'message',
  'reasoning',
  'internal_tool_call',
  'web_search_call',
  'image_generation',
  'mcp_call',
  'mcp_list_tools',
  'mcp_approval_request',
]);
export const modelEvents: Rule<Json> = attribute('splunk_ao.llm.events', (value) => {
  const read = parseIfJson(value);
  const found = isJsonList(read)
    ? read.filter((one) => isJsonObject(one) && eventTypes.has(one['type']))
    : [];
  return found.length > 0 ? found : undefined;
});

/** Control result of contract 5.6, from members that may be separate attributes. */
export const controlResult = (
  action: Json | undefined,
  matched: Json | undefined,
  confidence: Json | undefined,
  error: Json | undefined,
): Json | undefined => {
  if (!actions.has(action) || typeof matched !== 'boolean') return undefined;
  return {
    action: action ?? '',
    matched,
    ...(typeof confidence === 'number' && { confidence }),
    ...(typeof error === 'string' && { error_message: error }),
  };
};
const actions: ReadonlySet<Json | undefined> = new Set(['deny', 'steer', 'observe']);

const controlResultNames = ['action', 'matched', 'confidence', 'error_message'].map(
  (name) => `agent_control.${name}`,
);
export const controlAttributes: Rule<Json> = {
  names: controlResultNames,
  read: ({ attributes }) => {
    const [action, matched, confidence, error] = controlResultNames.map((name) =>
      attributes.get(name),
    );
    return controlResult(action, matched, confidence, error);
  },
};

/** Members of a control span. */
export const controlMembers: Readonly<Record<string, readonly Rule<Json>[]>> = {
  control_id: [
    attribute('agent_control.control_id', (value) =>
      Number.isSafeInteger(Number(value)) && value !== '' ? Number(value) : undefined,
    ),
  ],
  agent_name: [text('agent_control.agent_name')],
  check_stage: [oneOf('agent_control.check_stage', { pre: 'pre', post: 'post' })],
  applies_to: [oneOf('agent_control.applies_to', { tool_call: 'tool_call', llm_call: 'llm_call' })],
  evaluator_name: [text('agent_control.evaluator_name')],
  selector_path: [text('agent_control.selector_path')],
};
