import type { ChatMessage, RetrievedDocument } from '../generated/traces-types.js';
import { jsonOf, membersOf } from './safe-json.js';

/** Limits of contract 1.11 and 5.6; longer values are cut, so that the record is accepted. */
const textBytesMax = 1_048_576;
const nameMax = 255;
const externalIdMax = 1_024;
const tagsMax = 100;
const entriesMax = 200;
const metadataMax = 4_096;
const metadataKeyMax = 256;
const metricNameMax = 128;
const cutMark = '… (cut)';

export const spanKinds = ['llm', 'retriever', 'tool', 'workflow', 'agent', 'control'] as const;
export type SpanKind = (typeof spanKinds)[number];

/** Input in the form of its kind (contract 5.6): messages stay messages, all else becomes text. */
export const inputOf = (kind: SpanKind | 'trace', value: unknown): unknown =>
  orText(value, (given) =>
    takesMessages(kind) && isMessages(given) ? given.map(messageOf) : textOf(given),
  );

export const outputOf = (kind: SpanKind | 'trace', value: unknown): unknown =>
  orText(value, (given) => {
    if (kind === 'control') return isControlResult(given) ? given : undefined;
    if (takesMessages(kind) && isMessage(given)) return messageOf(given);
    return kind === 'retriever' ? documentsOf(given) : textOf(given);
  });

const takesMessages = (kind: SpanKind | 'trace'): boolean =>
  kind === 'llm' || kind === 'workflow' || kind === 'agent';

/** Converts a value; one whose access throws becomes text. */
const orText = (value: unknown, make: (given: unknown) => unknown): unknown => {
  if (value === undefined || value === null) return undefined;
  try {
    return make(value);
  } catch {
    return make(textOf(value));
  }
};

export const nameOf = (name: unknown): string => cutTo(textOf(name), nameMax);

/** A single text counts as one tag. */
export const tagsOf = (tags: unknown): readonly string[] =>
  (Array.isArray(tags) ? tags : [tags ?? ''])
    .map((tag) => cutTo(textOf(tag), nameMax))
    .filter((tag) => tag !== '')
    .slice(0, tagsMax);

/** Values become texts; those that are null or undefined are dropped. */
export const metadataOf = (metadata: unknown): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(membersOf(metadata))
      .filter(([key, value]) => key !== '' && value !== undefined && value !== null)
      .slice(0, entriesMax)
      .map(([key, value]) => [cutTo(key, metadataKeyMax), cutTo(textOf(value), metadataMax)]),
  );

type MetricValue = number | boolean | string;

/** Error of an invalid metric value; null for a finite number, a boolean or a text. */
export const metricFault = (value: unknown): string | null => {
  if (typeof value === 'boolean' || typeof value === 'string' || Number.isFinite(value))
    return null;
  if (typeof value === 'number') return `${value} is not a finite number`;
  return `${textOf(value).slice(0, 80)} is neither a number nor a boolean nor a text`;
};

/** Skips null and undefined; `onLost` gets each other metric that is left out, and why. */
export const metricsOf = (
  metrics: unknown,
  onLost: (name: string, why: string) => void = () => undefined,
): Readonly<Record<string, MetricValue>> => {
  const kept: [string, MetricValue][] = [];
  for (const [name, value] of Object.entries(membersOf(metrics))) {
    if (value === undefined || value === null) continue;
    const fault = name === '' ? 'a metric needs a name' : metricFault(value);
    const isFull = kept.length === entriesMax;
    if (fault === null && !isFull) kept.push([cutTo(name, metricNameMax), value as MetricValue]);
    else onLost(name, fault ?? `a record takes ${entriesMax} metrics`);
  }
  return Object.fromEntries(kept);
};

/** Text of any value, as faithful as JSON allows. Never throws. */
export const textOf = (value: unknown): string => {
  if (typeof value === 'string') return cutToBytes(value);
  try {
    if (value instanceof Error) return cutToBytes(`${value.name}: ${value.message}`);
    return cutToBytes(jsonOf(value) ?? String(value));
  } catch {
    return `[${typeof value}]`;
  }
};

/** Text of an optional member; undefined for an empty value. */
export const optionalText = (value: unknown): string | undefined =>
  value === undefined || value === null || value === '' ? undefined : textOf(value);

export const externalIdOf = (value: unknown): string | undefined => {
  const text = optionalText(value);
  return text === undefined ? undefined : cutTo(text, externalIdMax);
};

const cutTo = (text: string, max: number): string =>
  text.length <= max ? text : Array.from(text).slice(0, max).join('');

/** No UTF-16 unit needs more than three bytes, so a shorter text needs no counting. */
const surelyShort = Math.floor(textBytesMax / 3);
const cutToBytes = (text: string): string => {
  if (text.length <= surelyShort) return text;
  const bytes = new TextEncoder().encode(text);
  if (bytes.length <= textBytesMax) return text;
  const kept = bytes.subarray(0, textBytesMax - 16);
  // Drops a character that was cut in half.
  return new TextDecoder().decode(kept, { stream: true }) + cutMark;
};

const roles: ReadonlySet<unknown> = new Set([
  'agent',
  'assistant',
  'developer',
  'function',
  'system',
  'tool',
  'user',
]);

const isMessages = (value: unknown): value is readonly Sent[] =>
  Array.isArray(value) && value.length > 0 && value.every(isMessage);

type Sent = { readonly role: ChatMessage['role']; readonly content: unknown } & {
  readonly [member in 'tool_call_id' | 'tool_calls']?: unknown;
};
const isMessage = (value: unknown): value is Sent =>
  isObject(value) && roles.has(value['role']) && 'content' in value;

/** Content that is not text, such as images of a provider, becomes JSON text. */
const messageOf = (sent: Sent): ChatMessage => ({
  role: sent.role,
  content: sent.content === null ? '' : textOf(sent.content),
  ...(typeof sent.tool_call_id === 'string' && { tool_call_id: sent.tool_call_id }),
  ...(Array.isArray(sent.tool_calls) && { tool_calls: sent.tool_calls.flatMap(toolCallOf) }),
});

type ToolCall = NonNullable<ChatMessage['tool_calls']>[number];
const toolCallOf = (call: unknown): readonly ToolCall[] => {
  const made = isObject(call) ? call['function'] : null;
  if (!isObject(call) || !isObject(made)) return [];
  const [id, name] = [textOf(call['id'] ?? ''), textOf(made['name'] ?? '')];
  return [{ id, function: { name, arguments: textOf(made['arguments'] ?? '') } }];
};

const documentsOf = (value: unknown): readonly RetrievedDocument[] =>
  (Array.isArray(value) ? value : [value]).map((one: unknown) => {
    const isDocument = isObject(one) && typeof one['content'] === 'string';
    const metadata = isDocument ? one['metadata'] : undefined;
    return {
      content: textOf(isDocument ? one['content'] : one),
      ...(isObject(metadata) && { metadata: metricsOf(metadata) }),
    };
  });

const isControlResult = (value: unknown): boolean =>
  isObject(value) &&
  ['deny', 'steer', 'observe'].includes(String(value['action'])) &&
  typeof value['matched'] === 'boolean';

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

/** The objects of a list as plain JSON; undefined for anything else. */
export const plainOf = (list: unknown): readonly object[] | undefined => {
  const plain: unknown = JSON.parse(jsonOf(list ?? null) ?? 'null');
  return Array.isArray(plain) ? plain.filter(isObject) : undefined;
};
