import type { Json, JsonObject } from '../schema-types.js';

/** Attribute value in OTLP/JSON; 64-bit integers are texts. */
export type OtelValue = {
  readonly stringValue?: string;
  readonly boolValue?: boolean;
  readonly intValue?: string;
  readonly doubleValue?: number | string;
  readonly bytesValue?: string;
  readonly arrayValue?: { readonly values: readonly OtelValue[] };
  readonly kvlistValue?: { readonly values: readonly OtelAttribute[] };
};
export type OtelAttribute = { readonly key: string; readonly value: OtelValue };
export type OtelEvent = {
  readonly timeUnixNano: string;
  readonly name: string;
  readonly attributes?: readonly OtelAttribute[];
  readonly droppedAttributesCount?: number;
};

/**
 * Received span in OTLP/JSON with lowerCamelCase members, whatever its encoding was. Ids are
 * lower-case hex, times nanoseconds as text. Members at their default are left out.
 */
export type OtelSpan = {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly traceState?: string;
  readonly flags?: number;
  readonly name: string;
  readonly kind?: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes?: readonly OtelAttribute[];
  readonly droppedAttributesCount?: number;
  readonly events?: readonly OtelEvent[];
  readonly droppedEventsCount?: number;
  readonly links?: readonly JsonObject[];
  readonly droppedLinksCount?: number;
  readonly status?: { readonly code?: number; readonly message?: string };
};

/** Attributes by key as plain JSON; the first of a repeated key counts. */
export type Attributes = ReadonlyMap<string, Json>;

/** Span in the form that rules read. */
export type SpanView = {
  readonly span: OtelSpan;
  readonly attributes: Attributes;
  readonly events: readonly { readonly name: string; readonly attributes: Attributes }[];
};

/** Names of attributes, or families with a `.` at their end, and the names they are read as. */
export type Aliases = readonly (readonly [name: string, standsFor: string])[];

export const spanView = (span: OtelSpan, aliases: Aliases = []): SpanView => ({
  span,
  attributes: withAliases(plainAttributes(span.attributes), aliases),
  events: (span.events ?? []).map((event) => ({
    name: event.name,
    attributes: plainAttributes(event.attributes),
  })),
});

export const plainAttributes = (attributes: readonly OtelAttribute[] = []): Attributes => {
  const plain = new Map<string, Json>();
  for (const { key, value } of attributes) if (!plain.has(key)) plain.set(key, plainValue(value));
  return plain;
};

/** View of bare attributes, such as a resource's. */
export const attributesView = (
  attributes: readonly OtelAttribute[],
  aliases: Aliases = [],
): SpanView => ({
  span: emptySpan,
  attributes: withAliases(plainAttributes(attributes), aliases),
  events: [],
});
const emptySpan: OtelSpan = {
  traceId: '',
  spanId: '',
  name: '',
  startTimeUnixNano: '0',
  endTimeUnixNano: '0',
};

/** Resolves aliases; the attribute that an alias stands for has precedence. */
const withAliases = (attributes: Attributes, aliases: Aliases): Attributes => {
  const standIn = (key: string): string => {
    const found = aliases.find(([name]) =>
      name.endsWith('.') ? key.startsWith(name) : key === name,
    );
    return found === undefined ? key : `${found[1]}${key.slice(found[0].length)}`;
  };
  const families = new Set(aliases.map(([name]) => name.slice(0, name.indexOf('.') + 1)));
  const isAlias = (key: string): boolean => families.has(key.slice(0, key.indexOf('.') + 1));
  if (![...attributes.keys()].some(isAlias)) return attributes;
  const plain = new Map<string, Json>();
  for (const [key, value] of attributes) {
    const name = standIn(key);
    if (name === key || !attributes.has(name)) plain.set(name, value);
  }
  return plain;
};

/**
 * Converts to JSON. Integers beyond 2^53 stay texts, and so do numbers that JSON cannot express.
 */
const plainValue = (value: OtelValue): Json => {
  if (value.stringValue !== undefined) return value.stringValue;
  if (value.boolValue !== undefined) return value.boolValue;
  if (value.intValue !== undefined) {
    const number = Number(value.intValue);
    return Number.isSafeInteger(number) ? number : value.intValue;
  }
  if (value.doubleValue !== undefined) return value.doubleValue;
  if (value.bytesValue !== undefined) return value.bytesValue;
  if (value.arrayValue !== undefined) return value.arrayValue.values.map(plainValue);
  if (value.kvlistValue === undefined) return null;
  return Object.fromEntries(plainAttributes(value.kvlistValue.values));
};

/** Members per family, more than any sender has; the rest stays in the received span. */
const membersMax = 2_000;

/**
 * Attributes of a numbered family such as `gen_ai.prompt.<n>.role`, in order of number, each under
 * the name after it.
 */
export const indexedAttributes = (
  attributes: Attributes,
  family: string,
): readonly Attributes[] => {
  const found = new Map<number, Map<string, Json>>();
  for (const [key, value] of attributes) {
    if (!key.startsWith(family)) continue;
    const end = key.indexOf('.', family.length);
    const digits = key.slice(family.length, end < 0 ? undefined : end);
    if (!/^\d{1,6}$/.test(digits)) continue;
    const known = found.get(Number(digits)) ?? new Map<string, Json>();
    known.set(end < 0 ? '' : key.slice(end + 1), value);
    if (found.size < membersMax || found.has(Number(digits))) found.set(Number(digits), known);
  }
  return [...found].sort(([one], [other]) => one - other).map(([, members]) => members);
};
