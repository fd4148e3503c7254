import type { Json, JsonObject } from '../../kernel/schema-types.js';

/** Result of a tool: one head and a list, which is cut to the answer's limit. */
export type McpResult = {
  readonly head: JsonObject;
  /** Name of the list; null if there is none. */
  readonly list: string | null;
  readonly items: readonly JsonObject[];
  /** Index of the first item in the whole list. */
  readonly start: number;
  /** Offset of the next page; null at the end. */
  readonly next: number | null;
  /** Advice when the answer was cut: `read_span shows one alone`. */
  readonly hint: string;
  /** Sentences about the answer that do not concern its length. */
  readonly notes?: readonly string[];
};

/** Characters of an answer: enough for a page of records, a small part of a model's memory. */
export const answerCharacters = { least: 4_000, usual: 20_000, most: 200_000 } as const;

/** Reserved for the note about a cut. */
const reserve = 900;
/** Text limits that are tried in order until an item fits. */
const textLengths = [4_000, 1_000, 300, 80, 20] as const;

/**
 * The answer as JSON of at most `max` characters, itself and `notes` included: cut after whole
 * items, with a sentence on how to get the rest. An item that is larger than an answer has its
 * texts shortened, and at worst only identifies itself.
 */
export const limitAnswer = (found: McpResult, max: number): JsonObject => {
  const notes = fittingNotes(found.notes ?? [], max);
  const head = shortenedTo(found.head, (max - reserve) >> (found.items.length > 0 ? 1 : 0));
  let room = max - reserve - sizeOf(head.value) - sizeOf([...notes]) - sizeOf(found.list);
  let isShort = head.isShort;
  const shown: Json[] = [];
  for (const item of found.items) {
    const size = sizeOf(item) + 1;
    if (size <= room) {
      room -= size;
      shown.push(item);
      continue;
    }
    if (shown.length > 0) break;
    const first = shortenedTo(item, room - 1);
    isShort ||= first.isShort;
    shown.push(first.value);
    room -= sizeOf(first.value) + 1;
    break;
  }
  const isCut = shown.length < found.items.length;
  const next = isCut ? found.start + shown.length : found.next;
  const said = [
    ...notes,
    ...(isShort
      ? [`Texts were shortened to fit max_chars (${max}): raise it, or ask for less.`]
      : []),
    ...(isCut
      ? [`Cut at max_chars (${max}) after ${shown.length} of ${found.items.length} items.`]
      : []),
    ...(next === null ? [] : [`More with starting_token ${next}; ${found.hint}.`]),
  ];
  return {
    ...(said.length > 0 && { note: said.join(' ') }),
    ...head.value,
    ...(found.list !== null && { [found.list]: shown, next_starting_token: next }),
  };
};

const sizeOf = (value: Json): number => JSON.stringify(value).length;

/** Cut, as notes may contain long names. */
const fittingNotes = (notes: readonly string[], max: number): readonly string[] =>
  notes.map((note) => cutText(note, { start: 0, characters: max >> 3 })).slice(0, 2);

const shortenedTo = (
  item: JsonObject,
  room: number,
): { readonly value: JsonObject; readonly isShort: boolean } => {
  if (sizeOf(item) <= room) return { value: item, isShort: false };
  for (const characters of textLengths) {
    const value = cutTexts(item, { start: 0, characters }) as JsonObject;
    if (sizeOf(value) <= room) return { value, isShort: true };
  }
  return {
    value: withoutLargest(cutTexts(item, { start: 0, characters: 20 }), room),
    isShort: true,
  };
};

/** Members that identify a record, so that it can be read alone. */
const identifyingMembers = new Set(['id', 'row_id', 'type', 'name', 'depth', 'left_out']);
/** Names listed; the rest is counted. */
const namesShownMax = 10;

/** Drops the largest members until it fits; `left_out` names them. */
const withoutLargest = (value: Json, room: number): JsonObject => {
  const item = value as JsonObject;
  const [first, ...others] = Object.entries(item);
  const [only, inside] = first ?? ['', null];
  if (others.length === 0 && inside !== null && typeof inside === 'object') {
    return { [only]: withoutLargest(inside, room - sizeOf(only) - 3) };
  }
  const largest = Object.entries(item)
    .filter(([name]) => !identifyingMembers.has(name))
    .sort(([, one], [, other]) => sizeOf(other) - sizeOf(one));
  let kept: JsonObject = item;
  const leftOut: string[] = [];
  for (const [name] of largest) {
    if (sizeOf(kept) <= room) break;
    if (leftOut.length < namesShownMax) leftOut.push(name.slice(0, 20));
    const { [name]: _left, ...rest } = kept;
    kept = { ...rest, left_out: [...leftOut] };
  }
  return kept;
};

/** The shown part of a text, in UTF-16 units. */
export type TextWindow = { readonly start: number; readonly characters: number };

/** Applies `cutText` to each text below, at any depth. */
export const cutTexts = (value: Json, window: TextWindow): Json => {
  if (typeof value === 'string') return cutText(value, window);
  if (Array.isArray(value)) return (value as readonly Json[]).map((one) => cutTexts(one, window));
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value as JsonObject).map(([name, one]) => [name, cutTexts(one, window)]),
  );
};

/** A text that fits stays whole wherever the window begins; a longer one states what is missing. */
export const cutText = (text: string, { start, characters }: TextWindow): string => {
  // Ids stay whole: later calls need them.
  if (text.length <= Math.max(characters, 36)) return text;
  const before = start > 0 ? `[${Math.min(start, text.length)} characters before] …` : '';
  // Never splits a surrogate pair.
  const whole = (end: number): number =>
    end - (/[\uD800-\uDBFF]/.test(text[end - 1] ?? '') ? 1 : 0);
  const end = start + characters >= text.length ? text.length : whole(start + characters);
  const after = end < text.length ? `… [${text.length - end} more characters]` : '';
  return `${before}${text.slice(start, Math.max(start, end)).toWellFormed()}${after}`;
};
