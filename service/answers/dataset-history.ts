import { rowsStream } from '../../command-api/facts/datasets.js';
import type { ContentChanged, DatasetEvent, DatasetRowsEvent } from '../../events/datasets.js';
import type { ChunkName, ContentRow } from '../../kernel/dataset-content.js';
import type { EventReader, Recorded } from '../../kernel/ports.js';
import type { Json } from '../../kernel/shapes.js';
import { changedRows, chunksApart, type RowsApart } from '../../projections/states/dataset-rows.js';
import type { Patches, Shown } from '../../projections/states/shown.js';

/** Of each version: 4 MB of rows at most. */
const chunksMax = 64;

/**
 * Which rows a version of a dataset changed, from the chunks that it does not share with the one
 * before; null for another event, and once the rows are erased. `events`: those of its dataset.
 */
export const rowsChangedBy = async (
  log: Pick<EventReader, 'read'>,
  event: Recorded,
  events: readonly Recorded[],
  mask: (shown: Shown) => Json,
): Promise<Patches | null> => {
  const after = contentOf(event);
  if (after === null) return null;
  const before = events
    .filter(({ position }) => position < event.position)
    .reduce<ContentChanged | null>((last, one) => contentOf(one) ?? last, null);
  return changedRows(
    before && (await rowsApart(log, before, after)),
    await rowsApart(log, after, before),
    mask,
  );
};

const contentOf = (event: Recorded): ContentChanged | null => {
  const { type, data } = event as unknown as DatasetEvent;
  return type === 'DatasetContentChanged' ? data : null;
};

const rowsApart = async (
  log: Pick<EventReader, 'read'>,
  version: ContentChanged,
  other: ContentChanged | null,
): Promise<RowsApart> => {
  const chunks = chunksApart(version, other);
  const rows: ContentRow[] = [];
  for (const chunk of chunks.slice(0, chunksMax)) {
    rows.push(...(await rowsOf(log, version.dataset_id, chunk)));
  }
  return { version, rows, isWhole: chunks.length <= chunksMax };
};

/** A chunk is one event of its stream. */
const rowsOf = async (
  log: Pick<EventReader, 'read'>,
  dataset: ContentChanged['dataset_id'],
  { content, chunk }: ChunkName,
): Promise<readonly ContentRow[]> => {
  const [event] = await log.read(rowsStream(dataset, content), { from: chunk, limit: 1 });
  return event === undefined ? [] : (event as unknown as DatasetRowsEvent).data.rows;
};
