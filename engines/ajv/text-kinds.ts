import { canonicalInstant, canonicalUuid } from '../../kernel/uuid-and-instant.js';
import type { TextKind } from './shape.js';

/** What a text of this kind becomes, null when it is none (contract 1.3). */
type Conversion = (text: string) => string | null;

/** Anything but U+0000 to U+001F and U+007F is what a name may hold. */
const controls = /[^ -~\u{80}-\u{10ffff}]/u;
/** How the rule against control characters is told to clients. */
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

/** Of an answer: nothing is made of it, it has to be canonical as it stands. */
export const canonicalParsers: KindParsers = {
  uuid: onlyCanonical('uuid'),
  instant: onlyCanonical('instant'),
  name: onlyCanonical('name'),
};

/** The first item of `loc` (contract 1.4); that of a form, whose parts are text, is `body`. */
export type RequestPart = 'path' | 'query' | 'header' | 'cookie' | 'body' | 'form';
