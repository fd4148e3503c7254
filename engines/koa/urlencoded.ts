import { Fault } from '../../kernel/fault.js';

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
