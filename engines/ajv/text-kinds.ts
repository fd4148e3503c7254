import { canonicalInstant, canonicalUuid } from '../../kernel/uuid-and-instant.js';
import type { TextKind, Shape } from './shape.js';

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

/**
 * Parses the texts of a path, query, header or form into the types of the shape (contract 1.2, rule
 * 5). An unparsable text stays text, for complaints.ts to find. The last one of a repeated
 * parameter counts, unless it is a list. Parameters outside the shape are dropped.
 */
export const compileTextReader = (
  shape: Shape,
  place: RequestPart,
): ((sent: unknown) => unknown) => {
  const members = Object.entries(shape.properties ?? {});
  return (sent) => {
    const texts = sent as Readonly<Record<string, unknown>>;
    const values: Record<string, unknown> = {};
    for (const [member, one] of members) {
      const text = Object.hasOwn(texts, member) ? texts[member] : undefined;
      if (text !== undefined) values[member] = valueOf(text, one, place);
    }
    return values;
  };
};

/** Parses one value; parsed parts, such as JSON parts of a form, stay as they are. */
const valueOf = (text: unknown, shape: Shape, place: RequestPart): unknown => {
  if (typeof text !== 'string' && !Array.isArray(text)) return text;
  const items: readonly unknown[] = typeof text === 'string' ? [text] : text;
  if (shape.type?.includes('array') === true) {
    const itemShape = (Array.isArray(shape.items) ? {} : (shape.items ?? {})) as Shape;
    return items.map((item) => scalarOf(item, itemShape, place));
  }
  return scalarOf(items.at(-1) ?? '', shape, place);
};

const integerForm = /^[+-]?\d+$/;
const numberForm = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;

const scalarOf = (text: unknown, shape: Shape, place: RequestPart): unknown => {
  if (typeof text !== 'string') return text;
  if (shape['x-kind'] === 'instant' && place === 'query') return withPlus(text);
  const types = shape.type ?? [];
  if (types.includes('integer') && integerForm.test(text)) return Number(text);
  if (types.includes('number') && numberForm.test(text)) return Number(text);
  if (types.includes('boolean') && (text === 'true' || text === '1')) return true;
  if (types.includes('boolean') && (text === 'false' || text === '0')) return false;
  return text;
};

/**
 * Restores the plus: `+02:00` arrives as ` 02:00` from clients that do not escape it (contract
 * 1.3).
 */
const withPlus = (text: string): string =>
  canonicalInstant(text) === null ? text.replace(/ (?=\d\d:\d\d$)/, '+') : text;
