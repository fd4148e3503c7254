import type { ContentChanged, DatasetRowsEvent } from '../../events/datasets.js';
import { chunkSlices, type ContentRow } from '../../kernel/dataset-content.js';
import type { EventReader } from '../../kernel/ports.js';
import { rowsStream } from '../facts/datasets.js';

/**
 * Rows [from, from + limit) of a version in order, from the log, one chunk at a time; null for a
 * chunk erased meanwhile.
 */
export async function* rowsOfVersion(
  log: EventReader,
  { dataset_id: dataset, parts }: Pick<ContentChanged, 'dataset_id' | 'parts'>,
  from: number,
  limit: number,
): AsyncIterable<readonly ContentRow[] | null> {
  for (const one of chunkSlices(parts, from, limit)) {
    // Chunk n of a content is event n of its stream.
    const stream = rowsStream(dataset, one.content);
    const [event] = await log.read(stream, { from: one.chunk, limit: 1 });
    const chunk = event as unknown as DatasetRowsEvent | undefined;
    yield chunk?.data.rows.slice(one.from, one.to) ?? null;
  }
}
