import { Fault } from '../../kernel/fault.js';

/**
 * Percent-decoding as addresses have it. Throws Fault `malformed` for broken ones.
 */
export const percentDecode = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new Fault('malformed', 'The request has a broken percent-encoding');
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
