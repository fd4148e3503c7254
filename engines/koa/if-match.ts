import type { Operation } from '../../contract/operation.js';
import { Fault } from '../../kernel/fault.js';
import type { IfMatch } from '../../kernel/if-match.js';

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
