import { Type, type TSchema } from 'typebox';
import { component, maybe, nullable, oneOf, type Json } from '../kernel/shapes.js';
import { pageMembersOrNull } from './envelope.js';
import { dateOperators, idOperators, textOperators } from './filters.js';

/**
 * A filter of contract 4.6 by `name`; query-api/listings.ts reads it and complains in the
 * contract's words.
 */
const listingFilter = component<Json>('ListingFilter');
export const listingSort = component<Json>('ListingSort');

/** The same with the experiments' groups. */
export const experimentFilter = component<Json>('ExperimentFilter');

export const listingFiltersMax = 100;

/** The body of the listings that search as contract 4.6 does. */
export const listingBody = Type.Object({
  ...pageMembersOrNull,
  filters: maybe(Type.Array(listingFilter, { maxItems: listingFiltersMax })),
  sort: maybe(listingSort),
});

const text = Type.String();
const textOrTexts = Type.Union([text, Type.Array(text)]);

const filtersBy = (texts: readonly string[]) => [
  Type.Object({
    name: oneOf(['id', 'created_by']),
    operator: Type.Optional(Type.String({ enum: [...idOperators], default: 'eq' })),
    value: textOrTexts,
  }),
  Type.Object({
    name: oneOf(texts),
    operator: oneOf(textOperators),
    value: textOrTexts,
    case_sensitive: Type.Optional(Type.Boolean({ default: true })),
  }),
  Type.Object({
    name: oneOf(['created_at', 'updated_at']),
    operator: oneOf(dateOperators),
    value: Type.String({ format: 'date-time' }),
  }),
];
const description = 'The columns that an operation knows; another name is a validation error.';

/** For `components/schemas` of the OpenAPI document. */
export const listingComponents: Readonly<Record<string, TSchema>> = {
  ListingFilter: Type.Union(filtersBy(['name']), { description }),
  ExperimentFilter: Type.Union(
    [
      ...filtersBy(['name', 'experiment_group_name']),
      Type.Object({
        name: oneOf(['experiment_group_id']),
        operator: Type.Optional(Type.String({ description: 'Ignored: it is always eq.' })),
        value: Type.String({ format: 'uuid' }),
      }),
    ],
    { description },
  ),
  ListingSort: Type.Object({
    name: oneOf(['name', 'created_at', 'updated_at']),
    ascending: Type.Optional(Type.Boolean({ default: true })),
    sort_type: Type.Optional(nullable(oneOf(['column']))),
  }),
};
