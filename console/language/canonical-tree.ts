import { canonicalInstant, canonicalUuid } from '../../kernel/uuid-and-instant.js';
import {
  levelMembers,
  type FilterTree,
  type FilterTreeLeaf,
  type LevelMember,
  type OrderOperator,
} from './filter-tree.js';

/**
 * A `filter_tree` in any spelling of contract 3.7 as the one spelling of the console, with the same
 * meaning; null when it is malformed. `and_` and `or` of one node become that node, since text has
 * no word for them. The columns are not looked up.
 */
export const canonicalTree = (written: unknown): FilterTree | null => readNode(written, 0);

/** Nodes beyond this level are refused before they are read: the contract allows 8. */
const levelsMax = 64;

type Members = Readonly<Record<string, unknown>>;
const isObject = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const readNode = (written: unknown, level: number): FilterTree | null => {
  if (!isObject(written) || level > levelsMax) return null;
  const [[member, value] = ['', null], ...others] = Object.entries(written);
  if (others.length > 0) return null;
  switch (member) {
    case 'filter':
      return isObject(value) ? readLeaf(value) : null;
    case 'and':
    case 'and_':
      return readNodes(value, level, (and_) => ({ and_ }));
    case 'or':
    case 'or_':
      return readNodes(value, level, (or) => ({ or }));
    case 'not':
    case 'not_': {
      const not = readNode(value, level + 1);
      return not && { not };
    }
    default: {
      if (!Object.hasOwn(levelMembers, member)) return null;
      const node = readNode(value, level + 1);
      return node && levelNode(member as LevelMember, node);
    }
  }
};

/** The node about the level below with this member. */
export const levelNode = (member: LevelMember, node: FilterTree): FilterTree =>
  ({ [member]: node }) as FilterTree;

const readNodes = (
  written: unknown,
  level: number,
  join: (nodes: readonly FilterTree[]) => FilterTree,
): FilterTree | null => {
  if (!Array.isArray(written)) return null;
  const nodes = written.map((node: unknown) => readNode(node, level + 1));
  const whole = nodes.filter((node) => node !== null);
  const [first = null] = whole;
  if (whole.length < nodes.length) return null;
  return whole.length > 1 ? join(whole) : first;
};

const readLeaf = (leaf: Members): FilterTree | null => {
  const { type, name = leaf['column_id'], column_id: column = name } = leaf;
  if (type === 'fully_annotated') return filterNode(readAnnotated(leaf));
  if (typeof name !== 'string' || name !== column) return null;
  switch (type) {
    case 'text':
      return readText(name, leaf);
    case 'id':
      return filterNode(readId(name, leaf));
    case 'date':
      return filterNode(readDate(name, leaf));
    case 'number':
      return filterNode(readNumber(name, leaf));
    case 'boolean':
      return filterNode(readBoolean(name, leaf));
    case 'collection':
      return filterNode(readCollection(name, leaf));
    case 'error':
      return filterNode(readError(name, leaf));
    default:
      return null;
  }
};

const filterNode = (filter: FilterTreeLeaf | null): FilterTree | null => filter && { filter };

const readText = (name: string, leaf: Members): FilterTree | null => {
  const { operator, value, case_sensitive: isExact = true } = leaf;
  if (operator === 'is_null') {
    if (value !== undefined && typeof value !== 'boolean') return null;
    const filter = { type: 'text', name, operator } as const;
    return { filter: value === false ? { ...filter, value } : filter };
  }
  if (typeof isExact !== 'boolean') return null;
  const list = textsOf(value);
  const caseOption = isExact ? {} : ({ case_sensitive: false } as const);
  const base = { type: 'text', name, ...caseOption } as const;
  switch (operator) {
    case 'eq':
    case 'ne':
    case 'starts_with':
    case 'ends_with':
      return typeof value === 'string' ? { filter: { ...base, operator, value } } : null;
    case 'contains': {
      const [first = '', ...others] = list;
      if (list.length === 0) return null;
      return { filter: { ...base, operator, value: others.length > 0 ? list : first } };
    }
    case 'one_of':
    case 'not_in':
      return Array.isArray(value) && list.length > 0
        ? { filter: { ...base, operator, value: list } }
        : null;
    default:
      return null;
  }
};

/** The texts of a list, or one text as a list; empty for anything else. */
const textsOf = (value: unknown): readonly string[] => {
  if (typeof value === 'string') return [value];
  if (!Array.isArray(value)) return [];
  const texts = value.filter((item): item is string => typeof item === 'string');
  return texts.length === value.length ? texts : [];
};

const readId = (name: string, { operator = 'eq', value }: Members): FilterTreeLeaf | null => {
  const base = { type: 'id', name } as const;
  switch (operator) {
    case 'eq':
    case 'ne':
    case 'contains':
      return typeof value === 'string' ? { ...base, operator, value } : null;
    case 'one_of':
    case 'not_in':
      return Array.isArray(value) && textsOf(value).length > 0
        ? { ...base, operator, value: textsOf(value) }
        : null;
    default:
      return null;
  }
};

const orderOperators: readonly unknown[] = ['eq', 'ne', 'gt', 'gte', 'lt', 'lte'];
const isOrder = (operator: unknown): operator is OrderOperator => orderOperators.includes(operator);

const readDate = (name: string, { operator, value: written }: Members): FilterTreeLeaf | null => {
  const value = typeof written === 'string' ? canonicalInstant(written) : null;
  return isOrder(operator) && value !== null ? { type: 'date', name, operator, value } : null;
};

const readNumber = (name: string, { operator, value }: Members): FilterTreeLeaf | null => {
  if (operator !== 'between') {
    if (!isOrder(operator) || !isFinite(value)) return null;
    return { type: 'number', name, operator, value: value + 0 };
  }
  if (!Array.isArray(value) || value.length !== 2) return null;
  const [low, high] = value as readonly unknown[];
  if (!isFinite(low) || !isFinite(high) || low > high) return null;
  return { type: 'number', name, operator, value: [low + 0, high + 0] };
};

const isFinite = (value: unknown): value is number => Number.isFinite(value);

const readBoolean = (name: string, { operator = 'eq', value }: Members): FilterTreeLeaf | null =>
  (operator === 'eq' || operator === 'ne') && typeof value === 'boolean'
    ? { type: 'boolean', name, operator, value }
    : null;

const readCollection = (name: string, leaf: Members): FilterTreeLeaf | null => {
  const { operator, value, case_sensitive: isExact = true } = leaf;
  if (typeof isExact !== 'boolean') return null;
  if (operator !== 'eq' && operator !== 'contains' && operator !== 'one_of') {
    if (operator !== 'not_in') return null;
  }
  const list = textsOf(value);
  const isEmpty = Array.isArray(value) && value.length === 0;
  if (list.length === 0 && !(isEmpty && operator === 'eq')) return null;
  // The empty set has no text whose case could count.
  const caseOption = isExact || isEmpty ? {} : ({ case_sensitive: false } as const);
  return { type: 'collection', name, operator, value: list, ...caseOption };
};

const readError = (
  name: string,
  { operator = 'any', value = null }: Members,
): FilterTreeLeaf | null => {
  if (operator === 'any') return value === null ? { type: 'error', name, operator } : null;
  if (operator !== 'one_of' || !Array.isArray(value) || value.length === 0) return null;
  const codes = value.filter((code): code is number => Number.isSafeInteger(code));
  if (codes.length < value.length) return null;
  return { type: 'error', name, operator, value: codes.map((code) => code + 0) };
};

const readAnnotated = ({ user_ids: users = null }: Members): FilterTreeLeaf | null => {
  const type = 'fully_annotated';
  if (users === null) return { type };
  const ids = textsOf(users).flatMap((user) => canonicalUuid(user) ?? []);
  if (!Array.isArray(users) || users.length === 0 || ids.length < users.length) return null;
  return { type, user_ids: ids };
};
