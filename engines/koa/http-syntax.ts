import { Fault } from '../../kernel/fault.js';
import type { Operation } from '../../contract/operation.js';
import type { IfMatch } from '../../kernel/if-match.js';

/** Percent-decoding of URLs. Throws Fault `malformed` for broken encodings. */
export const percentDecode = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new Fault('malformed', 'Malformed percent-encoding in the request');
  }
};

/** Names and their values, of a query or of a urlencoded body; without a prototype. */
export const parseUrlencoded = (text: string): Readonly<Record<string, readonly string[]>> => {
  const pairs = Object.create(null) as Record<string, string[]>;
  for (const pair of text.split('&')) {
    if (pair === '') continue;
    const [name = '', ...rest] = pair.replaceAll('+', ' ').split('=');
    (pairs[percentDecode(name)] ??= []).push(percentDecode(rest.join('=')));
  }
  return pairs;
};

/** Entity tags of RFC 9110, 8.8.3. */
const listForm = /^\s*(?:(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"\s*(?:,\s*|$))+$/;
const tagForm = /(W\/)?"([^"]*)"/g;

/**
 * Parses `If-Match` for an operation that takes it (optimistic concurrency, contract 1.9), null
 * without the header. Throws Fault `malformed` for anything but a list of tags (contract 1.5).
 */
export const parseIfMatch = (
  { conditional }: Operation,
  header: string | undefined,
): IfMatch | null => {
  if (!conditional || header === undefined) return null;
  if (header.trim() === '*') return '*';
  if (!listForm.test(header)) throw new Fault('malformed', 'If-Match is not a list of tags');
  return [...header.matchAll(tagForm)]
    .filter(([, weak]) => weak === undefined)
    .map(([, , tag]) => tag ?? '');
};

/**
 * True if an `Accept-Encoding` header names the coding, itself or by `*`, with a weight above zero
 * (RFC 9110, 12.5.3). False without the header, although the standard allows any coding then: old
 * clients that send none do not decode.
 */
export const acceptsCoding = (header: string, coding: 'br' | 'gzip'): boolean => {
  const weights = new Map(header.toLowerCase().split(',').map(weightedCoding));
  return (weights.get(coding) ?? weights.get('*') ?? 0) > 0;
};

/** Name and weight of one item: `gzip;q=0.5`; a malformed weight counts as zero. */
const weightedCoding = (item: string): readonly [string, number] => {
  const [name = '', ...parameters] = item.split(';').map((part) => part.trim());
  const weight = parameters.find((parameter) => parameter.startsWith('q='));
  const value = weight === undefined ? 1 : Number(weight.slice('q='.length));
  return [name, value > 0 ? value : 0];
};

/** Media type without its parameters, in lower case; `''` when there is none. */
export const mediaTypeEssence = (contentType: string | undefined): string =>
  (contentType ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
