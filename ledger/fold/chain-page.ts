import type { Documents, DocumentQuery } from '../../kernel/documents.js';
import { throwIfAborted } from '../../kernel/query-context.js';
import type { Filter } from '../../kernel/filter.js';
import type { ChainEntry, ChainName, ChainPage, ChainQuery, Chains } from '../chain/entries.js';
import type { QueryContext, Sha256 } from '../../kernel/ports.js';
import { historyCollection, segmentEntries, segmentOf } from '../collection.js';
import {
  entriesAtRows,
  nameSearchTexts,
  segmentRows,
  type SegmentRows,
  type SegmentBody,
} from './segment-format.js';

/** Loads the bodies of these segments, in this order, without missing ones. */
export type LoadSegments = (
  chain: ChainName,
  numbers: readonly number[],
) => Promise<readonly SegmentBody[]>;

type Needs = {
  readonly documents: Pick<Documents, 'find'>;
  readonly sha256: Sha256;
  readonly head: Chains['head'];
  readonly segments: LoadSegments;
};

/** Segments that one call scans at most: half a second of one thread. */
const segmentsMax = 2_000;
/**
 * Segments of the first query, enough for a usual page. Each query starts anew, so later ones take
 * more at a time.
 */
const segmentsFirst = 4;
const growth = 4;
/** Segments opened at a time; the event loop runs between two. */
const segmentsOpened = 16;

/**
 * Cursor pagination: one page of a chain, in one direction, through the segments that may match the
 * query.
 */
export const readChainPage = async (
  { documents, sha256, head, segments }: Needs,
  chain: ChainName,
  query: ChainQuery,
  context: QueryContext = {},
): Promise<ChainPage> => {
  const { ascending, limit } = query;
  const size = (await head(chain))?.size ?? 0;
  const entries: ChainEntry[] = [];
  let at = Math.min(query.at ?? (ascending ? 1 : size), ascending ? Infinity : size);
  let left = segmentsMax;
  for (let atOnce = segmentsFirst; left > 0; atOnce *= growth) {
    throwIfAborted(context);
    const count = Math.min(atOnce, left);
    const { numbers, more } =
      query.eventIds === undefined
        ? await findSegments({ documents }, queryOf(chain, query, at, count), context)
        : allSegments(query, at, size, count);
    for (let opened = 0; opened < numbers.length; opened += segmentsOpened) {
      throwIfAborted(context);
      for (const body of await segments(chain, numbers.slice(opened, opened + segmentsOpened))) {
        for (const entry of matchingEntries(sha256, body, query, at)) {
          if (entries.length === limit) return { entries, next: entry.seq };
          entries.push(entry);
        }
        at = ascending ? body.firstSeq + body.positions.length : body.firstSeq - 1;
      }
      await new Promise((resolve) => setImmediate(resolve));
    }
    if (!more) return { entries, next: null };
    left -= numbers.length;
  }
  return { entries, next: at };
};

type SegmentNumbers = { readonly numbers: readonly number[]; readonly more: boolean };

const findSegments = async (
  { documents }: Pick<Needs, 'documents'>,
  query: DocumentQuery,
  context: QueryContext,
): Promise<SegmentNumbers> => {
  const { documents: found, more } = await documents.find(historyCollection, query, context);
  return { numbers: found.map(({ fields }) => segmentOf(Number(fields['first_seq']))), more };
};

/**
 * Candidates for a search by event id: any segment may have it, since no index excludes segments.
 */
const allSegments = (
  { ascending }: ChainQuery,
  at: number,
  size: number,
  count: number,
): SegmentNumbers => {
  const [first, last] = [segmentOf(at), ascending ? segmentOf(size) : 0];
  const left = size === 0 ? 0 : Math.abs(last - first) + 1;
  const numbers = Array.from({ length: Math.min(count, left) }, (_, place) =>
    ascending ? first + place : first - place,
  );
  return { numbers, more: left > numbers.length };
};

/** Query for the segments from `at` on that may match. */
const queryOf = (
  chain: ChainName,
  { ascending, types, actors, projects, resourceTypes, resourceIds, from, to }: ChainQuery,
  at: number,
  limit: number,
): DocumentQuery => {
  const bound = segmentOf(at) * segmentEntries + 1;
  const all: Filter[] = [
    {
      kind: 'number',
      column: 'first_seq',
      operator: ascending ? 'gte' : 'lte',
      values: [bound],
    },
    ...anyOf('types', types),
    ...anyOf('actors', actors),
    ...anyOf('projects', projects),
    ...anyOf('resource_types', resourceTypes),
    ...anyOf('resource_ids', resourceIds),
  ];
  if (from !== undefined) all.push({ kind: 'date', column: 'to_at', operator: 'gte', value: from });
  if (to !== undefined) all.push({ kind: 'date', column: 'from_at', operator: 'lte', value: to });
  // Descending is the default order of segment keys.
  const sort = ascending ? { column: 'first_seq', ascending } : null;
  return { scope: chain, filter: { all }, sort, limit };
};

const anyOf = (column: string, names: readonly string[] | undefined): readonly Filter[] => {
  if (names === undefined) return [];
  const texts = [...new Set(names.flatMap(nameSearchTexts))];
  return [
    {
      any: texts.map((text) => ({
        kind: 'id',
        column,
        operator: 'contains',
        values: [text],
        caseSensitive: true,
      })),
    },
  ];
};

/** Matching entries of a segment, in the requested order. */
const matchingEntries = (
  sha256: Sha256,
  body: SegmentBody,
  query: ChainQuery,
  at: number,
): readonly ChainEntry[] => {
  const { ascending, eventIds } = query;
  // Search by ids alone: most segments need not be unpacked.
  if (eventIds !== undefined && !eventIds.some((id) => body.ids.includes(id))) return [];
  const rows = segmentRows(body);
  const wanted: number[] = [];
  for (let row = 0; row < rows.count; row += 1) {
    const seq = body.firstSeq + row;
    if ((ascending ? seq >= at : seq <= at) && matchesQuestion(rows, row, query)) wanted.push(row);
  }
  const found = entriesAtRows(sha256, body, rows, wanted);
  return ascending ? found : found.toReversed();
};

const matchesQuestion = (rows: SegmentRows, row: number, query: ChainQuery): boolean => {
  const { technical, types, actors, projects, resourceTypes, resourceIds, from, to } = query;
  const { eventIds } = query;
  return (
    (technical || rows.number('technical', row) === 0) &&
    (eventIds === undefined || isOneOf(rows.id(row), eventIds)) &&
    (types === undefined || isOneOf(rows.text('type', row), types)) &&
    (actors === undefined || isOneOf(rows.actor(row).id, actors)) &&
    (projects === undefined || isOneOf(rows.text('project', row), projects)) &&
    (resourceTypes === undefined || isOneOf(rows.text('resourceType', row), resourceTypes)) &&
    (resourceIds === undefined || isOneOf(rows.text('resourceId', row), resourceIds)) &&
    (from === undefined || rows.at(row) >= from) &&
    (to === undefined || rows.at(row) <= to)
  );
};

const isOneOf = (value: string | null, names: readonly string[]): boolean =>
  value !== null && names.includes(value);
