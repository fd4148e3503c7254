import type { Complaint } from '../../kernel/fault.js';

/**
 * Path of a member in the request: `body`, then the members as the client spelled them (contract
 * 1.4).
 */
export type Loc = readonly string[];

const complaint = (loc: Loc, type: string, msg: string): Complaint => ({ loc, msg, type });

export const missingMember = (loc: Loc): Complaint => complaint(loc, 'missing', 'Field required');

export const notInEnum = (loc: Loc, legal: readonly string[]): Complaint => {
  const quoted = legal.map((value) => `'${value}'`);
  const last = quoted.at(-1) ?? '';
  const list = quoted.length > 1 ? `${quoted.slice(0, -1).join(', ')} or ${last}` : last;
  return complaint(loc, 'enum', `Input should be ${list}`);
};

/** Complaint about a value of the wrong JSON type. */
export const wrongType = (
  loc: Loc,
  type:
    | 'string_type'
    | 'list_type'
    | 'dict_type'
    | 'float_type'
    | 'int_type'
    | 'bool_type'
    | 'uuid_type'
    | 'datetime_type',
): Complaint => complaint(loc, type, typeSentences[type]);

const typeSentences = {
  string_type: 'Input should be a valid string',
  list_type: 'Input should be a valid list',
  dict_type: 'Input should be a valid object',
  float_type: 'Input should be a valid number',
  int_type: 'Input should be a valid integer',
  bool_type: 'Input should be a valid boolean',
  uuid_type: 'UUID input should be a string',
  datetime_type: 'Input should be a valid datetime',
};

/** Complaint about a member with a single legal value. */
export const notLiteral = (loc: Loc, legal: string): Complaint =>
  complaint(loc, 'literal_error', `Input should be '${legal}'`);

export const unreadableInstant = (loc: Loc): Complaint =>
  complaint(loc, 'datetime_parsing', 'Input should be a valid datetime, unable to parse string');
export const unreadableUuid = (loc: Loc): Complaint =>
  complaint(loc, 'uuid_parsing', 'Input should be a valid UUID');

export const tooLong = (loc: Loc, max: number): Complaint =>
  complaint(loc, 'string_too_long', `String should have at most ${max} characters`);

const items = (count: number): string => `${count} item${count === 1 ? '' : 's'}`;
export const tooFewItems = (loc: Loc, min: number, count: number): Complaint =>
  complaint(loc, 'too_short', `List should have at least ${items(min)}, not ${count}`);
export const tooManyItems = (loc: Loc, max: number, count: number): Complaint =>
  complaint(loc, 'too_long', `List should have at most ${items(max)}, not ${count}`);

const quoted = (values: readonly string[]): string =>
  values.map((value) => `'${value}'`).join(', ');

export const tagMissing = (loc: Loc, legal: readonly string[], member = 'type'): Complaint => {
  const msg = `Field '${member}' is missing, it says which kind this is: ${quoted(legal)}`;
  return complaint(loc, 'union_tag_not_found', msg);
};
export const tagUnknown = (
  loc: Loc,
  tag: string,
  legal: readonly string[],
  member = 'type',
): Complaint =>
  complaint(
    loc,
    'union_tag_invalid',
    `Input tag '${tag}' found using '${member}' does not match any of the expected tags: ` +
      quoted(legal),
  );
