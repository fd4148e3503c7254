import { parseJsonText } from '../../kernel/json-text.js';
import { valueFault } from '../../kernel/fault.js';

/** Cursor of a list of entries, bound to its query. */
type Cursor = {
  readonly chain: string;
  /** `seq` of the next entry to scan. Entries keep theirs, so a cursor stays valid. */
  readonly seq: number;
  readonly ascending: boolean;
  /** Digest of the filters: the cursor is rejected with other filters. */
  readonly filters: string;
};

/** Authentication tag of a text, a few characters that only this service can compute. */
export type CursorTag = (text: string) => string;

/** Length of the HMAC tag: 32 bits, since a forger only gets a page of their own history. */
export const tagCharacters = 8;

export const writeCursor = ({ chain, seq, ascending, filters }: Cursor, tag: CursorTag): string => {
  const text = JSON.stringify([version, chain, seq, ascending, filters]);
  return urlSafe(btoa(`${tag(text)}${text}`));
};

/**
 * Validates a cursor. Throws Fault `invalid` unless it was issued for this chain, order and
 * filters.
 */
export const readCursor = (
  written: string,
  expected: Omit<Cursor, 'seq'>,
  tag: CursorTag,
): Cursor['seq'] => {
  const text = decodeBase64Url(written);
  const content = text.slice(tagCharacters);
  const whole = text.length > tagCharacters && tag(content) === text.slice(0, tagCharacters);
  const [known, chain, seq, ascending, filters] = whole
    ? (parseJsonText(content) as [number, string, number, boolean, string])
    : [];
  if (seq === undefined || known !== version || chain !== expected.chain) {
    throw valueFault(['query', 'cursor'], 'not a cursor of this list');
  }
  if (ascending !== expected.ascending || filters !== expected.filters) {
    throw valueFault(['query', 'cursor'], 'the cursor belongs to another order or other filters');
  }
  return seq;
};

const version = 1;

const urlSafe = (base64: string): string =>
  base64.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');

const base64UrlForm = /^[0-9A-Za-z_-]+$/;
/** Decoded text; empty for malformed base64url. */
const decodeBase64Url = (written: string): string => {
  if (!base64UrlForm.test(written) || written.length % 4 === 1) return '';
  return atob(written.replaceAll('-', '+').replaceAll('_', '/'));
};
