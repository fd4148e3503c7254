import type { Json, JsonObject } from '../../kernel/schema-types.js';
import type { StubFinish, StubUsage } from './script.js';

/** Request of either format, as far as the stub reads it. */
export type StubRequest = {
  readonly model: string;
  readonly stream: boolean;
  /** Texts of the messages in their order, the system's first. */
  readonly texts: readonly string[];
  /** Schema that the answer has to fit; null: free text. */
  readonly schema: Json | null;
  /** Tool that the request forces; its input is the answer. */
  readonly tool: string | null;
};
/** Answer in neither format. `input`: of the forced tool, instead of `text`. */
export type StubReply = {
  readonly id: string;
  readonly model: string;
  readonly text: string;
  readonly tool: { readonly name: string; readonly input: Json } | null;
  readonly finish: StubFinish;
  readonly usage: StubUsage;
};
/** Wire format of one provider. */
export type StubFormat = {
  readonly path: RegExp;
  readonly read: (body: JsonObject) => StubRequest;
  readonly answer: (reply: StubReply) => Json;
  readonly error: (status: number, message: string) => Json;
};

const membersOf = (value: Json | undefined): JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : {};
const listOf = (value: Json | undefined): readonly Json[] => (Array.isArray(value) ? value : []);
const textOf = (value: Json | undefined): string => (typeof value === 'string' ? value : '');

/** Texts of a message: its content is a text, or parts of which some are texts. */
const textsOf = (content: Json | undefined): readonly string[] =>
  typeof content === 'string'
    ? [content]
    : listOf(content)
        .map((part) => textOf(membersOf(part)['text']))
        .filter((text) => text !== '');

const messageTexts = (body: JsonObject): readonly string[] =>
  listOf(body['messages']).flatMap((message) => textsOf(membersOf(message)['content']));

/** Input schema of the tool `name`. */
const toolSchema = (tools: readonly JsonObject[], name: string, schema: string): Json | null =>
  tools.find((tool) => tool['name'] === name)?.[schema] ?? null;

/** https://platform.openai.com/docs/api-reference/chat */
const openAi: StubFormat = {
  path: /\/chat\/completions$/,
  read: (body) => {
    const format = membersOf(body['response_format']);
    const choice = membersOf(membersOf(body['tool_choice'])['function'])['name'];
    const tools = listOf(body['tools']).map((tool) => membersOf(membersOf(tool)['function']));
    const isObject = format['type'] === 'json_object' ? {} : null;
    const schema = membersOf(format['json_schema'])['schema'] ?? isObject;
    return {
      model: textOf(body['model']),
      stream: body['stream'] === true,
      texts: messageTexts(body),
      tool: typeof choice === 'string' ? choice : null,
      schema: typeof choice === 'string' ? toolSchema(tools, choice, 'parameters') : schema,
    };
  },
  answer: ({ id, model, text, tool, finish, usage }) => ({
    id: `chatcmpl-${id}`,
    object: 'chat.completion',
    created: 1_772_355_600,
    model,
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: tool === null ? text : null,
          refusal: null,
          ...(tool !== null && {
            tool_calls: [
              {
                id: `call_${id}`,
                type: 'function',
                function: { name: tool.name, arguments: JSON.stringify(tool.input) },
              },
            ],
          }),
        },
        logprobs: null,
        finish_reason: { stop: 'stop', length: 'length', filtered: 'content_filter' }[finish],
      },
    ],
    usage: {
      prompt_tokens: usage.input,
      completion_tokens: usage.output,
      total_tokens: usage.input + usage.output,
      prompt_tokens_details: { cached_tokens: usage.cache_read },
      completion_tokens_details: { reasoning_tokens: usage.reasoning },
    },
  }),
  error: (status, message) => ({
    error: { message, type: errorType(status), param: null, code: null },
  }),
};

/** https://docs.anthropic.com/en/api/messages */
const anthropic: StubFormat = {
  path: /\/messages$/,
  read: (body) => {
    const choice = membersOf(body['tool_choice'])['name'];
    const tools = listOf(body['tools']).map(membersOf);
    const format = membersOf(membersOf(body['output_config'])['format'] ?? body['output_format']);
    return {
      model: textOf(body['model']),
      stream: body['stream'] === true,
      texts: [...textsOf(body['system']), ...messageTexts(body)],
      tool: typeof choice === 'string' ? choice : null,
      schema:
        typeof choice === 'string'
          ? toolSchema(tools, choice, 'input_schema')
          : (format['schema'] ?? null),
    };
  },
  answer: ({ id, model, text, tool, finish, usage }) => ({
    id: `msg_${id}`,
    type: 'message',
    role: 'assistant',
    model,
    content: [
      tool === null
        ? { type: 'text', text }
        : { type: 'tool_use', id: `toolu_${id}`, name: tool.name, input: tool.input },
    ],
    stop_reason:
      tool !== null && finish === 'stop'
        ? 'tool_use'
        : { stop: 'end_turn', length: 'max_tokens', filtered: 'refusal' }[finish],
    stop_sequence: null,
    usage: {
      input_tokens: Math.max(0, usage.input - usage.cache_read - usage.cache_write),
      cache_read_input_tokens: usage.cache_read,
      cache_creation_input_tokens: usage.cache_write,
      output_tokens: usage.output,
    },
  }),
  error: (status, message) => ({
    type: 'error',
    error: { type: errorType(status), message },
  }),
};

const errorTypes: Readonly<Record<number, string>> = {
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  429: 'rate_limit_error',
};
const errorType = (status: number): string =>
  errorTypes[status] ?? (status < 500 ? 'invalid_request_error' : 'api_error');

export const stubFormats: readonly StubFormat[] = [openAi, anthropic];
