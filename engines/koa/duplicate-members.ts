import { endOfJsonString, parseJsonText } from '../../kernel/json-text.js';

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
export const duplicateMembers = (text: string, most: number): readonly MemberPath[] => {
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
