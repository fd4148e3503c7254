import { rowsStream } from '../../command-api/facts/datasets.js';
import type { ContentChanged, DatasetEvent, DatasetRowsEvent } from '../../events/datasets.js';
import type { ChunkName, ContentRow } from '../../kernel/dataset-content.js';
import type { EventReader, StoredEvent } from '../../kernel/ports.js';
import type { Json } from '../../kernel/schema-types.js';
import {
  changedRows,
  differingChunks,
  type DifferingRows,
} from '../../projections/states/dataset-rows.js';
import type { MergePatches, StateValue } from '../../projections/states/masked-state.js';

/** Limit per version: 4 MB of rows at most. */
const chunksMax = 64;

/**
 * Rows that a version of a dataset changed, from the chunks that it does not share with the
 * previous version; null for another event type, and once the rows are erased. `events`: those of
 * its dataset.
 */
export const rowChangesOf = async (
  log: Pick<EventReader, 'read'>,
  event: StoredEvent,
  events: readonly StoredEvent[],
  mask: (shown: StateValue) => Json,
): Promise<MergePatches | null> => {
  const after = contentOf(event);
  if (after === null) return null;
  const before = events
    .filter(({ position }) => position < event.position)
    .reduce<ContentChanged | null>((last, one) => contentOf(one) ?? last, null);
  return changedRows(
    before && (await differingRows(log, before, after)),
    await differingRows(log, after, before),
    mask,
  );
};

const contentOf = (event: StoredEvent): ContentChanged | null => {
  const { type, data } = event as unknown as DatasetEvent;
  return type === 'DatasetContentChanged' ? data : null;
};

const differingRows = async (
  log: Pick<EventReader, 'read'>,
  version: ContentChanged,
  other: ContentChanged | null,
): Promise<DifferingRows> => {
  const chunks = differingChunks(version, other);
  const rows: ContentRow[] = [];
  for (const chunk of chunks.slice(0, chunksMax)) {
    rows.push(...(await rowsOf(log, version.dataset_id, chunk)));
  }
  return { version, rows, isComplete: chunks.length <= chunksMax };
};

/** Rows of a chunk, which is one event of its stream. */
const rowsOf = async (
  log: Pick<EventReader, 'read'>,
  dataset: ContentChanged['dataset_id'],
  { content, chunk }: ChunkName,
): Promise<readonly ContentRow[]> => {
  const [event] = await log.read(rowsStream(dataset, content), { from: chunk, limit: 1 });
  return event === undefined ? [] : (event as unknown as DatasetRowsEvent).data.rows;
};
