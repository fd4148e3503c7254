import { Type } from 'typebox';
import { component, maybe, type Json } from '../kernel/shapes.js';
import { pageMembers } from './envelope.js';

/** A filter of contract 4.6 by `name`; query-api/listings.ts reads it and complains in the contract's words. */
const listingFilter = component<Json>('ListingFilter');
const listingSort = component<Json>('ListingSort');

export const listingFiltersMax = 100;

/** The body of the listings that search as contract 4.6 does. */
export const listingBody = Type.Object({
  ...pageMembers,
  filters: Type.Optional(Type.Array(listingFilter, { maxItems: listingFiltersMax })),
  sort: maybe(listingSort),
});
