import {
  booleanOperators,
  collectionOperators,
  dateOperators,
  errorOperators,
  filterListMax,
  filterStringMax,
  filterValuesMax,
  containedValuesMax,
  idOperators,
  numberOperators,
  textOperators,
} from '../../contract/filters.js';
import { canonicalInstant, canonicalUuid } from '../../kernel/uuid-and-instant.js';
import { codePointCount } from '../../kernel/code-points.js';
import { type Complaint, valueComplaint } from '../../kernel/fault.js';
import type { Filter, FilterCondition } from '../../kernel/filter.js';
import type { FilterKind } from '../../kernel/records/record.js';
import type { Json, JsonObject } from '../../kernel/schema-types.js';
import {
  missingMember,
  notInEnum,
  tooFewItems,
  tooLong,
  tooManyItems,
  unreadableInstant,
  unreadableUuid,
  wrongType,
  type Loc,
} from './complaints.js';

/** Complaints collected while a filter is read; readers return null after a complaint. */
export type Complaints = Complaint[];

/**
 * Reads operator, value and options of a leaf of one kind (the table of contract 3.7), values in
 * canonical form.
 */
export const readComparison = (
  kind: FilterKind,
  column: string,
  leaf: JsonObject,
  loc: Loc,
  complaints: Complaints,
): Filter | null => readers[kind]({ column, leaf, loc, complaints });

/** Limits on filter values (contract 1.11); `loc` is the member that exceeds them. */
export const valuesComplaints = (filters: readonly Filter[], loc: Loc): readonly Complaint[] => {
  const leaves = filters.flatMap(leavesOf);
  const all = leaves.reduce((sum, one) => sum + countListed(one), 0);
  const contained = leaves
    .filter((one) => one.kind === 'text' && one.operator === 'contains')
    .reduce((sum, one) => sum + countListed(one), 0);
  return [
    ...(all > filterValuesMax
      ? [
          valueComplaint(
            loc,
            `the lists of a request's filters have at most ${filterValuesMax} values together, ` +
              `not ${all}`,
          ),
        ]
      : []),
    ...(contained > containedValuesMax
      ? [
          valueComplaint(
            loc,
            `lists of contains have at most ${containedValuesMax} values together, ` +
              `not ${contained}`,
          ),
        ]
      : []),
  ];
};

const leavesOf = (filter: Filter): readonly FilterCondition[] => {
  if ('all' in filter) return filter.all.flatMap(leavesOf);
  if ('any' in filter) return filter.any.flatMap(leavesOf);
  if ('not' in filter) return leavesOf(filter.not);
  return 'some' in filter ? leavesOf(filter.where) : [filter];
};

/** Values in a leaf's list; a single value is not a list. */
const countListed = (leaf: FilterCondition): number => {
  if (leaf.kind === 'fully_annotated') return leaf.users?.length ?? 0;
  if (leaf.kind === 'error') return leaf.codes?.length ?? 0;
  const values = 'values' in leaf && leaf.kind !== 'number' ? leaf.values.length : 1;
  return values > 1 ? values : 0;
};

type Reading = {
  readonly column: string;
  readonly leaf: JsonObject;
  readonly loc: Loc;
  readonly complaints: Complaints;
};

const readText = (reading: Reading): Filter | null => {
  const operator = readOperator(reading, textOperators, null);
  if (operator === 'is_null') return readNull(reading);
  const takesList = operator === 'one_of' || operator === 'not_in';
  const values = readStrings(reading, {
    string: !takesList,
    list: takesList || operator === 'contains',
  });
  const caseSensitive = readCaseSensitive(reading);
  if (operator === null || values === null || caseSensitive === null) return null;
  return { kind: 'text', column: reading.column, operator, values, caseSensitive };
};

/** Reads `is_null`; `value` true or absent: the record has no value. */
const readNull = ({ column, leaf, loc, complaints }: Reading): Filter | null => {
  const { value = true } = leaf;
  if (typeof value !== 'boolean') {
    return refuse({ complaints }, wrongType([...loc, 'value'], 'bool_type'));
  }
  const none: FilterCondition = {
    kind: 'text',
    column,
    operator: 'is_null',
    values: [],
    caseSensitive: true,
  };
  return value ? none : { not: none };
};

const readId = (reading: Reading): FilterCondition | null => {
  const operator = readOperator(reading, idOperators, 'eq');
  const takesList = operator === 'one_of' || operator === 'not_in';
  const values = readStrings(reading, { string: !takesList, list: takesList });
  if (operator === null || values === null) return null;
  // Case-insensitive: ids are stored in lower case.
  const lowered = values.map((value) => value.toLowerCase());
  return { kind: 'id', column: reading.column, operator, values: lowered, caseSensitive: true };
};

const readCollection = (reading: Reading): FilterCondition | null => {
  const operator = readOperator(reading, collectionOperators, null);
  const values = readStrings(reading, { string: true, list: true, empty: operator === 'eq' });
  const caseSensitive = readCaseSensitive(reading);
  if (operator === null || values === null || caseSensitive === null) return null;
  return { kind: 'collection', column: reading.column, operator, values, caseSensitive };
};

const readDate = (reading: Reading): FilterCondition | null => {
  const operator = readOperator(reading, dateOperators, null);
  const written = readValue(reading);
  if (written === undefined) return null;
  const loc = [...reading.loc, 'value'];
  if (typeof written !== 'string') return refuse(reading, wrongType(loc, 'datetime_type'));
  const value = canonicalInstant(written);
  if (value === null) return refuse(reading, unreadableInstant(loc));
  return operator && { kind: 'date', column: reading.column, operator, value };
};

const readNumber = (reading: Reading): FilterCondition | null => {
  const operator = readOperator(reading, numberOperators, null);
  const written = readValue(reading);
  if (written === undefined) return null;
  const loc = [...reading.loc, 'value'];
  const values =
    operator === 'between'
      ? readRange(written, loc, reading.complaints)
      : readNumbers([written], [loc], reading.complaints);
  return operator && values && { kind: 'number', column: reading.column, operator, values };
};

const readRange = (written: Json, loc: Loc, complaints: Complaints): readonly number[] | null => {
  const reading = { complaints };
  if (!Array.isArray(written)) return refuse(reading, wrongType(loc, 'list_type'));
  const ends = written as readonly Json[];
  if (ends.length < 2) return refuse(reading, tooFewItems(loc, 2, ends.length));
  if (ends.length > 2) return refuse(reading, tooManyItems(loc, 2, ends.length));
  const range = readNumbers(
    ends,
    [
      [...loc, '0'],
      [...loc, '1'],
    ],
    complaints,
  );
  const [low = 0, high = 0] = range ?? [];
  if (low > high) {
    return refuse(
      reading,
      valueComplaint(loc, 'the low end must not be greater than the high end'),
    );
  }
  return range;
};

const readNumbers = (
  written: readonly Json[],
  places: readonly Loc[],
  complaints: Complaints,
): readonly number[] | null => {
  const numbers = written.filter((value): value is number => Number.isFinite(value));
  if (numbers.length === written.length) return numbers;
  complaints.push(
    ...places
      .filter((_, index) => !Number.isFinite(written[index]))
      .map((loc) => wrongType(loc, 'float_type')),
  );
  return null;
};

const readBoolean = (reading: Reading): FilterCondition | null => {
  const operator = readOperator(reading, booleanOperators, 'eq');
  const value = readValue(reading);
  if (value === undefined) return null;
  if (typeof value !== 'boolean') {
    return refuse(reading, wrongType([...reading.loc, 'value'], 'bool_type'));
  }
  return operator && { kind: 'boolean', column: reading.column, operator, value };
};

/** Reads `user_ids` of a `fully_annotated` leaf: null and absence mean any user. */
export const readUsers = (
  leaf: JsonObject,
  leafLoc: Loc,
  complaints: Complaints,
): FilterCondition | null => {
  const written = leaf['user_ids'] ?? null;
  const loc = [...leafLoc, 'user_ids'];
  if (written === null) return { kind: 'fully_annotated', users: null };
  if (!Array.isArray(written)) return refuse({ complaints }, wrongType(loc, 'list_type'));
  const list = written as readonly Json[];
  if (!listFits(list, loc, complaints, 1)) return null;
  const users = list.map((user, index) => {
    const place = [...loc, String(index)];
    if (typeof user !== 'string') return refuse({ complaints }, wrongType(place, 'uuid_type'));
    return canonicalUuid(user) ?? refuse({ complaints }, unreadableUuid(place));
  });
  const known = users.filter((user) => user !== null);
  return known.length === users.length ? { kind: 'fully_annotated', users: known } : null;
};

/** Reads operator and codes of an `error` leaf about the metric with this column. */
export const readErrorCodes = (
  column: string,
  leaf: JsonObject,
  loc: Loc,
  complaints: Complaints,
): FilterCondition | null => {
  const operator = readOperator({ leaf, loc, complaints }, errorOperators, 'any');
  const { value: written } = leaf;
  const place = [...loc, 'value'];
  if (operator === 'any') {
    // A list beside the operator that is usual when none is sent would be ignored in silence.
    return written === undefined || written === null
      ? { kind: 'error', column, codes: null }
      : refuse({ complaints }, valueComplaint(place, 'codes need the operator one_of'));
  }
  if (operator === null) return null;
  if (written === undefined) return refuse({ complaints }, missingMember(place));
  if (!Array.isArray(written)) return refuse({ complaints }, wrongType(place, 'list_type'));
  const list = written as readonly Json[];
  if (!listFits(list, place, complaints, 1)) return null;
  const codes = list.filter((code): code is number => Number.isSafeInteger(code));
  if (codes.length === list.length) return { kind: 'error', column, codes };
  complaints.push(
    ...list.flatMap((code, at) =>
      Number.isSafeInteger(code) ? [] : [wrongType([...place, String(at)], 'int_type')],
    ),
  );
  return null;
};

const readOperator = <T extends string>(
  { leaf, loc, complaints }: Omit<Reading, 'column'>,
  legal: readonly T[],
  usual: T | null,
): T | null => {
  const written = leaf['operator'];
  const place = [...loc, 'operator'];
  if (written === undefined) return usual ?? refuse({ complaints }, missingMember(place));
  const found = legal.find((operator) => operator === written);
  return found ?? refuse({ complaints }, notInEnum(place, legal));
};

/** Undefined: absent, after a complaint. */
const readValue = ({ leaf, loc, complaints }: Reading): Json | undefined => {
  if (leaf['value'] === undefined) complaints.push(missingMember([...loc, 'value']));
  return leaf['value'];
};

const readStrings = (
  reading: Reading,
  takes: { readonly string: boolean; readonly list: boolean; readonly empty?: boolean },
): readonly string[] | null => {
  const written = readValue(reading);
  if (written === undefined) return null;
  const loc = [...reading.loc, 'value'];
  if (takes.list && Array.isArray(written)) {
    const list = written as readonly Json[];
    if (!listFits(list, loc, reading.complaints, takes.empty === true ? 0 : 1)) return null;
    const values = list.map((item, index) => readString(reading, item, [...loc, String(index)]));
    const known = values.filter((value) => value !== null);
    return known.length === values.length ? known : null;
  }
  if (!takes.string) return refuse(reading, wrongType(loc, 'list_type'));
  const value = readString(reading, written, loc);
  return value === null ? null : [value];
};

const readString = (reading: Reading, written: Json, loc: Loc): string | null => {
  if (typeof written !== 'string') return refuse(reading, wrongType(loc, 'string_type'));
  return codePointCount(written) > filterStringMax
    ? refuse(reading, tooLong(loc, filterStringMax))
    : written;
};

const readCaseSensitive = ({ leaf, loc, complaints }: Reading): boolean | null => {
  const { case_sensitive: written = true } = leaf;
  if (typeof written === 'boolean') return written;
  return refuse({ complaints }, wrongType([...loc, 'case_sensitive'], 'bool_type'));
};

const listFits = (
  list: readonly Json[],
  loc: Loc,
  complaints: Complaints,
  min: number,
): boolean => {
  if (list.length < min) complaints.push(tooFewItems(loc, min, list.length));
  if (list.length > filterListMax) complaints.push(tooManyItems(loc, filterListMax, list.length));
  return list.length >= min && list.length <= filterListMax;
};

const refuse = (reading: { readonly complaints: Complaints }, complaint: Complaint): null => {
  reading.complaints.push(complaint);
  return null;
};

const readers: Readonly<Record<FilterKind, (reading: Reading) => Filter | null>> = {
  text: readText,
  id: readId,
  date: readDate,
  number: readNumber,
  boolean: readBoolean,
  collection: readCollection,
};
