import { otlpMessages } from '../../contract/otlp-messages.js';
import type { Complaint } from '../../kernel/fault.js';
import { isJsonObject } from '../../kernel/otel/values.js';
import type { Json, JsonObject } from '../../kernel/schema-types.js';
import { idIn, memberOf, nanosecondsIn } from './otel-values.js';

/**
 * Complaints about the lists and messages around the spans of a JSON request, since a wrong type
 * there would lose every span below it (contract 5.12). At most one.
 */
export const containerComplaints = (body: JsonObject): readonly Complaint[] => {
  for (const { value, loc } of listItems(body, 'resourceSpans', ['body'])) {
    if (!isJsonObject(value)) return [complaint(loc, 'object')];
    if (!isMessage(value['resource'])) return [complaint([...loc, 'resource'], 'object')];
    const scopes = memberOf(value, 'scopeSpans');
    if (!isList(scopes)) return [complaint([...loc, 'scopeSpans'], 'list')];
    for (const { value: scope, loc: at } of listItems(value, 'scopeSpans', loc)) {
      if (!isJsonObject(scope)) return [complaint(at, 'object')];
      if (!isMessage(scope['scope'])) return [complaint([...at, 'scope'], 'object')];
      if (!isList(memberOf(scope, 'spans'))) return [complaint([...at, 'spans'], 'list')];
      const odd = listItems(scope, 'spans', at).find((span) => !isJsonObject(span.value));
      if (odd !== undefined) return [complaint(odd.loc, 'object')];
    }
  }
  return [];
};

type Loc = Complaint['loc'];
const listItems = (holder: JsonObject, name: string, loc: Loc) => {
  const list = memberOf(holder, name);
  return (Array.isArray(list) ? (list as readonly Json[]) : []).map((value, at) => ({
    value,
    loc: [...loc, name, String(at)],
  }));
};
const isAbsent = (value: Json | undefined): boolean => value === undefined || value === null;
const isList = (value: Json | undefined): boolean => isAbsent(value) || Array.isArray(value);
const isMessage = (value: Json | undefined): boolean => isAbsent(value) || isJsonObject(value);
const complaint = (loc: Loc, what: 'list' | 'object'): Complaint => ({
  loc,
  msg: `Input should be a valid ${what}`,
  type: what === 'list' ? 'list_type' : 'dict_type',
});

/**
 * The first member of an OTLP/JSON message whose type differs from its field's, with the expected
 * type; null: all are valid. Null counts as absent, as in protobuf's JSON, and unknown members are
 * ignored.
 */
export const wrongTypeIn = (message: string, given: JsonObject, path = ''): string | null => {
  const fields = fieldsOf.get(message);
  for (const name of Object.keys(given)) {
    const field = fields?.get(name);
    const value = given[name];
    if (field === undefined || value === undefined || value === null) continue;
    const at = path === '' ? field.name : `${path}.${field.name}`;
    const wrong = wrongField(field, value, at);
    if (wrong !== null) return wrong;
  }
  return null;
};

type Field = { readonly name: string; readonly type: string; readonly isList: boolean };

const wrongField = (field: Field, value: Json, at: string): string | null => {
  if (!field.isList) return wrongValue(field, value, at);
  if (!Array.isArray(value)) return `${at} is not a list`;
  for (const item of value as readonly Json[]) {
    const wrong = wrongValue(field, item, at);
    if (wrong !== null) return wrong;
  }
  return null;
};

const wrongValue = ({ name, type }: Field, value: Json, at: string): string | null => {
  if (fieldsOf.has(type)) {
    return isJsonObject(value) ? wrongTypeIn(type, value, at) : `${at} is not an object`;
  }
  const idBytes = idLengths[name];
  if (idBytes !== undefined) {
    return idIn(value, idBytes) === null ? `${at} is not ${idBytes} bytes` : null;
  }
  return scalars[type]?.is(value) === false ? `${at} is not ${scalars[type].what}` : null;
};

const idLengths: Readonly<Partial<Record<string, 8 | 16>>> = {
  traceId: 16,
  spanId: 8,
  parentSpanId: 8,
};

const isNumber = (value: Json): boolean => typeof value === 'number';
const isText = (value: Json): value is string => typeof value === 'string';
const isInteger = (value: Json): boolean =>
  isNumber(value) || (isText(value) && /^-?\d{1,19}$/.test(value));
const doubles = /^(?:NaN|-?Infinity|-?\d.*)$/;

/** Checks of scalar types by protobuf's name. Enums are int32 here, and may be sent by name. */
const scalars: Readonly<
  Partial<Record<string, { readonly is: (value: Json) => boolean; readonly what: string }>>
> = {
  string: { is: isText, what: 'a string' },
  bytes: { is: isText, what: 'a string' },
  bool: { is: (value) => typeof value === 'boolean', what: 'a boolean' },
  int32: { is: (value) => isNumber(value) || isText(value), what: 'a number or a name' },
  uint32: { is: isInteger, what: 'an integer' },
  fixed32: { is: isInteger, what: 'an integer' },
  int64: { is: isInteger, what: 'an integer' },
  fixed64: { is: (value) => nanosecondsIn(value) !== null, what: 'a number of nanoseconds' },
  double: {
    is: (value) => isNumber(value) || (isText(value) && doubles.test(value)),
    what: 'a number',
  },
};

const snake = (name: string): string => name.replaceAll(/[A-Z]/g, (one) => `_${one.toLowerCase()}`);

/** Fields of each message by both names of protobuf's JSON. */
const fieldsOf: ReadonlyMap<string, ReadonlyMap<string, Field>> = new Map(
  Object.entries(otlpMessages).map(([message, { fields }]) => [
    message,
    new Map(
      Object.entries(fields).flatMap(([name, { type, rule }]): [string, Field][] => {
        const field = { name, type, isList: rule === 'repeated' };
        return [
          [name, field],
          [snake(name), field],
        ];
      }),
    ),
  ]),
);
