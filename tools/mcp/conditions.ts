import { Type, type Static } from 'typebox';
import {
  booleanOperators,
  collectionOperators,
  dateOperators,
  idOperators,
  numberOperators,
  textOperators,
  type LeafType,
} from '../../contract/filters.js';
import { standardColumnById } from '../../kernel/records/columns.js';
import { registryType } from '../../kernel/records/column-value.js';
import type { JsonObject } from '../../kernel/schema-types.js';

/** Operators of contract 3.7, by the `filter_type` of a column. */
export const operatorsOf: Readonly<Record<string, readonly string[]>> = {
  text: textOperators,
  id: idOperators,
  date: dateOperators,
  number: numberOperators,
  boolean: booleanOperators,
  collection: collectionOperators,
};
const operatorSigns: Readonly<Record<string, string>> = {
  '=': 'eq',
  '==': 'eq',
  '!=': 'ne',
  '>': 'gt',
  '>=': 'gte',
  '<': 'lt',
  '<=': 'lte',
};

const condition = Type.Object(
  {
    column: Type.String({
      description:
        'input, output, name, status_code, tags, metrics/NAME, user_metadata/KEY, ' +
        'annotations/TEMPLATE …',
    }),
    operator: Type.Optional(
      Type.String({
        description:
          'Of texts eq, ne, contains, starts_with, ends_with, one_of, not_in, is_null; of ' +
          'numbers eq, ne, gt, gte, lt, lte, between; of dates these without between; of ' +
          'booleans eq, ne; of tags contains, one_of, not_in, eq. Left out: eq, of tags ' +
          'contains, of a list one_of.',
      }),
    ),
    value: Type.Optional(
      Type.Union([
        Type.String(),
        Type.Number(),
        Type.Boolean(),
        Type.Array(Type.Union([Type.String(), Type.Number()])),
      ]),
    ),
    case_sensitive: Type.Optional(Type.Boolean({ default: true })),
  },
  { additionalProperties: false },
);
type Condition = Static<typeof condition>;

export const conditionMembers = {
  where: Type.Optional(
    Type.Array(condition, {
      maxItems: 50,
      description:
        'Conditions that must all hold: ' +
        '[{"column": "metrics/cost", "operator": "gt", "value": 0.1}].',
    }),
  ),
  filter_tree: Type.Optional(
    Type.Record(Type.String(), Type.Unknown(), {
      description:
        'For or, not and conditions on spans, besides where. A node has one of: and_ (nodes), or ' +
        '(nodes), not (node), any_span / all_spans / no_span (node about spans, when traces are ' +
        'searched), filter: {"type": text|id|date|number|boolean|collection, "name": column, ' +
        '"operator": …, "value": …}. Example: {"any_span": {"filter": {"type": "text", ' +
        '"name": "name", "operator": "starts_with", "value": "search_"}}}.',
    }),
  ),
};
type ConditionArguments = {
  readonly where?: readonly Condition[];
  readonly filter_tree?: Readonly<Record<string, unknown>>;
};

/** Combines both into one filter tree; null if there are none. */
export const filterTreeOf = ({ where = [], filter_tree }: ConditionArguments): unknown => {
  if (where.length === 0) return filter_tree ?? null;
  const rest = filter_tree === undefined ? [] : [filter_tree];
  return { and_: [...where.map((one) => ({ filter: leafOf(one) })), ...rest] };
};

/** Maps a path in that tree, from an error of the service, to the argument that it was made of. */
export const argumentPathOf =
  ({ where = [] }: ConditionArguments) =>
  (loc: readonly string[]): string => {
    const [, member = '', list, at = '', ...below] = loc;
    if (member !== 'filter_tree' || list !== 'and_' || where.length === 0) {
      return loc.slice(1).join('.');
    }
    if (Number(at) >= where.length) return ['filter_tree', ...below].join('.');
    const column = where[Number(at)]?.column ?? '';
    // The column is named before; a leaf may spell its member in two ways.
    const rest = below.filter((one) => !['filter', 'name', 'column_id'].includes(one)).join('.');
    const which = `where.${at} (column ${JSON.stringify(column.slice(0, 80))})`;
    return rest === '' ? which : `${which} ${rest}`;
  };

const leafOf = ({ column, operator, value, case_sensitive }: Condition): JsonObject => {
  const type = typeFor(column, value);
  const usual = Array.isArray(value) ? 'one_of' : type === 'collection' ? 'contains' : 'eq';
  const isText = type === 'text' || type === 'collection';
  return {
    type,
    name: column,
    operator: operator === undefined ? usual : (operatorSigns[operator] ?? operator),
    ...(value !== undefined && { value }),
    ...(case_sensitive !== undefined && isText && { case_sensitive }),
  };
};

/** Type of a column; one that is in no catalogue, such as a metric, has that of its value. */
const typeFor = (column: string, value: Condition['value']): LeafType => {
  const known = standardColumnById.get(column)?.filter;
  if (known !== undefined) return known;
  if (column.startsWith('user_metadata/')) return 'text';
  if (registryType(column.replace(/^metrics\//, '')) !== null) return 'number';
  const [first] = Array.isArray(value) ? value : [value];
  if (typeof first === 'number') return 'number';
  if (typeof first === 'boolean') return 'boolean';
  // Ratings by tags or choice; those by texts need a filter tree.
  return column.startsWith('annotations/') ? 'collection' : 'text';
};
