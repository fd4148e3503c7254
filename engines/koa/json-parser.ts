import { isAscii, isUtf8 } from 'node:buffer';
import { parseJsonText, endOfJsonString } from '../../kernel/json-text.js';
import { type Complaint, valueComplaint } from '../../kernel/fault.js';
import { ignoredMax } from '../ajv/ignored-members.js';
import type { JsonComplexity } from './json-scan.js';

export type ParsedBody =
  | {
      readonly value: unknown;
      /** Members that a later one of the same name replaced, 21 at most. */
      readonly repeated?: readonly MemberPath[];
      /** Bytes of the items of its list; absent where an unpaired surrogate was replaced. */
      readonly itemBytes?: readonly Uint8Array[];
    }
  | { readonly complaint: Complaint };

/**
 * Parses a JSON body whose complexity was counted: its nesting depth (contract 1.11), and its
 * number of members. Of duplicate members in an object the last one stays; unpaired surrogates
 * become U+FFFD. A member may be called `__proto__`: it is an own member like any other, so code
 * that copies one by its name defines it (spread, `Object.fromEntries`) and never assigns it.
 */
export const parseJson = (
  bytes: Buffer,
  { levels, members }: Pick<JsonComplexity, 'levels' | 'members'>,
  levelsMax: number,
  itemBounds: readonly number[] = [],
): ParsedBody => {
  if (!isUtf8(bytes)) return { complaint: invalidJson };
  // Latin-1 decoding is a plain copy, and parses faster: text of one byte a character.
  const text = isAscii(bytes) ? bytes.toString('latin1') : bytes.toString('utf8');
  const holder: { value?: unknown } = {};
  try {
    holder.value = parseJsonText(text);
  } catch {
    return { complaint: invalidJson };
  }
  if (levels > levelsMax) return { complaint: tooDeepComplaint(levelsMax) };
  const isReplaced =
    text.includes('\\u') && surrogateEscape.test(text) && replaceSurrogates(holder);
  const { value } = holder;
  const parsed =
    isReplaced || itemBounds.length === 0
      ? { value }
      : { value, itemBytes: itemsBetween(bytes, itemBounds) };
  if (members === countMembers(value)) return parsed;
  return { ...parsed, repeated: duplicateMembers(text, ignoredMax) };
};

const itemsBetween = (bytes: Buffer, bounds: readonly number[]): readonly Uint8Array[] =>
  Array.from({ length: bounds.length / 2 }, (_, index) =>
    bytes.subarray(bounds[index * 2], bounds[index * 2 + 1]),
  );

const invalidJson: Complaint = { loc: ['body'], msg: 'JSON decode error', type: 'json_invalid' };
const tooDeepComplaint = (levelsMax: number): Complaint =>
  valueComplaint(['body'], `the body is nested deeper than ${levelsMax} levels`);

/**
 * UTF-8 cannot hold a surrogate, so an unpaired one can only come from an escape; most texts have
 * none, which a substring test shows four times as fast as the expression.
 */
const surrogateEscape = /\\u[dD][89a-fA-F]/;

type JsonNode = Record<string, unknown> | unknown[];

/** Returns true if there was one. */
const replaceSurrogates = (node: JsonNode): boolean => {
  let isReplaced = replaceOwnSurrogates(node);
  for (const value of Object.values(node)) {
    if (typeof value !== 'object' || value === null) continue;
    if (replaceSurrogates(value as JsonNode)) isReplaced = true;
  }
  return isReplaced;
};

const replaceOwnSurrogates = (node: JsonNode): boolean => {
  let isReplaced = false;
  const wellFormed = (text: string): string => {
    if (text.isWellFormed()) return text;
    isReplaced = true;
    return text.toWellFormed();
  };
  if (Array.isArray(node)) {
    for (const [index, item] of node.entries()) {
      if (typeof item === 'string') node[index] = wellFormed(item);
    }
    return isReplaced;
  }
  for (const [member, value] of Object.entries(node)) {
    const name = wellFormed(member);
    if (name !== member) delete node[member];
    // An own member already, or with U+FFFD in it: this never assigns a prototype.
    node[name] = typeof value === 'string' ? wellFormed(value) : value;
  }
  return isReplaced;
};

/** Path from the body to a member: names and indices. */
export type MemberPath = readonly string[];

/** Number of members of all objects of a parsed body, at every depth. */
export const countMembers = (value: unknown): number => {
  if (typeof value !== 'object' || value === null) return 0;
  let count = 0;
  if (Array.isArray(value)) {
    for (const item of value) if (typeof item === 'object') count += countMembers(item);
    return count;
  }
  const members = value as Readonly<Record<string, unknown>>;
  // Objects of JSON.parse inherit nothing enumerable.
  // oxlint-disable-next-line guard-for-in -- see above
  for (const name in members) {
    count += 1;
    const member = members[name];
    if (typeof member === 'object') count += countMembers(member);
  }
  return count;
};

/**
 * Finds members of a JSON text that a later member of the same object and name replaces, `most` at
 * most, in order. It scans the whole text once more, so call it only when the text has more members
 * than its parsed value. The text must be JSON, of bounded nesting.
 */
const duplicateMembers = (text: string, most: number): readonly MemberPath[] => {
  const found: MemberPath[] = [];
  const path: string[] = [];
  let at = 0;

  const skipSpace = (): void => {
    while (text.charCodeAt(at) <= space) at += 1;
  };
  const readText = (): string => {
    const from = at;
    at = endOfJsonString(text, from + 1) + 1;
    return text.slice(from, at);
  };
  const readName = (): string => {
    const raw = readText();
    return raw.includes('\\') ? (parseJsonText(raw) as string).toWellFormed() : raw.slice(1, -1);
  };
  const skipValue = (): void => {
    skipSpace();
    const first = text[at];
    if (first === '{') each('}', readMember(new Set()));
    else if (first === '[') each(']', readItem());
    else if (first === '"') readText();
    else while (at < text.length && !',]}'.includes(text[at] ?? '')) at += 1;
  };
  const each = (end: string, read: () => void): void => {
    at += 1;
    skipSpace();
    while (text[at] !== end && at < text.length && found.length < most) {
      read();
      skipSpace();
      if (text[at] === ',') at += 1;
      skipSpace();
    }
    at += 1;
  };
  const readMember = (names: Set<string>) => (): void => {
    const name = readName();
    path.push(name);
    if (names.has(name)) found.push([...path]);
    names.add(name);
    skipSpace();
    at += 1;
    skipValue();
    path.pop();
  };
  const readItem = () => {
    let index = 0;
    return (): void => {
      path.push(String(index));
      index += 1;
      skipValue();
      path.pop();
    };
  };
  skipValue();
  return found;
};

const space = 0x20;
