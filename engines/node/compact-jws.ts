import { isUtf8 } from 'node:buffer';
import { parseJsonText } from '../../kernel/json-text.js';

export type TokenClaims = Readonly<Record<string, unknown>>;
/** Compact JWS, parsed but not verified yet. */
type CompactJws = {
  readonly header: TokenClaims;
  readonly payload: TokenClaims;
  /** Signing input. */
  readonly input: string;
};

const form = /^([A-Za-z0-9_-]+)\.([A-Za-z0-9_-]+)\.([A-Za-z0-9_-]+)$/;

/**
 * Parses a compact JWS. Null for ambiguous input: padding, other alphabets, spare bits, duplicate
 * members, anything but two objects.
 */
export const parseCompactJws = (token: string): CompactJws | null => {
  const [, head = '', body = '', signature = ''] = form.exec(token) ?? [];
  const parts = [head, body, signature];
  if (parts.some((part) => part === '' || !isCanonical(part))) return null;
  const [header, payload] = [objectOf(head), objectOf(body)];
  return header === null || payload === null ? null : { header, payload, input: `${head}.${body}` };
};

const isCanonical = (part: string): boolean =>
  Buffer.from(part, 'base64url').toString('base64url') === part;

const objectOf = (part: string): TokenClaims | null => {
  const bytes = Buffer.from(part, 'base64url');
  if (!isUtf8(bytes)) return null;
  const text = bytes.toString('utf8');
  try {
    const value = parseJsonText(text);
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject && !hasDuplicateMember(text) ? (value as TokenClaims) : null;
  } catch {
    return null;
  }
};

const token = /"(?:[^"\\]|\\.)*"|[{}[\]:]/g;

/** True if a JSON object has one of its own members twice; readers differ on which one counts. */
const hasDuplicateMember = (text: string): boolean => {
  const names = new Set<string>();
  let depth = 0;
  let before = '';
  for (const [found] of text.matchAll(token)) {
    if (found === '{' || found === '[') depth += 1;
    else if (found === '}' || found === ']') depth -= 1;
    else if (found === ':' && depth === 1) {
      const name = parseJsonText(before) as string;
      if (names.has(name)) return true;
      names.add(name);
    }
    before = found;
  }
  return false;
};
