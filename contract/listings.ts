import { Type, type TSchema } from 'typebox';
import {
  componentSchema,
  nullish,
  namedSchema,
  nullable,
  oneOf,
  type Json,
} from '../kernel/schema-types.js';
import { pageMembersOrNull } from './envelope.js';
import { dateOperators, idOperators, textOperators } from './filters.js';

/**
 * Filter of contract 4.6 by `name`; query-api/listings.ts parses it and reports errors in the
 * contract's words.
 */
const listingFilter = componentSchema<Json>('ListingFilter');
const listingSort = componentSchema<Json>('ListingSort');

/** Sort of experiments, which includes computed columns. */
export const experimentSort = componentSchema<Json>('ExperimentSort');
/** Listing filter with the experiments' groups. */
export const experimentFilter = componentSchema<Json>('ExperimentFilter');

export const listingFiltersMax = 100;

/** Body of the listings that search as in contract 4.6. */
export const listingBody = namedSchema(
  'ListingQuery',
  Type.Object({
    ...pageMembersOrNull,
    filters: nullish(Type.Array(listingFilter, { maxItems: listingFiltersMax })),
    sort: nullish(listingSort),
  }),
);

const text = Type.String();
const textOrTexts = Type.Union([text, Type.Array(text)]);

/** Text filter for the columns of an operation, as a named schema. */
export const textFilter = (component: string, columns: readonly string[]) =>
  namedSchema(
    component,
    Type.Object({
      name: oneOf(columns),
      operator: oneOf(textOperators),
      value: Type.Optional(Type.Union([text, Type.Array(text), Type.Boolean()])),
      case_sensitive: Type.Optional(Type.Boolean({ default: true })),
    }),
  );
const idFilter = (component: string, columns: readonly string[]) =>
  namedSchema(
    component,
    Type.Object({
      name: oneOf(columns),
      operator: Type.Optional(Type.String({ enum: [...idOperators], default: 'eq' })),
      value: textOrTexts,
    }),
  );
export const nameFilter = textFilter('ListingNameFilter', ['name']);
export const ownIdFilter = idFilter('ListingIdFilter', ['id']);
const listingIdFilter = idFilter('ListingCreatorFilter', ['id', 'created_by']);
const listingDateFilter = namedSchema(
  'ListingDateFilter',
  Type.Object({
    name: oneOf(['created_at', 'updated_at']),
    operator: oneOf(dateOperators),
    value: Type.String({ format: 'date-time' }),
  }),
);
const description = 'The columns that an operation knows; another name is a validation error.';

/** OpenAPI components. */
export const listingComponents: Readonly<Record<string, TSchema>> = {
  ListingFilter: Type.Union([listingIdFilter, nameFilter, listingDateFilter], { description }),
  ExperimentFilter: Type.Union(
    [
      listingIdFilter,
      textFilter('ExperimentTextFilter', ['name', 'experiment_group_name']),
      listingDateFilter,
      Type.Object({
        name: oneOf(['experiment_group_id']),
        operator: Type.Optional(Type.String()),
        value: Type.String({ format: 'uuid' }),
      }),
    ],
    { description },
  ),
  ExperimentSort: Type.Object({
    name: Type.String(),
    ascending: Type.Optional(Type.Boolean({ default: true })),
    sort_type: Type.Optional(nullable(oneOf(['column']))),
  }),
  ListingSort: Type.Object({
    name: oneOf(['name', 'created_at', 'updated_at']),
    ascending: Type.Optional(Type.Boolean({ default: true })),
    sort_type: Type.Optional(nullable(oneOf(['column']))),
  }),
};
