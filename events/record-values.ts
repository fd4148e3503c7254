// Stored for ever: version 2 of TraceLogged is read by these functions (D-229).
import type { RecordKind } from '../kernel/records/record.js';
import type { Json, JsonObject } from '../kernel/schema-types.js';

type Kind = Exclude<RecordKind, 'session'>;

/** Forms of inputs and outputs (contract 5.6). An empty list fits any list form. */
type Form =
  'text' | 'message' | 'messages' | 'document' | 'documents' | 'parts' | 'control' | 'nothing';

const lists: readonly Form[] = ['messages', 'documents', 'parts'];
const stepInputs: readonly Form[] = ['text', 'messages', 'parts'];
const stepOutputs: readonly Form[] = ['text', 'message', 'documents', 'parts', 'control'];
const inputs: Readonly<Record<Kind, readonly Form[]>> = {
  trace: ['text', 'parts'],
  llm: ['text', 'messages'],
  retriever: ['text'],
  tool: ['text'],
  workflow: stepInputs,
  agent: stepInputs,
  control: stepInputs,
};
const outputs: Readonly<Record<Kind, readonly Form[]>> = {
  trace: ['text', 'parts'],
  llm: ['text', 'message'],
  retriever: ['text', 'document', 'documents'],
  tool: ['text'],
  workflow: stepOutputs,
  agent: stepOutputs,
  control: ['control'],
};

const isList = (value: Json): value is readonly Json[] => Array.isArray(value);
const isMessage = (item: Json): boolean => has(item, 'role') && has(item, 'content');
const has = (item: Json, member: string): boolean =>
  typeof item === 'object' && item !== null && Object.hasOwn(item, member);

/** The first form that fits; validation has ensured that one does. */
const formOf = (value: Json): Form => {
  if (typeof value === 'string') return 'text';
  if (value === null) return 'nothing';
  if (isList(value)) {
    if (value.length === 0) return 'nothing';
    if (value.every(isMessage)) return 'messages';
    return value.every((item) => has(item, 'type')) ? 'parts' : 'documents';
  }
  if (isMessage(value)) return 'message';
  return has(value, 'action') ? 'control' : 'document';
};

/** True if an input of this form is legal for this kind of record. */
export const isInputOf = (kind: Kind, value: Json): boolean => isOneOf(inputs[kind], value);
export const isOutputOf = (kind: Kind, value: Json): boolean => isOneOf(outputs[kind], value);

const isOneOf = (forms: readonly Form[], value: Json): boolean => {
  if (isList(value) && value.length === 0) return forms.some((form) => lists.includes(form));
  return forms.includes(formOf(value));
};

/**
 * The input without unknown members; a text for an llm becomes one user message, but "" stays as it
 * is.
 */
export const inputOf = (kind: Kind, value: Json): Json => {
  if (typeof value === 'string') {
    return kind === 'llm' && value !== '' ? [{ content: value, role: 'user' }] : value;
  }
  return knownMembers(value);
};

/**
 * The output without unknown members; a text from an llm becomes an assistant message, a
 * retriever's output a list of documents.
 */
export const outputOf = (kind: Kind, value: Json): Json => {
  if (kind === 'llm' && typeof value === 'string') return { content: value, role: 'assistant' };
  if (kind !== 'retriever') return knownMembers(value);
  if (typeof value === 'string') return [{ content: value }];
  return isList(value)
    ? value.map((item) => documentOf(item as JsonObject))
    : [knownMembers(value)];
};

const knownMembers = (value: Json): Json => {
  if (typeof value !== 'object' || value === null) return value;
  switch (formOf(value)) {
    case 'messages':
      return (value as readonly JsonObject[]).map(messageOf);
    case 'parts':
      return (value as readonly JsonObject[]).map(partOf);
    case 'documents':
      return (value as readonly JsonObject[]).map(documentOf);
    case 'message':
      return messageOf(value as JsonObject);
    case 'document':
      return documentOf(value as JsonObject);
    case 'control':
      return controlOf(value as JsonObject);
    case 'text':
    case 'nothing':
    default:
      return value;
  }
};

type Members = Record<string, Json>;

const messageOf = (value: JsonObject): JsonObject => {
  const content = value['content'] ?? '';
  const message: Members = {
    content: isList(content) ? content.map((part) => partOf(part as JsonObject)) : content,
    role: value['role'] ?? '',
  };
  if (value['tool_call_id'] != null) message['tool_call_id'] = value['tool_call_id'];
  const calls = value['tool_calls'];
  if (calls != null && typeof calls === 'object') {
    message['tool_calls'] = (calls as readonly JsonObject[]).map(callOf);
  }
  return message;
};

const callOf = (value: JsonObject): JsonObject => {
  const called = value['function'] as JsonObject;
  return {
    id: value['id'] ?? '',
    function: { name: called['name'] ?? '', arguments: called['arguments'] ?? '' },
  };
};

const partOf = (value: JsonObject): JsonObject =>
  value['type'] === 'text'
    ? { type: 'text', text: value['text'] ?? '' }
    : { type: 'file', file_id: canonicalId(value['file_id']) };

const canonicalId = (id: Json | undefined): string =>
  typeof id === 'string' ? id.toLowerCase() : '';

const documentOf = (value: JsonObject): JsonObject => {
  const { metadata } = value;
  const content = value['content'] ?? '';
  return metadata == null
    ? { content }
    : { content, metadata: withoutNulls(metadata as JsonObject) };
};

const controlOf = (value: JsonObject): JsonObject => {
  const result: Members = { action: value['action'] ?? '', matched: value['matched'] ?? false };
  if (value['confidence'] != null) result['confidence'] = value['confidence'];
  if (value['error_message'] != null) result['error_message'] = value['error_message'];
  return result;
};

/**
 * Drops null entries of a map (contract 7). Returns the map itself without any, the common case.
 */
export const withoutNulls = <V>(
  map: Readonly<Record<string, V | null>>,
): Readonly<Record<string, V>> => {
  for (const name in map) {
    if (map[name] === null) {
      return Object.fromEntries(
        Object.entries(map).filter((entry): entry is [string, V & {}] => entry[1] !== null),
      );
    }
  }
  return map as Readonly<Record<string, V>>;
};
