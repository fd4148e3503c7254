import { codePoints } from '../../kernel/code-points.js';
import { counted, extraForbidden, type Complaint } from '../../kernel/fault.js';
import { nearestName } from '../../kernel/nearest-name.js';
import { namePattern, type Readings } from './kinds.js';
import { typeOf, type Definitions, type Shape, type TypeName } from './shape.js';

/** Contract 1.4. */
export const complaintsMax = 100;

type Subject = {
  readonly shape: Shape;
  readonly definitions: Definitions;
  /** `text`: what is still a string where a number or boolean belongs could not be parsed. */
  readonly source: 'json' | 'text';
  readonly readings: Readings;
  readonly loc: readonly string[];
};

/**
 * What is wrong with a value, in the words, the order and the number of contract 1.4; empty when
 * nothing is. Members come in the order of the schema, items by index, members that no schema names
 * last.
 */
export const complaintsAbout = (value: unknown, subject: Subject): readonly Complaint[] => {
  const found: Complaint[] = [];
  look(value, { ...subject, found });
  return found;
};

type At = Subject & { readonly found: Complaint[] };
type Members = Readonly<Record<string, unknown>>;

const look = (value: unknown, at: At): void => {
  if (at.found.length >= complaintsMax) return;
  const shape = resolved(at.shape, at);
  for (const part of shape.allOf ?? []) look(value, { ...at, shape: part });
  if (shape.anyOf !== undefined) lookAtBest(value, shape.anyOf, at);
  if (shape.const !== undefined && value !== shape.const) {
    return complain(at, 'literal_error', `Input should be ${shown(shape.const)}`);
  }
  if (shape.enum !== undefined && !shape.enum.includes(value)) {
    const legal = shape.enum.filter((one) => one !== null).map(shown);
    return complain(at, 'enum', `Input should be ${alternatives(legal)}`);
  }
  if (shape.type !== undefined && !fitsType(value, shape.type)) return lookAtType(value, shape, at);
  if (typeof value === 'string') return lookAtText(value, shape, at);
  if (typeof value === 'number') return lookAtNumber(value, shape, at);
  if (Array.isArray(value)) return lookAtList(value, shape, at);
  if (isObject(value)) return lookAtObject(value, shape, at);
};

const resolved = (shape: Shape, { definitions }: Subject): Shape =>
  shape.$ref === undefined ? shape : (definitions[shape.$ref.slice('#/$defs/'.length)] ?? {});

const complain = (at: At, type: string, msg: string, ...below: readonly string[]): void => {
  if (at.found.length < complaintsMax) at.found.push({ loc: [...at.loc, ...below], msg, type });
};

const fitsType = (value: unknown, types: readonly TypeName[]): boolean => {
  const type = typeOf(value);
  if (type !== 'number') return types.includes(type);
  return (
    Number.isFinite(value) &&
    (types.includes('number') || (types.includes('integer') && Number.isInteger(value)))
  );
};

/**
 * The branch that a union is judged by: the one whose JSON type the value has; of several the one
 * with the least to complain about, the first of them on a tie.
 */
const lookAtBest = (value: unknown, branches: readonly Shape[], at: At): void => {
  const typed = branches.filter((one) => {
    const { type } = resolved(one, at);
    return type === undefined || type.includes(typeOf(value)) || fitsType(value, type);
  });
  const candidates = typed.length > 0 ? typed : branches.slice(0, 1);
  let best: readonly Complaint[] | null = null;
  for (const shape of candidates) {
    const found = complaintsAbout(value, { ...at, shape });
    if (best === null || found.length < best.length) best = found;
  }
  at.found.push(...(best ?? []).slice(0, complaintsMax - at.found.length));
};

const lookAtType = (value: unknown, shape: Shape, at: At): void => {
  const otherwise = shape['x-otherwise'];
  if (otherwise !== undefined) return complain(at, 'value_error', `Value error, ${otherwise}`);
  const numeric = shape.type?.find((one) => one === 'integer' || one === 'number');
  if (typeof value === 'number' && numeric === 'integer') {
    if (Number.isFinite(value)) {
      const msg = 'Input should be a valid integer, got a number with a fractional part';
      return complain(at, 'int_from_float', msg);
    }
    return lookAtNumber(value, shape, at);
  }
  const unparsed = at.source === 'text' && typeof value === 'string';
  const [type, msg] = mismatchOf(shape, shape.type?.[0] ?? 'null', unparsed);
  complain(at, type, msg);
};

const mismatchOf = (shape: Shape, expected: TypeName, unparsed: boolean): Words => {
  if (expected === 'string' && shape['x-kind'] === 'uuid') {
    return ['uuid_type', 'UUID input should be a string'];
  }
  if (expected === 'string' && shape['x-kind'] === 'instant') {
    return ['datetime_type', 'Input should be a valid datetime'];
  }
  return (unparsed ? unparsable[expected] : undefined) ?? mistyped[expected];
};
type Words = readonly [type: string, msg: string];
const mistyped: Readonly<Record<TypeName, Words>> = {
  string: ['string_type', 'Input should be a valid string'],
  integer: ['int_type', 'Input should be a valid integer'],
  number: ['float_type', 'Input should be a valid number'],
  boolean: ['bool_type', 'Input should be a valid boolean'],
  array: ['list_type', 'Input should be a valid list'],
  object: ['dict_type', 'Input should be a valid object'],
  null: ['literal_error', 'Input should be null'],
};
const unparsable: Readonly<Partial<Record<TypeName, Words>>> = {
  integer: ['int_parsing', 'Input should be a valid integer, unable to parse string as an integer'],
  number: ['float_parsing', 'Input should be a valid number, unable to parse string as a number'],
  boolean: ['bool_parsing', 'Input should be a valid boolean, unable to interpret input'],
};

const lookAtText = (sent: string, shape: Shape, at: At): void => {
  const kind = shape['x-kind'];
  const text = kind === undefined ? sent : (at.readings[kind](sent) ?? sent);
  const length =
    shape.minLength === undefined && shape.maxLength === undefined ? 0 : codePoints(text);
  if (shape.minLength !== undefined && length < shape.minLength) {
    const msg = `String should have at least ${counted(shape.minLength, 'character')}`;
    return complain(at, 'string_too_short', msg);
  }
  if (shape.maxLength !== undefined && length > shape.maxLength) {
    const msg = `String should have at most ${counted(shape.maxLength, 'character')}`;
    return complain(at, 'string_too_long', msg);
  }
  if (kind !== undefined && at.readings[kind](text) === null) {
    const [type, msg] = unread[kind];
    return complain(at, type, msg);
  }
  if (shape.pattern !== undefined && !new RegExp(shape.pattern, 'u').test(text)) {
    complain(at, 'string_pattern_mismatch', `String should match pattern '${shape.pattern}'`);
  }
};
const unread = {
  uuid: ['uuid_parsing', 'Input should be a valid UUID'],
  instant: ['datetime_parsing', 'Input should be a valid datetime, unable to parse string'],
  name: ['string_pattern_mismatch', `String should match pattern '${namePattern}'`],
} as const;

const lookAtNumber = (value: number, shape: Shape, at: At): void => {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = shape;
  const should = 'Input should be';
  if (exclusiveMinimum !== undefined && !(value > exclusiveMinimum)) {
    complain(at, 'greater_than', `${should} greater than ${exclusiveMinimum}`);
  } else if (minimum !== undefined && !(value >= minimum)) {
    complain(at, 'greater_than_equal', `${should} greater than or equal to ${minimum}`);
  } else if (maximum !== undefined && !(value <= maximum)) {
    complain(at, 'less_than_equal', `${should} less than or equal to ${maximum}`);
  } else if (exclusiveMaximum !== undefined && !(value < exclusiveMaximum)) {
    complain(at, 'less_than', `${should} less than ${exclusiveMaximum}`);
  }
};

const lookAtList = (list: readonly unknown[], shape: Shape, at: At): void => {
  const { items, minItems, maxItems } = shape;
  if (!isCountOf(list.length, minItems, maxItems, at)) return;
  if (items === undefined) return;
  for (const [index, item] of list.entries()) {
    if (at.found.length >= complaintsMax) return;
    const one = Array.isArray(items) ? (items as readonly Shape[])[index] : (items as Shape);
    if (one !== undefined) look(item, { ...at, shape: one, loc: [...at.loc, String(index)] });
  }
};

const isCountOf = (
  count: number,
  least: number | undefined,
  most: number | undefined,
  at: At,
): boolean => {
  if (least !== undefined && count < least) {
    complain(at, 'too_short', `List should have at least ${counted(least, 'item')}, not ${count}`);
  } else if (most !== undefined && count > most) {
    complain(at, 'too_long', `List should have at most ${counted(most, 'item')}, not ${count}`);
  } else return true;
  return false;
};

const lookAtObject = (object: Members, shape: Shape, at: At): void => {
  if (shape.discriminator !== undefined) {
    return lookAtTagged(object, shape.discriminator.propertyName, shape.oneOf ?? [], at);
  }
  const { properties = {}, required = [], additionalProperties: others, propertyNames } = shape;
  if (!isCountOf(Object.keys(object).length, shape.minProperties, shape.maxProperties, at)) return;
  for (const [member, one] of Object.entries(properties)) {
    if (object[member] !== undefined) {
      look(object[member], { ...at, shape: one, loc: [...at.loc, member] });
    } else if (required.includes(member)) complain(at, 'missing', 'Field required', member);
  }
  if ((others === undefined || others === true) && propertyNames === undefined) return;
  for (const [member, value] of Object.entries(object)) {
    if (at.found.length >= complaintsMax) return;
    const below = { ...at, loc: [...at.loc, member] };
    if (propertyNames !== undefined) look(member, { ...below, shape: propertyNames });
    if (Object.hasOwn(properties, member) || value === undefined) continue;
    if (others === false) {
      const { type, msg } = extraForbidden(below.loc, nearestName(member, Object.keys(properties)));
      complain(below, type, msg);
    } else if (typeof others === 'object') look(value, { ...below, shape: others });
  }
};

const lookAtTagged = (object: Members, tag: string, branches: readonly Shape[], at: At): void => {
  const given = object[tag];
  if (given === undefined) {
    const msg = `Field '${tag}' is missing, it says which kind this is: ${kinds(branches, tag)}`;
    return complain(at, 'union_tag_not_found', msg);
  }
  const branch = branches.find((one) => one.properties?.[tag]?.const === given);
  if (branch !== undefined) return look(object, { ...at, shape: branch });
  const found = typeof given === 'string' ? given : JSON.stringify(given);
  const msg =
    `Input tag '${found}' found using '${tag}' does not match ` +
    `any of the expected tags: ${kinds(branches, tag)}`;
  complain(at, 'union_tag_invalid', msg);
};

const kinds = (branches: readonly Shape[], tag: string): string =>
  branches.map((one) => shown(one.properties?.[tag]?.const)).join(', ');

const isObject = (value: unknown): value is Members => typeof value === 'object' && value !== null;

const shown = (value: unknown): string =>
  typeof value === 'string' ? `'${value}'` : JSON.stringify(value);
const alternatives = (legal: readonly string[]): string =>
  legal.length > 1 ? `${legal.slice(0, -1).join(', ')} or ${legal.at(-1)}` : legal.join('');
