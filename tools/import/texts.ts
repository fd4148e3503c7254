import { parseJsonText } from '../../kernel/json-text.js';
import { messageRoles } from '../../contract/records.js';
import { firstCodePoints } from '../../kernel/code-points.js';
import type { Json, JsonObject } from '../../kernel/schema-types.js';
import { isList, isObject, withoutEmpty } from './records.js';

/** A text as it is, anything else as compact JSON; null if absent. */
export const textOf = (value: Json | undefined): string | null => {
  if (value === null || value === undefined) return null;
  return typeof value === 'string' ? value : JSON.stringify(value);
};

/** Parses JSON inside a text: exports of tables hold everything as texts. */
export const parseEmbeddedJson = (value: Json | undefined): Json | undefined => {
  if (typeof value !== 'string' || !/^\s*[[{]/.test(value)) return value;
  try {
    return parseJsonText(value) as Json;
  } catch {
    return value;
  }
};

/** Names of roles in other systems. */
const roles: Readonly<Record<string, string>> = { human: 'user', ai: 'assistant', model: 'agent' };

const roleOf = (role: Json | undefined, fallback: string): string => {
  const said = textOf(role)?.toLowerCase() ?? fallback;
  const known = roles[said] ?? said;
  return messageRoles.some((one) => one === known) ? known : fallback;
};

/** Converts a message of the OpenAI form, which most systems store, to contract 5.6; else null. */
const messageOf = (value: Json, fallback: string): JsonObject | null => {
  if (!isObject(value) || !('role' in value || 'content' in value)) return null;
  const { content } = value;
  if (content === undefined && value['tool_calls'] === undefined) return null;
  const calls = isList(value['tool_calls']) ? value['tool_calls'] : [];
  return {
    content: contentOf(content),
    role: roleOf(value['role'], fallback),
    ...withoutEmpty({
      tool_call_id: textOf(value['tool_call_id']),
      tool_calls: calls.flatMap((call) => (isObject(call) ? [toolCall(call)] : [])),
    }),
  };
};

/** Text parts stay parts; an unsupported part turns the whole into JSON text. */
const contentOf = (content: Json | undefined): Json => {
  if (!isList(content)) return textOf(content) ?? '';
  const isAllText = content.every((part) => isObject(part) && typeof part['text'] === 'string');
  if (!isAllText) return JSON.stringify(content);
  return content.map((part) => ({ type: 'text', text: (part as JsonObject)['text'] ?? '' }));
};

export const toolCall = (call: JsonObject): JsonObject => {
  const named = isObject(call['function']) ? call['function'] : call;
  return {
    id: textOf(call['id']) ?? '',
    function: {
      name: textOf(named['name']) ?? '',
      arguments: textOf(named['arguments'] ?? named['args'] ?? named['input']) ?? '',
    },
  };
};

/** The input of an llm span: messages if there are any, else one text. */
export const inputMessages = (value: Json | undefined): Json => {
  const whole = parseEmbeddedJson(value);
  const inside = isObject(whole) ? (whole['messages'] ?? [whole]) : whole;
  if (!isList(inside)) return textOf(value) ?? '';
  const found = inside.map((one) => messageOf(one, 'user'));
  return found.length > 0 && found.every((one) => one !== null) ? found : (textOf(value) ?? '');
};

/** The output of an llm span: a message if there is one, else a text. */
export const outputMessage = (value: Json | undefined): Json => {
  const whole = parseEmbeddedJson(value);
  const one = isList(whole) && whole.length === 1 ? whole[0] : whole;
  return (one === undefined ? null : messageOf(one, 'assistant')) ?? textOf(value);
};

/** The output of a retriever: documents if there are any, else a text. */
export const outputDocuments = (value: Json | undefined): Json => {
  const whole = parseEmbeddedJson(value);
  const list = isObject(whole) && isList(whole['documents']) ? whole['documents'] : whole;
  if (!isList(list)) return textOf(value);
  return list.map((one) => {
    if (!isObject(one)) return { content: textOf(one) ?? '' };
    const { page_content: page, content = page, text = content, metadata, ...others } = one;
    const about = { ...(isObject(metadata) ? metadata : {}), ...others };
    return { content: textOf(text) ?? '', ...withoutEmpty({ metadata: scalars(about) }) };
  });
};

/** Metadata of a document (contract 5.6): lists and objects become JSON texts. */
export const scalars = (about: JsonObject): JsonObject =>
  withoutEmpty(
    Object.fromEntries(
      Object.entries(about).map(([name, value]) => [
        name,
        typeof value === 'object' ? textOf(value) : value,
      ]),
    ),
  );

const [entriesMax, keyMax, valueMax] = [200, 256, 4_096];
/**
 * `user_metadata` (contract 1.11): texts by name. Values beyond the limits are cut; lists and
 * objects become JSON.
 */
export const metadataOf = (...maps: readonly (Json | undefined)[]): JsonObject => {
  const found: Record<string, Json> = {};
  for (const map of maps.map(parseEmbeddedJson)) {
    if (!isObject(map)) continue;
    for (const [name, value] of Object.entries(map)) {
      const text = textOf(value);
      if (text === null || name === '' || Object.keys(found).length >= entriesMax) continue;
      found[firstCodePoints(name, keyMax)] = firstCodePoints(text, valueMax);
    }
  }
  return found;
};

const [tagsMax, tagMax] = [100, 255];
export const tagsOf = (value: Json | undefined): readonly string[] => {
  const list = parseEmbeddedJson(value);
  if (!isList(list)) return [];
  return list
    .flatMap((tag) => (typeof tag === 'string' && tag !== '' ? [tag] : []))
    .slice(0, tagsMax)
    .map((tag) => firstCodePoints(tag, tagMax));
};

export const nameFor = (value: Json | undefined): string =>
  firstCodePoints(textOf(value) ?? '', 255);

export const numberOf = (value: Json | undefined): number | null => {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : null;
};

/** Nanoseconds from one date-time to another; null when one is missing. */
export const elapsedNs = (from: Json | undefined, to: Json | undefined): number | null => {
  const [begin, end] = [instantMs(from), instantMs(to)];
  return begin === null || end === null ? null : Math.round((end - begin) * 1_000) * 1_000;
};

/** A date-time of contract 1.3: tables of pandas have milliseconds since 1970. */
export const instantFor = (value: Json | undefined): string | null => {
  if (typeof value === 'string' && value !== '') return value;
  const ms = numberOf(value);
  return ms === null || Math.abs(ms) > 8.64e15 ? null : new Date(ms).toISOString();
};

const instantMs = (value: Json | undefined): number | null => {
  const text = instantFor(value);
  if (text === null) return null;
  const hasZone = /(?:[zZ]|[+-]\d\d:?\d\d)$/.test(text);
  const ms = Date.parse(`${text.replace(' ', 'T')}${hasZone || text.length < 11 ? '' : 'Z'}`);
  // `Date` has millisecond precision only.
  const micros = /\.\d{3}(\d{1,3})/.exec(text)?.[1]?.padEnd(3, '0');
  return Number.isNaN(ms) ? null : ms + Number(micros ?? 0) / 1_000;
};
