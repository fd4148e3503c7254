import type { OtelAttribute, OtelEvent, OtelValue } from '../../kernel/otel/span.js';
import { isJsonObject } from '../../kernel/otel/values.js';
import type { Json, JsonObject } from '../../kernel/schema-types.js';

/** A member by its name in lowerCamelCase or as in the `.proto`: both are JSON of protobuf. */
export const memberOf = (given: JsonObject, name: string): Json | undefined => {
  const said = given[name];
  if (said !== undefined) return said;
  const snake = (snakes[name] ??= name.replaceAll(/[A-Z]/g, (one) => `_${one.toLowerCase()}`));
  return snake === name ? undefined : given[snake];
};
const snakes: Record<string, string> = Object.create(null) as Record<string, string>;

/** Items that are objects; `wrongTypeIn` refuses spans with others. */
export const objectsIn = (value: Json | undefined): readonly JsonObject[] =>
  Array.isArray(value) ? (value as readonly Json[]).filter(isJsonObject) : [];
export const textIn = (value: Json | undefined): string => (typeof value === 'string' ? value : '');
/**
 * A positive count; undefined for 0 or an invalid value: members with default values are left out.
 */
export const countIn = (value: Json | undefined): number | undefined => {
  const count = Number(value ?? 0);
  return Number.isSafeInteger(count) && count > 0 ? count : undefined;
};

export const attributesIn = (value: Json | undefined): readonly OtelAttribute[] =>
  objectsIn(value).map((one) => {
    const said = one['value'];
    return { key: textIn(one['key']), value: isJsonObject(said) ? valueIn(said) : {} };
  });

/** The value as sent, without unknown members; `{}` is an absent value. */
const valueIn = (given: JsonObject): OtelValue => {
  const text = memberOf(given, 'stringValue');
  if (typeof text === 'string') return { stringValue: text };
  const truth = memberOf(given, 'boolValue');
  if (typeof truth === 'boolean') return { boolValue: truth };
  const whole = memberOf(given, 'intValue');
  if (whole !== undefined && whole !== null) return intIn(whole);
  const double = memberOf(given, 'doubleValue');
  if (typeof double === 'number' || typeof double === 'string') return { doubleValue: double };
  const bytes = memberOf(given, 'bytesValue');
  if (typeof bytes === 'string') return { bytesValue: bytes };
  const list = memberOf(given, 'arrayValue');
  if (isJsonObject(list)) return { arrayValue: { values: objectsIn(list['values']).map(valueIn) } };
  const map = memberOf(given, 'kvlistValue');
  return isJsonObject(map) ? { kvlistValue: { values: attributesIn(map['values']) } } : {};
};

/** 64-bit integers are texts; numbers, which some senders use, are accepted too. */
const intIn = (value: Json): OtelValue => {
  if (typeof value === 'number' && Number.isSafeInteger(value)) return { intValue: String(value) };
  if (typeof value === 'string' && /^-?\d{1,19}$/.test(value)) return { intValue: value };
  return typeof value === 'number'
    ? { doubleValue: value }
    : { stringValue: JSON.stringify(value) };
};

const lastNanosecond = 2n ** 64n - 1n;
/** Nanoseconds as text, `0` if absent; null for an invalid time. */
export const nanosecondsIn = (value: Json | undefined): string | null => {
  if (value === undefined || value === null || value === '') return '0';
  if (typeof value === 'number') {
    return Number.isInteger(value) && value >= 0 && value < 2 ** 64 ? String(BigInt(value)) : null;
  }
  if (typeof value !== 'string' || !/^\d{1,20}$/.test(value)) return null;
  const nanoseconds = BigInt(value);
  return nanoseconds > lastNanosecond ? null : String(nanoseconds);
};

const isZero = /^0+$/;
/**
 * An id of this length as lower-case hex, `''` if absent or all zeros; null for an invalid id.
 * OTLP/JSON uses hex; base64, as in protobuf's own JSON, ends with `=` at these lengths and is
 * accepted too.
 */
export const idIn = (value: Json | undefined, bytes: 8 | 16): string | null => {
  if (value === undefined || value === null || value === '') return '';
  if (typeof value !== 'string') return null;
  const hex = value.endsWith('=') ? hexOf(value) : value.toLowerCase();
  if (hex?.length !== bytes * 2 || !/^[0-9a-f]+$/.test(hex)) return null;
  return isZero.test(hex) ? '' : hex;
};

/** Converts padded base64 to hex; null for any other text, whose letters Buffer would skip. */
const hexOf = (base64: string): string | null =>
  /^[A-Za-z0-9+/]+={1,2}$/.test(base64) ? Buffer.from(base64, 'base64').toString('hex') : null;

export const eventsIn = (value: Json | undefined): readonly OtelEvent[] =>
  objectsIn(value).map((one) => {
    const attributes = attributesIn(one['attributes']);
    const dropped = countIn(memberOf(one, 'droppedAttributesCount'));
    return {
      timeUnixNano: nanosecondsIn(memberOf(one, 'timeUnixNano')) ?? '0',
      name: textIn(one['name']),
      ...(attributes.length > 0 && { attributes }),
      ...(dropped !== undefined && { droppedAttributesCount: dropped }),
    };
  });

export const linksIn = (value: Json | undefined): readonly JsonObject[] =>
  objectsIn(value).map((one) => {
    const attributes = attributesIn(one['attributes']) as unknown as Json;
    const state = textIn(memberOf(one, 'traceState'));
    return {
      traceId: idIn(memberOf(one, 'traceId'), 16) ?? '',
      spanId: idIn(memberOf(one, 'spanId'), 8) ?? '',
      ...(state !== '' && { traceState: state }),
      ...((attributes as readonly Json[]).length > 0 && { attributes }),
    };
  });
