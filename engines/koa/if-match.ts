import type { Operation } from '../../contract/operation.js';
import { Fault } from '../../kernel/fault.js';
import type { IfMatch } from '../../kernel/if-match.js';

/** RFC 9110, 8.8.3: what may stand between the quotes of a tag. */
const listForm = /^\s*(?:(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"\s*(?:,\s*|$))+$/;
const tagForm = /(W\/)?"([^"]*)"/g;

/**
 * `If-Match` of an operation that takes it, null when there is none. Throws Fault `malformed` for
 * what is no list of tags (contract 1.5).
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
