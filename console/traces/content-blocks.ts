import type {
  ChatMessage,
  ContentPart,
  ControlResult,
  RetrievedDocument,
} from '../../clients/typescript/src/generated/traces-types.js';

/** A tool call of a message with its answer, where the same texts have one. */
export type CallBlock = {
  readonly id: string;
  readonly name: string;
  /** JSON as it was recorded. */
  readonly arguments: string;
  /** Text of the message that answers the call; null: none here. */
  readonly answer: string | null;
};

export type MessageBlock = {
  readonly type: 'message';
  readonly role: string;
  readonly pieces: readonly ContentPart[];
  readonly calls: readonly CallBlock[];
  /** Call that the message answers; null: none. */
  readonly answersCall: string | null;
};

/** Parts of an input or output, in its order. */
export type ContentBlock =
  | MessageBlock
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'file'; readonly fileId: string }
  | { readonly type: 'document'; readonly document: RetrievedDocument }
  | { readonly type: 'control'; readonly result: ControlResult }
  | { readonly type: 'json'; readonly value: unknown };

/**
 * The blocks of an input or output (contract 5.6): messages with their tool calls joined to the
 * answers by `tool_call_id`, parts, documents, a control result. What has another shape is JSON;
 * null and empty lists have no block.
 */
export const contentBlocks = (value: unknown): readonly ContentBlock[] => {
  if (value === null || value === undefined) return [];
  return joinAnswers((Array.isArray(value) ? value : [value]).map(blockOf));
};

const blockOf = (value: unknown): ContentBlock => {
  if (typeof value === 'string') return { type: 'text', text: value };
  if (isMessage(value)) return messageBlock(value);
  if (isTextPart(value)) return { type: 'text', text: value.text };
  if (isFilePart(value)) return { type: 'file', fileId: value.file_id };
  if (isControlResult(value)) return { type: 'control', result: value };
  if (isDocument(value)) return { type: 'document', document: value };
  return { type: 'json', value };
};

type Fields = Readonly<Record<string, unknown>>;
const fieldsOf = (value: unknown): Fields =>
  typeof value === 'object' && value !== null ? (value as Fields) : {};

const isMessage = (value: unknown): value is ChatMessage => {
  const { role, content } = fieldsOf(value);
  return typeof role === 'string' && (typeof content === 'string' || Array.isArray(content));
};
const isTextPart = (value: unknown): value is { readonly text: string } => {
  const { type, text } = fieldsOf(value);
  return type === 'text' && typeof text === 'string';
};
const isFilePart = (value: unknown): value is { readonly file_id: string } => {
  const { type, file_id } = fieldsOf(value);
  return type === 'file' && typeof file_id === 'string';
};
const isControlResult = (value: unknown): value is ControlResult => {
  const { action, matched } = fieldsOf(value);
  return typeof action === 'string' && typeof matched === 'boolean';
};
const isDocument = (value: unknown): value is RetrievedDocument =>
  typeof fieldsOf(value)['content'] === 'string';

const messageBlock = (message: ChatMessage): MessageBlock => ({
  type: 'message',
  role: message.role,
  pieces:
    typeof message.content === 'string'
      ? message.content === ''
        ? []
        : [{ type: 'text', text: message.content }]
      : message.content,
  calls: (message.tool_calls ?? []).map((call) => ({
    id: call.id,
    name: call.function.name,
    arguments: call.function.arguments,
    answer: null,
  })),
  answersCall: message.tool_call_id ?? null,
});

/** Answers stand with the latest call of their id before them, and no more where they came. */
const joinAnswers = (blocks: readonly ContentBlock[]): readonly ContentBlock[] => {
  const joined: ContentBlock[] = [];
  const calls = new Map<string, number>();
  for (const block of blocks) {
    if (block.type !== 'message') {
      joined.push(block);
      continue;
    }
    const place = block.answersCall === null ? undefined : calls.get(block.answersCall);
    const caller = place === undefined ? undefined : joined[place];
    const isText = block.pieces.every(({ type }) => type === 'text');
    if (place !== undefined && caller?.type === 'message' && isText) {
      joined[place] = withAnswer(caller, block);
      calls.delete(block.answersCall ?? '');
      continue;
    }
    for (const { id } of block.calls) calls.set(id, joined.length);
    joined.push(block);
  }
  return joined;
};

const withAnswer = (caller: MessageBlock, answer: MessageBlock): MessageBlock => {
  const text = answer.pieces.map((piece) => (piece.type === 'text' ? piece.text : '')).join('\n');
  const calls = caller.calls.map((call) =>
    call.id === answer.answersCall && call.answer === null ? { ...call, answer: text } : call,
  );
  return { ...caller, calls };
};

/** Bytes of a text that is tried as JSON; a longer one is shown as text. */
const jsonLengthMax = 100_000;

/** The object or list that the text is the JSON of; undefined for any other text. */
export const structuredJson = (text: string): object | undefined => {
  if (text.length > jsonLengthMax || !/^\s*[[{]/.test(text)) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
};
