import { defaultPageLimit } from '../../contract/envelope.js';
import type { HistoryEntry, HistoryPage, HistoryQuery } from '../../contract/history.js';
import { canonicalJson } from '../../kernel/canonical-json.js';
import { genesisHash } from '../chain/chain.js';
import type { ChainEntry, ChainHead, ChainPages, ChainQuery, Chains } from '../chain/entries.js';
import { causeView, eventView, hashesView } from '../chain/entry-view.js';
import { toHex } from '../../kernel/hex.js';
import { logStart, type Sha256 } from '../../kernel/ports.js';
import type { JsonObject, ProjectId } from '../../kernel/schema-types.js';
import { readCursor, writeCursor, type CursorTag } from './cursor.js';

/** Members of an entry that are not in its chain. */
export type EntryChanges = {
  readonly before: JsonObject | null;
  readonly after: JsonObject | null;
  readonly erased: boolean;
  readonly email: string | null;
};

export type PageNeeds = {
  readonly chains: Pick<Chains, 'head'> & ChainPages;
  readonly sha256: Sha256;
  readonly cursorTag: CursorTag;
  /**
   * Changes of the first entries, in their order: as many as one response may hold, at least one.
   */
  readonly changesOf: (
    entries: readonly ChainEntry[],
    signal: AbortSignal,
  ) => Promise<readonly EntryChanges[]>;
};

/**
 * Cursor pagination: a page of a chain (contract 5.14). It ends at the head that it names, and
 * earlier where its entries are expensive. Throws Fault `invalid` for a cursor of another query.
 */
export const historyPage = async (
  needs: PageNeeds,
  chain: string,
  query: HistoryQuery,
  signal: AbortSignal,
): Promise<HistoryPage> => {
  const { order, cursor, limit = defaultPageLimit, ...filters } = query;
  const place = {
    chain,
    ascending: order === 'asc',
    filters: digestOf(needs.sha256, questionOf(filters)),
  };
  const at = cursor === undefined ? null : readCursor(cursor, place, needs.cursorTag);
  const head = await needs.chains.head(chain);
  const { size } = head ?? { size: 0 };
  const chainQuery: ChainQuery = {
    ...questionOf(filters),
    at: at ?? (place.ascending ? 1 : Math.max(size, 1)),
    ascending: place.ascending,
    limit,
  };
  const found = await needs.chains.page(chain, chainQuery, { signal });
  const known = found.entries.filter(({ seq }) => seq <= size);
  const changes = known.length === 0 ? [] : await needs.changesOf(known, signal);
  const next = nextOf(known[changes.length]?.seq ?? found.next, size);
  return {
    entries: changes.flatMap((one, index) => {
      const entry = known[index];
      return entry === undefined ? [] : [shownEntry(entry, one)];
    }),
    next_cursor: next === null ? null : writeCursor({ ...place, seq: next }, needs.cursorTag),
    limit,
    head: shownHead(head),
  };
};

/**
 * Next cursor position; null at the head that the page names, since later entries belong to the
 * next read.
 */
const nextOf = (next: number | null, size: number): number | null =>
  next === null || next > size ? null : next;

type Filters = Omit<HistoryQuery, 'order' | 'cursor' | 'limit'>;

const questionOf = (filters: Filters): Omit<ChainQuery, 'at' | 'ascending' | 'limit'> => ({
  technical: filters.technical ?? false,
  ...(isNonEmpty(filters.event_type) && { types: filters.event_type }),
  ...(isNonEmpty(filters.actor) && { actors: filters.actor }),
  ...(isNonEmpty(filters.project_id) && { projects: filters.project_id }),
  ...(isNonEmpty(filters.resource_type) && { resourceTypes: filters.resource_type }),
  ...(isNonEmpty(filters.resource_id) && { resourceIds: filters.resource_id }),
  ...(filters.start_time !== undefined && { from: filters.start_time }),
  ...(filters.end_time !== undefined && { to: filters.end_time }),
});

const isNonEmpty = (list: readonly string[] | undefined): list is readonly string[] =>
  list !== undefined && list.length > 0;

const digestOf = (sha256: Sha256, question: object): string =>
  toHex(sha256(canonicalJson(question))).slice(0, digestCharacters);
/** Long enough to distinguish one caller's queries. */
const digestCharacters = 16;

const shownHead = (head: ChainHead | null): HistoryPage['head'] =>
  head === null
    ? { seq: 0, position: logStart, hash: genesisHash }
    : { seq: head.size, position: head.position, hash: head.hash };

const shownEntry = (entry: ChainEntry, changes: EntryChanges): HistoryEntry => ({
  ...eventView(entry),
  actor: {
    type: entry.actor.type as HistoryEntry['actor']['type'],
    id: entry.actor.id,
    email: changes.email,
    role: entry.actor.role,
  },
  resource: {
    type: entry.resource.type as HistoryEntry['resource']['type'],
    id: entry.resource.id,
  },
  project_id: entry.projectId as ProjectId | null,
  ...causeView(entry),
  before: changes.before,
  after: changes.after,
  erased: changes.erased,
  ...hashesView(entry),
});
