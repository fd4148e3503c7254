import type { ContentChanged, DatasetRowsEvent } from '../../events/datasets.js';
import { stretchesOf, type ContentId, type Row } from '../../kernel/dataset-content.js';
import type { EventReader } from '../../kernel/ports.js';
import { rowsStream } from './datasets.js';

/**
 * Rows [from, from + limit) of a version, in order, from the log; null when they were erased
 * meanwhile.
 */
export const rowsOfVersion = async (
  log: EventReader,
  { dataset_id: dataset, parts }: Pick<ContentChanged, 'dataset_id' | 'parts'>,
  from: number,
  limit: number,
): Promise<readonly Row[] | null> => {
  const stretches = stretchesOf(parts, from, limit);
  const chunks = new Map<ContentId, readonly (readonly Row[])[]>();
  for (const content of new Set(stretches.map((one) => one.content))) {
    const events = await log.read(rowsStream(dataset, content));
    chunks.set(
      content,
      events.map((event) => (event as unknown as DatasetRowsEvent).data.rows),
    );
  }
  const found = stretches.map((one) =>
    chunks.get(one.content)?.[one.chunk]?.slice(one.from, one.to),
  );
  return found.includes(undefined) ? null : found.flatMap((rows) => rows ?? []);
};
