import { defaultPageLimit, pageInfo, type PageRequest } from '../contract/envelope.js';
import { listingFiltersMax } from '../contract/listings.js';
import { canonicalUuid } from '../kernel/uuid-and-instant.js';
import { byCodePoint } from '../kernel/code-points.js';
import type { Complaint } from '../kernel/fault.js';
import type { Filter } from '../kernel/filter.js';
import type { FilterKind } from '../kernel/records/record.js';
import type { Collection, Document, Documents, SortOrder } from '../kernel/documents.js';
import type { Json, JsonObject } from '../kernel/schema-types.js';
import {
  missingMember,
  notInEnum,
  notLiteral,
  tagMissing,
  tagUnknown,
  tooManyItems,
  unreadableUuid,
  wrongType,
  type Loc,
} from './filters/complaints.js';
import { readComparison, valuesComplaints, type Complaints } from './filters/leaf.js';

/** Columns that a listing can be filtered and sorted by, by their public name. */
export type ListingColumns = {
  /** `uuid`: equality with a uuid; the operator is ignored. */
  readonly filters: Readonly<Record<string, FilterKind | 'uuid'>>;
  readonly sorts: readonly string[];
  /** Set where a filter allows fewer operators than its kind. */
  readonly operators?: Readonly<Record<string, readonly string[]>>;
};

/** The columns of contract 5.4 and 5.5: those of 4.6 without the experiments' own. */
export const namedResourceColumns: ListingColumns = {
  filters: {
    id: 'id',
    created_by: 'id',
    name: 'text',
    created_at: 'date',
    updated_at: 'date',
  },
  sorts: ['name', 'created_at', 'updated_at'],
};

/** The columns of contract 4.6. */
export const experimentColumns: ListingColumns = {
  filters: {
    ...namedResourceColumns.filters,
    experiment_group_name: 'text',
    experiment_group_id: 'uuid',
  },
  sorts: namedResourceColumns.sorts,
};

type ListingBody = { readonly filters?: Json | undefined; readonly sort?: Json | undefined };
export type PlannedListing = {
  /** Combined with AND. */
  readonly filters: readonly Filter[];
  readonly sort: SortOrder | null;
  readonly complaints: readonly Complaint[];
};

/**
 * Validates filters and sort of a listing's body (contract 4.6): each filter selects a column by
 * its `name`. Default order: newest first.
 */
export const planListing = (written: ListingBody, listing: ListingColumns): PlannedListing => {
  const complaints: Complaints = [];
  const filters = readFilters(written.filters ?? null, listing, complaints);
  complaints.push(...valuesComplaints(filters, ['body', 'filters']));
  const sort = readSort(written.sort ?? null, listing, complaints);
  return complaints.length > 0
    ? { filters: [], sort: null, complaints }
    : { filters, sort, complaints };
};

const readFilters = (
  written: Json,
  listing: ListingColumns,
  complaints: Complaints,
): readonly Filter[] => {
  const loc = ['body', 'filters'];
  if (written === null) return [];
  if (!Array.isArray(written)) {
    complaints.push(wrongType(loc, 'list_type'));
    return [];
  }
  const list = written as readonly Json[];
  if (list.length > listingFiltersMax) {
    complaints.push(tooManyItems(loc, listingFiltersMax, list.length));
    return [];
  }
  return list.flatMap((one, index) => {
    const place = [...loc, String(index)];
    const named = readName(one, place, Object.keys(listing.filters), complaints);
    const kind = named === null ? undefined : listing.filters[named.name];
    if (named === null || kind === undefined) return [];
    const leaf =
      kind === 'uuid'
        ? readUuid(named.name, named.object, place, complaints)
        : readComparison(kind, named.name, named.object, place, complaints);
    const legal = listing.operators?.[named.name];
    if (leaf !== null && legal !== undefined && !legal.includes(operatorOf(leaf))) {
      complaints.push(notInEnum([...place, 'operator'], legal));
    }
    return leaf ?? [];
  });
};

const operatorOf = (leaf: Filter): string => ('operator' in leaf ? leaf.operator : '');

const readUuid = (
  column: string,
  { value }: JsonObject,
  loc: Loc,
  complaints: Complaints,
): Filter | null => {
  const place = [...loc, 'value'];
  const uuid = typeof value === 'string' ? canonicalUuid(value) : null;
  if (uuid !== null)
    return { kind: 'id', column, operator: 'eq', values: [uuid], caseSensitive: true };
  if (value === undefined) complaints.push(missingMember(place));
  else
    complaints.push(
      typeof value === 'string' ? unreadableUuid(place) : wrongType(place, 'uuid_type'),
    );
  return null;
};

const readSort = (
  written: Json,
  listing: ListingColumns,
  complaints: Complaints,
): SortOrder | null => {
  const loc = ['body', 'sort'];
  if (written === null) return null;
  const named = readName(written, loc, listing.sorts, complaints);
  if (named === null) return null;
  const { ascending = true, sort_type: sortType = null } = named.object;
  if (typeof ascending !== 'boolean') {
    complaints.push(wrongType([...loc, 'ascending'], 'bool_type'));
  }
  if (sortType !== null && sortType !== 'column') {
    complaints.push(notLiteral([...loc, 'sort_type'], 'column'));
  }
  return { column: named.name, ascending: ascending === true };
};

/** The object and the column that its `name` selects; null after a complaint. */
const readName = (
  written: Json,
  loc: Loc,
  legal: readonly string[],
  complaints: Complaints,
): { readonly name: string; readonly object: JsonObject } | null => {
  if (typeof written !== 'object' || written === null || Array.isArray(written)) {
    complaints.push(wrongType(loc, 'dict_type'));
    return null;
  }
  const object = written as JsonObject;
  const name = Object.hasOwn(object, 'name') ? object['name'] : undefined;
  if (name === undefined) complaints.push(tagMissing(loc, legal, 'name'));
  else if (typeof name === 'string' && legal.includes(name)) return { name, object };
  else {
    const tag = typeof name === 'string' ? name : JSON.stringify(name);
    complaints.push(tagUnknown(loc, tag, legal, 'name'));
  }
  return null;
};

/** Combines filters with AND; null restricts nothing. */
export const allOf = (filters: readonly Filter[]): Filter | null =>
  filters.length > 1 ? { all: filters } : (filters[0] ?? null);

export type ListingRequest = PageRequest & {
  readonly filters?: readonly Filter[];
  readonly sort?: SortOrder | null;
};

/**
 * Offset pagination: one page of a collection, with the page members of its list (contract 1.10).
 */
export const readListingPage = async <B>(
  documents: Documents,
  collection: Collection,
  scope: string,
  request: ListingRequest,
): Promise<{
  readonly rows: readonly Document<B>[];
  readonly measure: ReturnType<typeof pageInfo>;
}> => {
  const { documents: rows, more } = await documents.find<B>(collection, {
    scope,
    filter: allOf(request.filters ?? []),
    sort: request.sort ?? null,
    offset: request.starting_token ?? 0,
    limit: request.limit ?? defaultPageLimit,
  });
  return { rows, measure: pageInfo(request, rows.length, more) };
};

/** Page members of a search by POST may be in the query or in the body; the body wins. */
export const pageParameters = (query: PageRequest, body: PageRequest): PageRequest => ({
  starting_token: body.starting_token ?? query.starting_token ?? null,
  limit: body.limit ?? query.limit ?? null,
});

/** One page of rows held in memory, by text and then id, both ascending by code point. */
export const pageOfRows = <T extends { readonly id: string }>(
  all: readonly T[],
  request: PageRequest,
  text: (row: T) => string,
): { readonly rows: readonly T[]; readonly measure: ReturnType<typeof pageInfo> } => {
  const sorted = all.toSorted(
    (one, other) => byCodePoint(text(one), text(other)) || byCodePoint(one.id, other.id),
  );
  return pageOf(sorted, request);
};

/** One page of rows in their order. */
export const pageOf = <T>(
  all: readonly T[],
  request: PageRequest,
): { readonly rows: readonly T[]; readonly measure: ReturnType<typeof pageInfo> } => {
  const start = request.starting_token ?? 0;
  const end = start + (request.limit ?? defaultPageLimit);
  const rows = all.slice(start, end);
  return { rows, measure: pageInfo(request, rows.length, all.length > end) };
};
