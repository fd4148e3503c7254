import { boundedMap, type BoundedMap } from '../../kernel/bounded-map.js';
import type { Document, Documents, DocumentWrite } from '../../kernel/documents.js';
import type { ChainHead, ChainName } from '../../kernel/history/entries.js';
import { entryHash } from '../../kernel/history/chain.js';
import { chainedOf } from '../../kernel/history/chained.js';
import { hexOf } from '../../kernel/history/hex.js';
import type { Envelope, Recorded, Sha256 } from '../../kernel/ports.js';
import { unreadableType, type Unreadable } from '../read-model.js';
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
} from './collection.js';
import { emptyHead, headDocument, headOf } from './heads.js';
import { openPlaces, placesAsked, type Placed } from './places.js';
import { seenOf, type SeenEvent } from './resources.js';
import { newSegment, segmentFrom, type OpenSegment } from './open-segment.js';
import type { PlainEntry, SegmentBody } from './segments.js';
import { tilesGrowing, withLeaf, type FullRoot, type TileBody } from './tiles.js';

/** Where the fold reads what it folds onto. */
type LoadsDocuments = Pick<Documents, 'load'>;

/**
 * The documents after these events: each goes to the end of its chain, erased ones in their place.
 * The outcome does not depend on where a batch is cut.
 */
export const foldHistory = async (
  stored: LoadsDocuments,
  sha256: Sha256,
  events: readonly Recorded[],
  erased: readonly Envelope[],
  kept: KeptSegments = keptSegments(),
): Promise<readonly DocumentWrite[]> => {
  const seen = inLogOrder(events, erased);
  const places = openPlaces(await load(stored, placesAsked(seen)));
  const placed = seen.map((one) => [one, places.place(one)] as const);
  const chains = Map.groupBy(placed, ([, { chain }]) => chain);
  const heads = await load(stored, [...chains.keys()].map(headKey));
  const growing = [...chains].map(([chain, added]): Growing => {
    const document = heads.get(headKey(chain));
    const head = document === undefined ? emptyHead(chain) : headOf(document);
    // Taken now: those of a batch with many chains push each other out while it is folded.
    return { head, added, known: keptFor(kept, head) };
  });
  const open = await load(
    stored,
    growing.flatMap(({ head, added, known }) => openKeys(head, added.length, known)),
  );
  return [...growing.flatMap((one) => extended(sha256, one, open, kept)), ...places.writes()];
};

/**
 * Segments as earlier batches left them, so that a small batch need not read what it adds to. One
 * counts only for the head that it led to: the hash vouches for all before it, whatever became of
 * the batch.
 */
type KeptSegments = BoundedMap<ChainName, { readonly segment: OpenSegment; readonly hash: string }>;
/** Some 50 KB each. */
export const keptSegments = (): KeptSegments => boundedMap(64);

const keptFor = (kept: KeptSegments, { chain, hash }: ChainHead): OpenSegment | null => {
  const found = kept.get(chain);
  return found?.hash === hash ? found.segment : null;
};

const load = async (
  stored: LoadsDocuments,
  keys: readonly string[],
): Promise<ReadonlyMap<string, Document>> =>
  keys.length === 0 ? new Map() : stored.load(historyCollection, keys);

/** Both are in log order; an event is in one of them. */
const inLogOrder = (
  events: readonly Recorded[],
  erased: readonly Envelope[],
): readonly SeenEvent[] => {
  const seen: SeenEvent[] = [];
  let at = 0;
  for (const event of events) {
    for (let gone = erased[at]; gone !== undefined && gone.position < event.position;) {
      seen.push(seenOf(gone, gone.type, null));
      at += 1;
      gone = erased[at];
    }
    seen.push(seenStill(event));
  }
  for (const gone of erased.slice(at)) seen.push(seenOf(gone, gone.type, null));
  return seen;
};

/** What cannot be read is placed by what is stored, as it will be when it can. */
const seenStill = (event: Recorded): SeenEvent => {
  if (event.type !== unreadableType) return seenOf(event, event.type, dataOf(event.data));
  const { type, stored } = event.data as Unreadable;
  return seenOf(event, type, dataOf(stored));
};
const dataOf = (data: unknown): SeenEvent['data'] =>
  typeof data === 'object' ? (data as SeenEvent['data']) : null;

/** The segment and the tiles that grow, as far as they are there. */
const openKeys = (
  { chain, size }: ChainHead,
  added: number,
  known: OpenSegment | null,
): readonly string[] => {
  const isKnown = size % segmentEntries === 0 || known !== null;
  return [
    ...(isKnown ? [] : [segmentKey(chain, segmentOf(size))]),
    ...tilesGrowing(size, added).map(({ level, number }) => tileKey(chain, level, number)),
  ];
};

/** What the next entry is added to. */
const segmentAt = (
  { chain, size }: ChainHead,
  known: OpenSegment | null,
  open: ReadonlyMap<string, Document>,
): OpenSegment => {
  if (size % segmentEntries === 0) return newSegment(size + 1);
  if (known !== null) return known;
  const key = segmentKey(chain, segmentOf(size));
  const stored = open.get(key);
  if (stored === undefined) throw new RangeError(`${key} is not stored, but the head beyond it is`);
  return segmentFrom(stored.body as SegmentBody);
};

type Growing = {
  readonly head: ChainHead;
  readonly added: readonly (readonly [SeenEvent, Placed])[];
  readonly known: OpenSegment | null;
};

const extended = (
  sha256: Sha256,
  { head: before, added, known }: Growing,
  open: ReadonlyMap<string, Document>,
  kept: KeptSegments,
): readonly DocumentWrite[] => {
  const { chain } = before;
  const writes: DocumentWrite[] = [];
  const full: FullRoot[] = [];
  let head = before;
  let segment = segmentAt(before, known, open);
  // It is no longer what led to that head; should anything fail, it is read again.
  kept.delete(chain);
  for (const [{ envelope, type }, placed] of added) {
    if (segment.count() === segmentEntries) segment = newSegment(head.size + 1);
    const entry = entryOf(head.size + 1, envelope, type, placed);
    const hash = entryHash(sha256, head.hash, entry.seq, entry);
    const tree = withLeaf(sha256, head.range, hash);
    full.push(...tree.full);
    const { seq, position } = entry;
    segment.add(entry, head.hash);
    head = { chain, size: seq, position, hash: hexOf(hash), range: tree.range };
    if (segment.count() === segmentEntries) writes.push(...segmentWrites(chain, segment));
  }
  if (segment.count() < segmentEntries) writes.push(...segmentWrites(chain, segment));
  kept.set(chain, { segment, hash: head.hash });
  return [written(headDocument(head)), ...writes, ...tileWrites(chain, full, open)];
};

const entryOf = (
  seq: number,
  envelope: Envelope,
  type: string,
  { chain, resource, projectId, technical }: Placed,
): PlainEntry => {
  const chained = chainedOf(envelope, chain);
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

const written = (document: Document): DocumentWrite => ({ key: document.key, document });

const segmentWrites = (chain: ChainName, segment: OpenSegment): readonly DocumentWrite[] => {
  const body = segment.body();
  const number = segmentOf(body.firstSeq);
  const key = segmentKey(chain, number);
  const dir = dirKey(chain, number);
  return [
    written({ key, scope: segmentsScope, fields: {}, body }),
    written({ key: dir, scope: chain, fields: segment.fields(chain), body: null }),
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
    written({ key, scope: tilesScope(chain), fields: {}, body: { roots: all } satisfies TileBody }),
  );
};
