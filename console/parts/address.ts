import { canonicalInstant } from '../../kernel/uuid-and-instant.js';

/** One member of a view in the fragment of an address: its text, and the value at first. */
type ViewMember<T> = {
  readonly initial: T;
  readonly print: (value: T) => string;
  /** Undefined for a malformed text. */
  readonly parse: (text: string) => T | undefined;
};

/**
 * Writes and reads the view of a page, the fragment of its address without `#`:
 * `read(write(view))` is `view`, and no text makes `read` throw.
 */
export type AddressCodec<V> = {
  readonly read: (text: string) => V;
  readonly write: (view: V) => string;
};

type Members<V> = { readonly [K in keyof V]: ViewMember<V[K]> };

/**
 * Codec of `key=value&…`, the keys in the order of the members. A member at its initial value is
 * left out; an unknown key is ignored, and a malformed value is the initial one.
 */
export const addressCodec = <V extends object>(members: Members<V>): AddressCodec<V> => {
  const list = Object.entries(members) as [string, ViewMember<unknown>][];
  return {
    read: (text) => {
      const written = pairsOf(text);
      const values = list.map(([key, { initial, parse }]) => {
        const text = written.get(key);
        const value = text === undefined ? undefined : parse(text);
        return [key, value === undefined ? initial : value] as const;
      });
      return Object.fromEntries(values) as V;
    },
    write: (view) =>
      list
        .flatMap(([key, { initial, print }]) => {
          const text = print(view[key as keyof V]);
          return text === print(initial) ? [] : [`${key}=${encodePart(text)}`];
        })
        .join('&'),
  };
};

type Place = { readonly path: string; readonly view: string };

/**
 * View of the page at `path` after a change of members, which keeps the others as they are now.
 * Null where that page was left: a change that comes late does not bring it back.
 */
export const changedView = <V extends object>(
  codec: AddressCodec<V>,
  place: Place,
  path: string,
  change: Partial<V>,
): string | null =>
  place.path === path ? codec.write({ ...codec.read(place.view), ...change }) : null;

const pairsOf = (text: string): ReadonlyMap<string, string> => {
  const pairs = new Map<string, string>();
  for (const pair of text.replace(/^#/, '').split('&')) {
    const at = pair.indexOf('=');
    const value = at < 0 ? null : decodePart(pair.slice(at + 1));
    if (value !== null) pairs.set(pair.slice(0, at), value);
  }
  return pairs;
};

/** Characters that `encodeURIComponent` escapes and a fragment may have: a link stays readable. */
const readable = /%(?:2F|3A|2C|40)/g;
/** Characters that programs take for the end of a link in a text. */
const endings = /[!'()*]/g;

const encodePart = (text: string): string =>
  encodeURIComponent(text.toWellFormed())
    .replaceAll(readable, decodeURIComponent)
    .replaceAll(endings, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`);

/** Null for a malformed escape. */
const decodePart = (text: string): string | null => {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
};

/** Any well-formed text. */
export const textMember = (): ViewMember<string> => ({
  initial: '',
  print: (text) => text,
  parse: (text) => text,
});

/** One of these texts, or null. */
export const choiceMember = <T extends string>(
  choices: readonly T[],
  initial: T,
): ViewMember<T> => ({
  initial,
  print: (choice) => choice,
  parse: (text) => choices.find((choice) => choice === text),
});

/** A text that is not empty, such as an id, or null. */
export const optionalMember = <T extends string = string>(
  choices: readonly T[] | null = null,
): ViewMember<T | null> => ({
  initial: null,
  print: (text) => text ?? '',
  parse: (text) => {
    if (choices === null) return text === '' ? null : (text as T);
    return choices.find((choice) => choice === text) ?? null;
  },
});

/** A list of texts that are not empty, between commas; null: the list that the page chooses. */
export const listMember = (): ViewMember<readonly string[] | null> => ({
  initial: null,
  print: (list) => {
    if (list === null) return '';
    return list.map((item) => item.replaceAll(/[%,]/g, encodeURIComponent)).join(',') || ',';
  },
  parse: (text) => {
    if (text === '') return null;
    const items = text.split(',').map(decodePart);
    const whole = items.filter((item) => item !== null);
    return whole.length < items.length ? undefined : whole.filter((item) => item !== '');
  },
});

/** Order of a list by a column; null: its own order. */
type ColumnSort = { readonly column: string; readonly ascending: boolean };

/** `-column` descends; a name that begins with `-` or `+` has a `+` before it. */
export const sortMember = (initial: ColumnSort | null = null): ViewMember<ColumnSort | null> => ({
  initial,
  print: (sort) => {
    if (sort === null) return '';
    const { column, ascending } = sort;
    if (!ascending) return `-${column}`;
    return /^[-+]/.test(column) ? `+${column}` : column;
  },
  parse: (text) => {
    const column = text.replace(/^[-+]/, '');
    return column === '' ? null : { column, ascending: !text.startsWith('-') };
  },
});

/** Ranges that move with the clock. */
export const rangePresets = ['15m', '1h', '24h', '7d', '30d', 'all'] as const;

export type RangePreset = (typeof rangePresets)[number];

/** Time range of a view: a preset, or two instants to the microsecond, both included. */
export type TimeRange = RangePreset | { readonly from: string; readonly to: string };

/** `7d`, or two instants between `..`, the earlier first. */
export const rangeMember = (initial: TimeRange = '24h'): ViewMember<TimeRange> => ({
  initial,
  print: (range) => (typeof range === 'string' ? range : `${range.from}..${range.to}`),
  parse: (text) => {
    const preset = rangePresets.find((one) => one === text);
    if (preset !== undefined) return preset;
    const [from = null, to = null, ...rest] = text.split('..').map(canonicalInstant);
    const isRange = from !== null && to !== null && from <= to && rest.length === 0;
    return isRange ? { from, to } : undefined;
  },
});

/** A moment in canonical form, or null: now. */
export const instantMember = (): ViewMember<string | null> => ({
  initial: null,
  print: (instant) => instant ?? '',
  parse: (text) => canonicalInstant(text) ?? null,
});
