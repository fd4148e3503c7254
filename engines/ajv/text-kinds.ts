import { canonicalInstant, canonicalUuid } from '../../kernel/uuid-and-instant.js';
import type { TextKind } from './shape.js';

/** Converts a text to the canonical form of its kind; null if malformed (contract 1.3). */
type Conversion = (text: string) => string | null;

/** Control characters, U+0000 to U+001F and U+007F, which a name may not contain. */
const controls = /[^ -~\u{80}-\u{10ffff}]/u;
/** Published pattern of the rule against control characters. */
export const namePattern = '^[^\\x00-\\x1F\\x7F]*$';

export type KindParsers = Readonly<Record<TextKind, Conversion>>;

export const kindParsers: KindParsers = {
  uuid: canonicalUuid,
  instant: canonicalInstant,
  name: (text) => {
    const trimmed = text.trim();
    return controls.test(trimmed) ? null : trimmed;
  },
};

const onlyCanonical =
  (kind: TextKind): Conversion =>
  (text) =>
    kindParsers[kind](text) === text ? text : null;

/** Parsers for answers: texts must be canonical already. */
export const canonicalParsers: KindParsers = {
  uuid: onlyCanonical('uuid'),
  instant: onlyCanonical('instant'),
  name: onlyCanonical('name'),
};

/** First item of `loc` (contract 1.4); for a form, whose parts are text, it is `body`. */
export type RequestPart = 'path' | 'query' | 'header' | 'cookie' | 'body' | 'form';
