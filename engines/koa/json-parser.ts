import { isAscii, isUtf8 } from 'node:buffer';
import { parseJsonText } from '../../kernel/json-text.js';
import { type Complaint, valueComplaint } from '../../kernel/fault.js';
import { ignoredMax } from '../ajv/ignored-members.js';
import { countMembers, duplicateMembers, type MemberPath } from './duplicate-members.js';
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
