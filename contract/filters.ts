import { Type, type TSchema } from 'typebox';
import { componentSchema, type Json } from '../kernel/schema-types.js';

/**
 * Filter as a client writes it (contract 3.7). The guard accepts any JSON here; query-api/filters
 * parses it and reports errors at the places and in the words of the contract, which a union of
 * schemas cannot.
 */
export const filterNode = componentSchema<Json>('FilterNode');
export const filterLeaf = componentSchema<Json>('FilterLeaf');

export const textOperators = [
  'eq',
  'ne',
  'contains',
  'starts_with',
  'ends_with',
  'one_of',
  'not_in',
  'is_null',
] as const;
export const idOperators = ['eq', 'ne', 'one_of', 'not_in', 'contains'] as const;
export const dateOperators = ['eq', 'ne', 'gt', 'gte', 'lt', 'lte'] as const;
export const numberOperators = ['eq', 'ne', 'gt', 'gte', 'lt', 'lte', 'between'] as const;
export const booleanOperators = ['eq', 'ne'] as const;
export const collectionOperators = ['eq', 'contains', 'one_of', 'not_in'] as const;
export const errorOperators = ['any', 'one_of'] as const;
export const leafTypes = [
  'text',
  'id',
  'date',
  'number',
  'boolean',
  'collection',
  'error',
  'fully_annotated',
] as const;
export type LeafType = (typeof leafTypes)[number];

/** Limits of contract 1.11; those of depth and nodes are in kernel/filter.ts. */
export const filterStringMax = 1_024;
export const filterListMax = 1_000;
/** Values in all lists of one request together: each is compared with each record. */
export const filterValuesMax = 2_000;
/**
 * Items of `contains` lists among them, all of which a text must contain: each costs a scan of the
 * whole text, and an engine cannot be interrupted within a few thousand scans.
 */
export const containedValuesMax = 100;
export const flatFiltersMax = 100;

/** Column of a leaf: `name` and `column_id` are two spellings of one member. */
const columnName = {
  name: Type.Optional(Type.String()),
  column_id: Type.Optional(Type.String()),
};
const operator = (values: readonly string[], usual?: string): TSchema =>
  usual === undefined
    ? Type.String({ enum: [...values] })
    : Type.Optional(Type.String({ enum: [...values], default: usual }));
const caseSensitive = Type.Optional(Type.Boolean({ default: true }));
const text = Type.String({ maxLength: filterStringMax });
const texts = Type.Array(text, { maxItems: filterListMax });
const textOrTexts = Type.Union([text, texts]);
/** Text or texts; `is_null` takes a boolean, true by default. */
const textValue = Type.Optional(Type.Union([text, texts, Type.Boolean()]));

const leafSchema = (type: LeafType, members: Readonly<Record<string, TSchema>>): TSchema =>
  Type.Object({ type: Type.Literal(type), ...columnName, ...members });

const leafSchemas = {
  TextFilter: leafSchema('text', {
    operator: operator(textOperators),
    value: textValue,
    case_sensitive: caseSensitive,
  }),
  IdFilter: leafSchema('id', { operator: operator(idOperators, 'eq'), value: textOrTexts }),
  DateFilter: leafSchema('date', {
    operator: operator(dateOperators),
    value: Type.String({ format: 'date-time' }),
  }),
  NumberFilter: leafSchema('number', {
    operator: operator(numberOperators),
    value: Type.Union([Type.Number(), Type.Array(Type.Number(), { minItems: 2, maxItems: 2 })]),
  }),
  BooleanFilter: leafSchema('boolean', {
    operator: operator(booleanOperators, 'eq'),
    value: Type.Boolean(),
  }),
  CollectionFilter: leafSchema('collection', {
    operator: operator(collectionOperators),
    value: textOrTexts,
    case_sensitive: caseSensitive,
  }),
  ErrorFilter: leafSchema('error', {
    operator: operator(errorOperators, 'any'),
    value: Type.Optional(Type.Array(Type.Integer(), { minItems: 1, maxItems: filterListMax })),
  }),
  FullyAnnotatedFilter: leafSchema('fully_annotated', {
    user_ids: Type.Optional(
      Type.Union([Type.Array(Type.String({ format: 'uuid' }), { minItems: 1 }), Type.Null()]),
    ),
  }),
};

const reference = (component: string): TSchema =>
  Type.Unsafe<unknown>({ $ref: `#/components/schemas/${component}` });
const nodes = Type.Array(reference('FilterNode'), { minItems: 1 });
/** Closed schema: a second member would be a condition that is not applied (contract 3.7). */
const node = (member: string, value: TSchema): TSchema =>
  Type.Object({ [member]: value }, { additionalProperties: false });

const levelMembers = ['any_span', 'all_spans', 'no_span', 'any_trace', 'all_traces', 'no_trace'];

/** OpenAPI components, where the references between them resolve. */
export const filterComponents: Readonly<Record<string, TSchema>> = {
  FilterNode: Type.Union(
    [
      node('filter', reference('FilterLeaf')),
      ...['and_', 'and', 'or', 'or_'].map((member) => node(member, nodes)),
      ...['not', 'not_', ...levelMembers].map((member) => node(member, reference('FilterNode'))),
    ],
    {
      description:
        'Exactly one member; a tree is at most 8 levels deep and has 100 nodes. Those of spans ' +
        'filter traces, those of traces filter sessions; at most 10 of these.',
    },
  ),
  FilterLeaf: Type.Unsafe<unknown>({
    oneOf: Object.keys(leafSchemas).map(reference),
    discriminator: {
      propertyName: 'type',
      mapping: Object.fromEntries(
        Object.keys(leafSchemas).map((component, index) => [
          leafTypes[index],
          `#/components/schemas/${component}`,
        ]),
      ),
    },
  }),
  ...leafSchemas,
};
