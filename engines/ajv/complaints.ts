import { codePointCount } from '../../kernel/code-points.js';
import { pluralize, extraForbidden, type Complaint } from '../../kernel/fault.js';
import { nearestName } from '../../kernel/nearest-name.js';
import { namePattern, type KindParsers } from './text-kinds.js';
import { jsonTypeOf, type Definitions, type Shape, type JsonTypeName } from './shape.js';

/** Contract 1.4. */
export const complaintsMax = 100;

type ComplaintSubject = {
  readonly shape: Shape;
  readonly definitions: Definitions;
  /** `text`: a string in the place of a number or boolean could not be parsed. */
  readonly source: 'json' | 'text';
  readonly readings: KindParsers;
  readonly loc: readonly string[];
};

/**
 * Complaints about a value, in the words, order and number of contract 1.4; empty if it fits.
 * Members come in the order of the schema, items by index, unnamed members last.
 */
export const complaintsAbout = (
  value: unknown,
  subject: ComplaintSubject,
): readonly Complaint[] => {
  const found: Complaint[] = [];
  checkValue(value, { ...subject, found });
  return found;
};

type ComplaintTarget = ComplaintSubject & { readonly found: Complaint[] };
type Members = Readonly<Record<string, unknown>>;

const checkValue = (value: unknown, at: ComplaintTarget): void => {
  if (at.found.length >= complaintsMax) return;
  const shape = resolveReference(at.shape, at);
  for (const part of shape.allOf ?? []) checkValue(value, { ...at, shape: part });
  if (shape.anyOf !== undefined) checkUnion(value, shape.anyOf, at);
  if (shape.const !== undefined && value !== shape.const) {
    return addComplaint(at, 'literal_error', `Input should be ${literalText(shape.const)}`);
  }
  if (shape.enum !== undefined && !shape.enum.includes(value)) {
    const legal = shape.enum.filter((one) => one !== null).map(literalText);
    return addComplaint(at, 'enum', `Input should be ${alternatives(legal)}`);
  }
  if (shape.type !== undefined && !fitsType(value, shape.type)) return checkType(value, shape, at);
  if (typeof value === 'string') return checkText(value, shape, at);
  if (typeof value === 'number') return checkNumber(value, shape, at);
  if (Array.isArray(value)) return checkList(value, shape, at);
  if (isObject(value)) return checkObject(value, shape, at);
};

const resolveReference = (shape: Shape, { definitions }: ComplaintSubject): Shape =>
  shape.$ref === undefined ? shape : (definitions[shape.$ref.slice('#/$defs/'.length)] ?? {});

const addComplaint = (
  at: ComplaintTarget,
  type: string,
  msg: string,
  ...below: readonly string[]
): void => {
  if (at.found.length < complaintsMax) at.found.push({ loc: [...at.loc, ...below], msg, type });
};

const fitsType = (value: unknown, types: readonly JsonTypeName[]): boolean => {
  const type = jsonTypeOf(value);
  if (type !== 'number') return types.includes(type);
  return (
    Number.isFinite(value) &&
    (types.includes('number') || (types.includes('integer') && Number.isInteger(value)))
  );
};

/**
 * Judges a union by one branch: the one with the value's JSON type; of several the one with the
 * fewest complaints, the first on a tie.
 */
const checkUnion = (value: unknown, branches: readonly Shape[], at: ComplaintTarget): void => {
  const typed = branches.filter((one) => {
    const { type } = resolveReference(one, at);
    return type === undefined || type.includes(jsonTypeOf(value)) || fitsType(value, type);
  });
  const candidates = typed.length > 0 ? typed : branches.slice(0, 1);
  let best: readonly Complaint[] | null = null;
  for (const shape of candidates) {
    const found = complaintsAbout(value, { ...at, shape });
    if (best === null || found.length < best.length) best = found;
  }
  at.found.push(...(best ?? []).slice(0, complaintsMax - at.found.length));
};

const checkType = (value: unknown, shape: Shape, at: ComplaintTarget): void => {
  const otherwise = shape['x-otherwise'];
  if (otherwise !== undefined) return addComplaint(at, 'value_error', `Value error, ${otherwise}`);
  const numeric = shape.type?.find((one) => one === 'integer' || one === 'number');
  if (typeof value === 'number' && numeric === 'integer') {
    if (Number.isFinite(value)) {
      const msg = 'Input should be a valid integer, got a number with a fractional part';
      return addComplaint(at, 'int_from_float', msg);
    }
    return checkNumber(value, shape, at);
  }
  const unparsed = at.source === 'text' && typeof value === 'string';
  const [type, msg] = typeMessage(shape, shape.type?.[0] ?? 'null', unparsed);
  addComplaint(at, type, msg);
};

const typeMessage = (shape: Shape, expected: JsonTypeName, unparsed: boolean): ComplaintText => {
  if (expected === 'string' && shape['x-kind'] === 'uuid') {
    return ['uuid_type', 'UUID input should be a string'];
  }
  if (expected === 'string' && shape['x-kind'] === 'instant') {
    return ['datetime_type', 'Input should be a valid datetime'];
  }
  return (unparsed ? parseMessages[expected] : undefined) ?? typeMessages[expected];
};
type ComplaintText = readonly [type: string, msg: string];
const typeMessages: Readonly<Record<JsonTypeName, ComplaintText>> = {
  string: ['string_type', 'Input should be a valid string'],
  integer: ['int_type', 'Input should be a valid integer'],
  number: ['float_type', 'Input should be a valid number'],
  boolean: ['bool_type', 'Input should be a valid boolean'],
  array: ['list_type', 'Input should be a valid list'],
  object: ['dict_type', 'Input should be a valid object'],
  null: ['literal_error', 'Input should be null'],
};
const parseMessages: Readonly<Partial<Record<JsonTypeName, ComplaintText>>> = {
  integer: ['int_parsing', 'Input should be a valid integer, unable to parse string as an integer'],
  number: ['float_parsing', 'Input should be a valid number, unable to parse string as a number'],
  boolean: ['bool_parsing', 'Input should be a valid boolean, unable to interpret input'],
};

const checkText = (sent: string, shape: Shape, at: ComplaintTarget): void => {
  const kind = shape['x-kind'];
  const text = kind === undefined ? sent : (at.readings[kind](sent) ?? sent);
  const length =
    shape.minLength === undefined && shape.maxLength === undefined ? 0 : codePointCount(text);
  if (shape.minLength !== undefined && length < shape.minLength) {
    const msg = `String should have at least ${pluralize(shape.minLength, 'character')}`;
    return addComplaint(at, 'string_too_short', msg);
  }
  if (shape.maxLength !== undefined && length > shape.maxLength) {
    const msg = `String should have at most ${pluralize(shape.maxLength, 'character')}`;
    return addComplaint(at, 'string_too_long', msg);
  }
  if (kind !== undefined && at.readings[kind](text) === null) {
    const [type, msg] = kindMessages[kind];
    return addComplaint(at, type, msg);
  }
  if (shape.pattern !== undefined && !new RegExp(shape.pattern, 'u').test(text)) {
    addComplaint(at, 'string_pattern_mismatch', `String should match pattern '${shape.pattern}'`);
  }
};
const kindMessages = {
  uuid: ['uuid_parsing', 'Input should be a valid UUID'],
  instant: ['datetime_parsing', 'Input should be a valid datetime, unable to parse string'],
  name: ['string_pattern_mismatch', `String should match pattern '${namePattern}'`],
} as const;

const checkNumber = (value: number, shape: Shape, at: ComplaintTarget): void => {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = shape;
  const should = 'Input should be';
  if (exclusiveMinimum !== undefined && !(value > exclusiveMinimum)) {
    addComplaint(at, 'greater_than', `${should} greater than ${exclusiveMinimum}`);
  } else if (minimum !== undefined && !(value >= minimum)) {
    addComplaint(at, 'greater_than_equal', `${should} greater than or equal to ${minimum}`);
  } else if (maximum !== undefined && !(value <= maximum)) {
    addComplaint(at, 'less_than_equal', `${should} less than or equal to ${maximum}`);
  } else if (exclusiveMaximum !== undefined && !(value < exclusiveMaximum)) {
    addComplaint(at, 'less_than', `${should} less than ${exclusiveMaximum}`);
  }
};

const checkList = (list: readonly unknown[], shape: Shape, at: ComplaintTarget): void => {
  const { items, minItems, maxItems } = shape;
  if (!checkCount(list.length, minItems, maxItems, at)) return;
  if (items === undefined) return;
  for (const [index, item] of list.entries()) {
    if (at.found.length >= complaintsMax) return;
    const one = Array.isArray(items) ? (items as readonly Shape[])[index] : (items as Shape);
    if (one !== undefined) checkValue(item, { ...at, shape: one, loc: [...at.loc, String(index)] });
  }
};

const checkCount = (
  count: number,
  least: number | undefined,
  most: number | undefined,
  at: ComplaintTarget,
): boolean => {
  if (least !== undefined && count < least) {
    addComplaint(
      at,
      'too_short',
      `List should have at least ${pluralize(least, 'item')}, not ${count}`,
    );
  } else if (most !== undefined && count > most) {
    addComplaint(
      at,
      'too_long',
      `List should have at most ${pluralize(most, 'item')}, not ${count}`,
    );
  } else return true;
  return false;
};

const checkObject = (object: Members, shape: Shape, at: ComplaintTarget): void => {
  if (shape.discriminator !== undefined) {
    return checkTaggedUnion(object, shape.discriminator.propertyName, shape.oneOf ?? [], at);
  }
  const { properties = {}, required = [], additionalProperties: others, propertyNames } = shape;
  if (!checkCount(Object.keys(object).length, shape.minProperties, shape.maxProperties, at)) return;
  for (const [member, one] of Object.entries(properties)) {
    if (object[member] !== undefined) {
      checkValue(object[member], { ...at, shape: one, loc: [...at.loc, member] });
    } else if (required.includes(member)) addComplaint(at, 'missing', 'Field required', member);
  }
  if ((others === undefined || others === true) && propertyNames === undefined) return;
  for (const [member, value] of Object.entries(object)) {
    if (at.found.length >= complaintsMax) return;
    const below = { ...at, loc: [...at.loc, member] };
    if (propertyNames !== undefined) checkValue(member, { ...below, shape: propertyNames });
    if (Object.hasOwn(properties, member) || value === undefined) continue;
    if (others === false) {
      const { type, msg } = extraForbidden(below.loc, nearestName(member, Object.keys(properties)));
      addComplaint(below, type, msg);
    } else if (typeof others === 'object') checkValue(value, { ...below, shape: others });
  }
};

const checkTaggedUnion = (
  object: Members,
  tag: string,
  branches: readonly Shape[],
  at: ComplaintTarget,
): void => {
  const value = object[tag];
  if (value === undefined) {
    const values = tagValues(branches, tag);
    const msg = `Field '${tag}' is missing, it says which kind this is: ${values}`;
    return addComplaint(at, 'union_tag_not_found', msg);
  }
  const branch = branches.find((one) => one.properties?.[tag]?.const === value);
  if (branch !== undefined) return checkValue(object, { ...at, shape: branch });
  const found = typeof value === 'string' ? value : JSON.stringify(value);
  const msg =
    `Input tag '${found}' found using '${tag}' does not match ` +
    `any of the expected tags: ${tagValues(branches, tag)}`;
  addComplaint(at, 'union_tag_invalid', msg);
};

const tagValues = (branches: readonly Shape[], tag: string): string =>
  branches.map((one) => literalText(one.properties?.[tag]?.const)).join(', ');

const isObject = (value: unknown): value is Members => typeof value === 'object' && value !== null;

const literalText = (value: unknown): string =>
  typeof value === 'string' ? `'${value}'` : JSON.stringify(value);
const alternatives = (legal: readonly string[]): string =>
  legal.length > 1 ? `${legal.slice(0, -1).join(', ')} or ${legal.at(-1)}` : legal.join('');
