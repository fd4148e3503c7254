import { isAscii, isUtf8 } from 'node:buffer';
import { type Complaint, valueComplaint } from '../../kernel/fault.js';

export type Parsed = { readonly value: unknown } | { readonly complaint: Complaint };

/**
 * A body as JSON, in which so many objects and lists are within each other (contract 1.11);
 * unpaired surrogates become U+FFFD. A member may be called `__proto__`: it is an own member like
 * any other, so whoever copies one by its name defines it (spread, `Object.fromEntries`) and never
 * assigns it.
 */
export const parseJson = (bytes: Buffer, levels: number, levelsMax: number): Parsed => {
  if (!isUtf8(bytes)) return { complaint: undecodable };
  // Latin-1 decoding is a plain copy, and parses faster: text of one byte a character.
  const text = isAscii(bytes) ? bytes.toString('latin1') : bytes.toString('utf8');
  const holder: { value?: unknown } = {};
  try {
    holder.value = JSON.parse(text);
  } catch {
    return { complaint: undecodable };
  }
  if (levels > levelsMax) return { complaint: tooDeep(levelsMax) };
  if (text.includes('\\u') && surrogateEscape.test(text)) mend(holder);
  return { value: holder.value };
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

const mend = (node: Node): void => {
  mendTexts(node);
  for (const value of Object.values(node)) {
    if (typeof value === 'object' && value !== null) mend(value as Node);
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
