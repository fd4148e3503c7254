import { canonicalInstant, canonicalUuid } from '../../kernel/canonical.js';
import type { Kind } from './shape.js';

/** What a text of this kind becomes, null when it is none (contract 1.3). */
type Conversion = (text: string) => string | null;

/** Anything but U+0000 to U+001F and U+007F is what a name may hold. */
const controls = /[^ -~\u{80}-\u{10ffff}]/u;
/** How the rule against control characters is told to clients. */
export const namePattern = '^[^\\x00-\\x1F\\x7F]*$';

export type Readings = Readonly<Record<Kind, Conversion>>;

export const readings: Readings = {
  uuid: canonicalUuid,
  instant: canonicalInstant,
  name: (text) => {
    const trimmed = text.trim();
    return controls.test(trimmed) ? null : trimmed;
  },
};

const asItStands =
  (kind: Kind): Conversion =>
  (text) =>
    readings[kind](text) === text ? text : null;

/** Of an answer: nothing is made of it, it has to be canonical as it stands. */
export const canonicalReadings: Readings = {
  uuid: asItStands('uuid'),
  instant: asItStands('instant'),
  name: asItStands('name'),
};

/** The first item of `loc` (contract 1.4); that of a form, whose parts are text, is `body`. */
export type RequestPart = 'path' | 'query' | 'header' | 'cookie' | 'body' | 'form';
