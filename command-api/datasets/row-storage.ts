import type { ContentChanged, DatasetRowsEvent } from '../../events/datasets.js';
import {
  chunkBytesMax,
  chunkRowsMax,
  type StoredCells,
  type ContentId,
  type ChunkRange,
  type ContentRow,
  type RowId,
} from '../../kernel/dataset-content.js';
import type { EventLog, EventReader, Ids } from '../../kernel/ports.js';
import type { DatasetId } from '../../kernel/schema-types.js';
import { appendEvents, type Authorship } from '../../kernel/transact.js';
import { rowsStream } from '../facts/datasets.js';
import type { Chunk } from './edits.js';

/** Bytes of one append: below EventStoreDB's limit of 1 MB. */
const appendBytesMax = 786_432;

type StoredVersion = Pick<ContentChanged, 'dataset_id' | 'parts'>;

/**
 * The chunks of a version in order, from the log. Yields to the event loop between contents: the
 * largest dataset has a dozen, each read in some milliseconds.
 */
export const loadChunks = async (
  log: EventReader,
  { dataset_id: dataset, parts }: StoredVersion,
): Promise<readonly Chunk[]> => {
  const contents = new Map<ContentId, readonly (readonly ContentRow[])[]>();
  for (const { content } of parts) {
    if (contents.has(content)) continue;
    const events = await log.read(rowsStream(dataset, content));
    contents.set(
      content,
      events.map((event) => (event as unknown as DatasetRowsEvent).data.rows),
    );
    await yieldToEventLoop();
  }
  return parts.flatMap(({ content, first, sizes }) =>
    sizes.map((_size, index) => ({
      content,
      chunk: first + index,
      rows: contents.get(content)?.[first + index] ?? [],
    })),
  );
};

const yieldToEventLoop = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Rows to store as one event of this content. */
type NewChunk = {
  readonly content: ContentId;
  readonly rows: readonly ContentRow[];
  readonly bytes: number;
};
export type RowLayout = {
  readonly parts: readonly ChunkRange[];
  readonly chunks: readonly NewChunk[];
};

/** Limit of a stream's length, about 2 MB, which bounds the time of one read. */
const contentChunksMax = 32;

/**
 * Lays out stretches as chunks: unchanged chunks are referenced, rows become chunks of contents,
 * which `contentOf` names by number. A small chunk beside new rows is merged with them, so that
 * many small edits do not leave many small chunks.
 */
export const layOutRows = async (
  stretches: readonly (Chunk | readonly ContentRow[])[],
  contentOf: (number: number) => ContentId,
): Promise<RowLayout> => {
  const present = stretches.filter((one) => ('rows' in one ? one.rows.length : one.length) > 0);
  const parts: ChunkRange[] = [];
  const chunks: NewChunk[] = [];
  let fresh: readonly ContentRow[] = [];
  const name = (one: ContentId, chunk: number, size: number): void => {
    const last = parts.at(-1);
    if (last !== undefined && last.content === one && last.first + last.sizes.length === chunk) {
      parts[parts.length - 1] = { ...last, sizes: [...last.sizes, size] };
    } else parts.push({ content: one, first: chunk, sizes: [size] });
  };
  const flush = async (): Promise<void> => {
    for (const { rows, bytes } of chunked(fresh)) {
      const place = chunks.length % contentChunksMax;
      const content = contentOf((chunks.length - place) / contentChunksMax);
      name(content, place, rows.length);
      chunks.push({ content, rows, bytes });
      if (place === 0) await yieldToEventLoop();
    }
    fresh = [];
  };
  for (const [index, one] of present.entries()) {
    const isRewritten =
      !('rows' in one) || (isSmall(one) && [present[index - 1], present[index + 1]].some(isNew));
    if (isRewritten) fresh = fresh.concat('rows' in one ? one.rows : one);
    else {
      await flush();
      name(one.content, one.chunk, one.rows.length);
    }
  }
  await flush();
  return { parts, chunks };
};

const isNew = (one: Chunk | readonly ContentRow[] | undefined): boolean =>
  one !== undefined && !('rows' in one);
const isSmall = ({ rows }: Chunk): boolean =>
  rows.length < chunkRowsMax / 2 && bytesOf(rows) < chunkBytesMax / 2;

const encoder = new TextEncoder();
const bytesOf = (value: unknown): number => encoder.encode(JSON.stringify(value)).length;

function* chunked(rows: readonly ContentRow[]): Generator<Omit<NewChunk, 'content'>> {
  let chunk: ContentRow[] = [];
  let bytes = 0;
  for (const row of rows) {
    const more = bytesOf(row);
    if (chunk.length > 0 && (chunk.length >= chunkRowsMax || bytes + more > chunkBytesMax)) {
      yield { rows: chunk, bytes };
      chunk = [];
      bytes = 0;
    }
    chunk.push(row);
    bytes += more;
  }
  if (chunk.length > 0) yield { rows: chunk, bytes };
}

/** Rows of a version with new ids, derived from the content. */
export const newRows = (
  rows: readonly StoredCells[],
  version: number,
  rowId: (index: number) => RowId,
): readonly ContentRow[] =>
  rows.map((cells, index) => ({ id: rowId(index), made: version, edited: version, cells }));

/**
 * Stores the chunks, in appends of bounded size, before the version that names them. False when a
 * stream has other events: an earlier try of the same request met another version.
 */
export const storeRows = async (
  log: EventLog,
  dataset: DatasetId,
  chunks: readonly NewChunk[],
  cause: Authorship,
): Promise<boolean> => {
  for (const [at, { content }] of chunks.entries()) {
    if (chunks[at - 1]?.content === content) continue;
    const own = chunks.slice(at, at + contentChunksMax).filter((one) => one.content === content);
    if (!(await storeContent(log, { dataset, content }, own, cause))) return false;
  }
  return true;
};

type ContentKey = { readonly dataset: DatasetId; readonly content: ContentId };

const storeContent = async (
  log: EventLog,
  place: ContentKey,
  chunks: readonly NewChunk[],
  cause: Authorship,
): Promise<boolean> => {
  const name = rowsStream(place.dataset, place.content);
  for (let next = 0; next < chunks.length;) {
    const events: DatasetRowsEvent[] = [];
    let bytes = 0;
    for (const chunk of chunks.slice(next)) {
      bytes += chunk.bytes;
      if (events.length > 0 && bytes > appendBytesMax) break;
      events.push(rowsStoredEvent(place, next + events.length, chunk.rows));
    }
    const expected = next === 0 ? 'none' : next - 1;
    const [result] = await appendEvents(log, [{ stream: name, expected, events }], cause);
    if (result === undefined || result === 'conflict') return false;
    next += events.length;
  }
  return true;
};

const rowsStoredEvent = (
  { dataset, content }: ContentKey,
  chunk: number,
  rows: readonly ContentRow[],
): DatasetRowsEvent => ({
  type: 'DatasetRowsStored',
  data: {
    dataset_id: dataset,
    content_id: content,
    chunk,
    rows: rows as DatasetRowsEvent['data']['rows'],
  },
});

/** Content ids of a change: the first is the minted one, the others are derived from it. */
export const contentsFrom =
  (ids: Pick<Ids, 'derive'>, content: ContentId) =>
  (number: number): ContentId =>
    number === 0 ? content : ids.derive('ContentId', content, String(number));
