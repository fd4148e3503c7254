import { isAscii, isUtf8 } from 'node:buffer';
import { type Complaint, valueComplaint } from '../../kernel/fault.js';

export type Parsed = { readonly value: unknown } | { readonly complaint: Complaint };

/**
 * A body as JSON. Nesting is measured without recursion, before anything recurses (contract 1.11);
 * unpaired surrogates become U+FFFD. A member may be called `__proto__`: it is an own member like
 * any other, so whoever copies one by its name defines it (spread, `Object.fromEntries`) and never
 * assigns it.
 */
export const parseJson = (bytes: Buffer, levelsMax: number): Parsed => {
  if (!isUtf8(bytes)) return { complaint: undecodable };
  // Latin-1 decoding is a plain copy, and parses faster: text of one byte a character.
  const text = isAscii(bytes) ? bytes.toString('latin1') : bytes.toString('utf8');
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { complaint: undecodable };
  }
  const holder = { value };
  return tidied(holder, levelsMax, text.includes('\\u') && surrogateEscape.test(text))
    ? { value: holder.value }
    : { complaint: tooDeep(levelsMax) };
};

const undecodable: Complaint = { loc: ['body'], msg: 'JSON decode error', type: 'json_invalid' };
const tooDeep = (levelsMax: number): Complaint =>
  valueComplaint(['body'], `the body is nested deeper than ${levelsMax} levels`);

/**
 * UTF-8 cannot hold a surrogate, so an unpaired one can only come from an escape; most texts have
 * none, which is seen four times as fast without the expression.
 */
const surrogateEscape = /\\u[dD][89a-fA-F]/;

type Node = Record<string, unknown> | unknown[];

/** Level by level; false when there are more levels than allowed. */
const tidied = (holder: Record<string, unknown>, levelsMax: number, mend: boolean): boolean => {
  let level: Node[] = [holder];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > levelsMax) return false;
    const next: Node[] = [];
    for (const node of level) {
      if (mend) mendTexts(node);
      if (Array.isArray(node)) {
        for (const item of node)
          if (typeof item === 'object' && item !== null) next.push(item as Node);
      } else gather(node, next);
    }
    level = next;
  }
  return true;
};

const gather = (object: Record<string, unknown>, next: Node[]): void => {
  // Objects of JSON.parse inherit nothing enumerable, and every member of an ingest body is met.
  // oxlint-disable-next-line guard-for-in -- see above
  for (const member in object) {
    const value = object[member];
    if (typeof value === 'object' && value !== null) next.push(value as Node);
  }
};

const mendTexts = (node: Node): void => {
  if (Array.isArray(node)) {
    for (const [index, item] of node.entries()) {
      if (typeof item === 'string') node[index] = item.toWellFormed();
    }
    return;
  }
  for (const [member, value] of Object.entries(node)) {
    const mended = member.toWellFormed();
    if (mended !== member) delete node[member];
    // Own already, or with U+FFFD in it: this never assigns a prototype.
    node[mended] = typeof value === 'string' ? value.toWellFormed() : value;
  }
};
