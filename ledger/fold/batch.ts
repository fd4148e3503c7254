import { boundedMap, type BoundedMap } from '../../kernel/bounded-map.js';
import type { Document, Documents, DocumentWrite } from '../../kernel/documents.js';
import type { ChainHead, ChainName } from '../chain/entries.js';
import { entryHash } from '../chain/chain.js';
import { toChainedEvent } from '../chain/chained-event.js';
import { toHex } from '../../kernel/hex.js';
import type { Envelope, StoredEvent, Sha256 } from '../../kernel/ports.js';
import { unreadableType, type Unreadable } from '../../projections/read-model.js';
import {
  dirKey,
  headKey,
  historyCollection,
  segmentEntries,
  segmentKey,
  segmentOf,
  segmentsScope,
  tileKey,
  tilesScope,
} from '../collection.js';
import { emptyHead, headDocument, headOf } from './head-document.js';
import { openEntryClassifier, classifierKeys, type ClassifiedEntry } from './entry-classifier.js';
import { historyEvent, type HistoryEvent } from './entry-subject.js';
import { openNewSegment, reopenSegment, type SegmentWriter } from './segment-writer.js';
import type { PlainEntry, SegmentBody } from './segment-format.js';
import { growingTiles, appendLeaf, type FullRoot, type TileBody } from './tiles.js';

/** Store that the fold reads its input documents from. */
type LoadsDocuments = Pick<Documents, 'load'>;

/**
 * Folds events into history documents: each is appended to its chain, erased ones in their place.
 * The outcome does not depend on batch boundaries.
 */
export const foldHistory = async (
  stored: LoadsDocuments,
  sha256: Sha256,
  events: readonly StoredEvent[],
  erased: readonly Envelope[],
  kept: SegmentCache = openSegmentCache(),
): Promise<readonly DocumentWrite[]> => {
  const seen = mergeInLogOrder(events, erased);
  const places = openEntryClassifier(await loadDocuments(stored, classifierKeys(seen)));
  const placed = seen.map((one) => [one, places.classify(one)] as const);
  const chains = Map.groupBy(placed, ([, { chain }]) => chain);
  const heads = await loadDocuments(stored, [...chains.keys()].map(headKey));
  const growing = [...chains].map(([chain, added]): GrowingChain => {
    const document = heads.get(headKey(chain));
    const head = document === undefined ? emptyHead(chain) : headOf(document);
    // Taken out now: in a batch with many chains they would evict each other while it is folded.
    return { head, added, known: cachedSegment(kept, head) };
  });
  const open = await loadDocuments(
    stored,
    growing.flatMap(({ head, added, known }) => growingKeys(head, added.length, known)),
  );
  return [...growing.flatMap((one) => extendChain(sha256, one, open, kept)), ...places.writes()];
};

/**
 * Segment cache: segments as earlier batches left them, so that a small batch need not read the
 * segment that it extends. An entry is valid only for the head with the same hash, which covers all
 * entries before it, whatever became of the batch.
 */
type SegmentCache = BoundedMap<
  ChainName,
  { readonly segment: SegmentWriter; readonly hash: string }
>;
/** Some 50 KB each. */
export const openSegmentCache = (): SegmentCache => boundedMap(64);

const cachedSegment = (kept: SegmentCache, { chain, hash }: ChainHead): SegmentWriter | null => {
  const found = kept.get(chain);
  return found?.hash === hash ? found.segment : null;
};

const loadDocuments = async (
  stored: LoadsDocuments,
  keys: readonly string[],
): Promise<ReadonlyMap<string, Document>> =>
  keys.length === 0 ? new Map() : stored.load(historyCollection, keys);

/** Both lists are in log order; an event is in one of them. */
const mergeInLogOrder = (
  events: readonly StoredEvent[],
  erased: readonly Envelope[],
): readonly HistoryEvent[] => {
  const seen: HistoryEvent[] = [];
  let at = 0;
  for (const event of events) {
    for (let gone = erased[at]; gone !== undefined && gone.position < event.position;) {
      seen.push(historyEvent(gone, gone.type, null));
      at += 1;
      gone = erased[at];
    }
    seen.push(storedHistoryEvent(event));
  }
  for (const gone of erased.slice(at)) seen.push(historyEvent(gone, gone.type, null));
  return seen;
};

/** An unreadable event is classified by its stored data, as it will be once it can be read. */
const storedHistoryEvent = (event: StoredEvent): HistoryEvent => {
  if (event.type !== unreadableType) return historyEvent(event, event.type, dataOf(event.data));
  const { type, stored } = event.data as Unreadable;
  return historyEvent(event, type, dataOf(stored));
};
const dataOf = (data: unknown): HistoryEvent['data'] =>
  typeof data === 'object' ? (data as HistoryEvent['data']) : null;

/** Keys of the segment and the tiles that grow, as far as they exist. */
const growingKeys = (
  { chain, size }: ChainHead,
  added: number,
  known: SegmentWriter | null,
): readonly string[] => {
  const isKnown = size % segmentEntries === 0 || known !== null;
  return [
    ...(isKnown ? [] : [segmentKey(chain, segmentOf(size))]),
    ...growingTiles(size, added).map(({ level, number }) => tileKey(chain, level, number)),
  ];
};

/** The segment that the next entry is appended to. */
const segmentAt = (
  { chain, size }: ChainHead,
  known: SegmentWriter | null,
  open: ReadonlyMap<string, Document>,
): SegmentWriter => {
  if (size % segmentEntries === 0) return openNewSegment(size + 1);
  if (known !== null) return known;
  const key = segmentKey(chain, segmentOf(size));
  const stored = open.get(key);
  if (stored === undefined) throw new RangeError(`${key} is not stored, but the head beyond it is`);
  return reopenSegment(stored.body as SegmentBody);
};

type GrowingChain = {
  readonly head: ChainHead;
  readonly added: readonly (readonly [HistoryEvent, ClassifiedEntry])[];
  readonly known: SegmentWriter | null;
};

const extendChain = (
  sha256: Sha256,
  { head: before, added, known }: GrowingChain,
  open: ReadonlyMap<string, Document>,
  kept: SegmentCache,
): readonly DocumentWrite[] => {
  const { chain } = before;
  const writes: DocumentWrite[] = [];
  const full: FullRoot[] = [];
  let head = before;
  let segment = segmentAt(before, known, open);
  // Stale from here on; after a failure it is read again.
  kept.delete(chain);
  for (const [{ envelope, type }, placed] of added) {
    if (segment.count() === segmentEntries) segment = openNewSegment(head.size + 1);
    const entry = entryOf(head.size + 1, envelope, type, placed);
    const hash = entryHash(sha256, head.hash, entry.seq, entry);
    const tree = appendLeaf(sha256, head.range, hash);
    full.push(...tree.full);
    const { seq, position } = entry;
    segment.add(entry, head.hash);
    head = { chain, size: seq, position, hash: toHex(hash), range: tree.range };
    if (segment.count() === segmentEntries) writes.push(...segmentWrites(chain, segment));
  }
  if (segment.count() < segmentEntries) writes.push(...segmentWrites(chain, segment));
  kept.set(chain, { segment, hash: head.hash });
  return [writeOf(headDocument(head)), ...writes, ...tileWrites(chain, full, open)];
};

const entryOf = (
  seq: number,
  envelope: Envelope,
  type: string,
  { chain, resource, projectId, technical }: ClassifiedEntry,
): PlainEntry => {
  const chained = toChainedEvent(envelope, chain);
  // Member by member: a spread costs V8 as much as a hash.
  return {
    seq,
    position: envelope.position,
    eventId: chained.eventId,
    type,
    schema: chained.schema,
    stream: chained.stream,
    revision: chained.revision,
    at: chained.at,
    actor: chained.actor,
    organizationId: chained.organizationId,
    requestId: chained.requestId,
    correlationId: chained.correlationId,
    causationId: chained.causationId,
    dataDigest: chained.dataDigest,
    resource,
    projectId,
    technical,
  };
};

const writeOf = (document: Document): DocumentWrite => ({ key: document.key, document });

const segmentWrites = (chain: ChainName, segment: SegmentWriter): readonly DocumentWrite[] => {
  const body = segment.body();
  const number = segmentOf(body.firstSeq);
  const key = segmentKey(chain, number);
  const dir = dirKey(chain, number);
  return [
    writeOf({ key, scope: segmentsScope, fields: {}, body }),
    writeOf({ key: dir, scope: chain, fields: segment.fields(chain), body: null }),
  ];
};

const tileWrites = (
  chain: ChainName,
  full: readonly FullRoot[],
  open: ReadonlyMap<string, Document>,
): readonly DocumentWrite[] => {
  const roots = new Map<string, string[]>();
  for (const { level, number, root } of full) {
    const key = tileKey(chain, level, number);
    const there = roots.get(key) ?? [
      ...((open.get(key)?.body as TileBody | undefined)?.roots ?? []),
    ];
    there.push(root);
    roots.set(key, there);
  }
  return [...roots].map(([key, all]) =>
    writeOf({ key, scope: tilesScope(chain), fields: {}, body: { roots: all } satisfies TileBody }),
  );
};
