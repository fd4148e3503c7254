import type { DatasetEvent } from '../../events/datasets.js';
import type { ContentId } from '../../kernel/dataset-content.js';
import { reject, type Decide } from '../../kernel/decision.js';
import type { Position, StoredEvent, StreamName } from '../../kernel/ports.js';
import type { DatasetId } from '../../kernel/schema-types.js';
import { loadStreamState, transact } from '../../kernel/transact.js';
import {
  datasets,
  datasetStream,
  rowsPrefix,
  rowsStream,
  type Dataset,
} from '../facts/datasets.js';
import {
  isPastLateWrites,
  type ErasureNeeds,
  type ErasureProcess,
} from './run-and-project-erasures.js';
import { reactionAuthorship } from '../work/service-authorship.js';

/** Bounds of one step: events scanned, and contents erased. */
const stepEvents = 2_000;
const stepStreams = 20;

type Deletion = {
  readonly id: DatasetId;
  readonly event: StoredEvent;
  /** Cursor before the event. */
  readonly before: Position;
  /** Monotonic time at which the deletion was seen. */
  readonly seenMs: number;
  /** Progress of the current pass; null between passes. */
  readonly pass: { readonly isLast: boolean; readonly visited: StreamName | null } | null;
};

/**
 * Process manager of `DatasetDeleted`: erases every stream of its rows, also rows of lost races
 * that no version names. The dataset's own stream first names the chunks to erase, so that read
 * models drop them. A second pass runs when late writes are impossible. Idempotent: after a kill it
 * resumes from the cursor.
 */
export const openDatasetErasures = ({ log, clock, ids, after }: ErasureNeeds): ErasureProcess => {
  const pending = new Map<DatasetId, Deletion>();
  let position = after;

  const findDeletions = async (): Promise<boolean> => {
    const page = await log.page(position, stepEvents, ['DatasetDeleted']);
    for (const event of page.events) {
      const { dataset_id: id } = (event as unknown as DatasetDeletedEvent).data;
      const { state } = await loadStreamState(log, datasetStream(id), datasets);
      if (state?.erased === true) continue;
      const seenMs = clock.milliseconds();
      const pass = { isLast: isPastLateWrites(event.metadata.at, seenMs, clock), visited: null };
      pending.set(id, { id, event, before: position, seenMs, pass });
    }
    const moved = page.through > position;
    position = page.through;
    return moved;
  };
  const record = (deletion: Deletion, decide: Decide<Dataset | null, DatasetEvent>) => {
    const { event, id } = deletion;
    const authorship = reactionAuthorship({ clock, ids }, event);
    return transact(log, datasetStream(id), datasets, decide, authorship);
  };
  const visit = async (deletion: Deletion, pass: NonNullable<Deletion['pass']>): Promise<void> => {
    const { id } = deletion;
    const found = await log.streams(rowsPrefix(id), pass.visited, stepStreams);
    const { state } = await loadStreamState(log, datasetStream(id), datasets);
    const contents = await Promise.all(
      found.map(async (name) => {
        const content = name.slice(-uuidLength) as ContentId;
        const chunks = chunksNamed(state, content) ?? (await log.read(name)).length;
        return { content_id: content, chunks };
      }),
    );
    if (contents.length > 0) await record(deletion, recordRowsErased(contents));
    await Promise.all(contents.map(({ content_id }) => log.erase(rowsStream(id, content_id))));
    const last = found.at(-1);
    if (last !== undefined && found.length === stepStreams) {
      pending.set(id, { ...deletion, pass: { ...pass, visited: last } });
    } else if (!pass.isLast) pending.set(id, { ...deletion, pass: null });
    else {
      await record(deletion, completeDatasetErasure());
      pending.delete(id);
    }
  };

  return {
    step: async () => {
      for (const deletion of pending.values()) {
        if (deletion.pass === null) continue;
        await visit(deletion, deletion.pass);
        return true;
      }
      if (await findDeletions()) return true;
      for (const deletion of pending.values()) {
        const { event, seenMs } = deletion;
        if (!isPastLateWrites(event.metadata.at, seenMs, clock)) continue;
        pending.set(deletion.id, { ...deletion, pass: { isLast: true, visited: null } });
        return true;
      }
      return false;
    },
    pending: () => [...pending.values()].map(({ event }) => event.metadata.at),
    cursor: () =>
      [...pending.values()].reduce((low, { before }) => (before < low ? before : low), position),
  };
};

type DatasetDeletedEvent = Extract<DatasetEvent, { readonly type: 'DatasetDeleted' }>;

/** Length of a content id, with which the stream's name ends. */
const uuidLength = 36;

/**
 * Number of chunks of a content, from the first version that names it; null when no version does.
 */
const chunksNamed = (dataset: Dataset | null, content: ContentId): number | null => {
  const version = dataset?.versions.find(({ parts }) =>
    parts.some((part) => part.content === content),
  );
  if (version === undefined) return null;
  return version.parts
    .filter((part) => part.content === content)
    .reduce((count, { first, sizes }) => Math.max(count, first + sizes.length), 0);
};

type Contents = Extract<DatasetEvent, { readonly type: 'DatasetRowsErased' }>['data']['contents'];

/** Records contents as erased, except those recorded already. */
export const recordRowsErased =
  (contents: Contents): Decide<Dataset | null, DatasetEvent> =>
  (dataset) => {
    if (dataset === null || dataset.live) return reject('conflict', 'The dataset lives');
    const left = contents.filter(({ content_id: id }) => !dataset.erasedContents.has(id));
    if (left.length === 0) return [];
    const data = { dataset_id: dataset.id, contents: left };
    return [{ type: 'DatasetRowsErased', data }];
  };

export const completeDatasetErasure = (): Decide<Dataset | null, DatasetEvent> => (dataset) => {
  if (dataset === null || dataset.live) return reject('conflict', 'The dataset lives');
  return dataset.erased ? [] : [{ type: 'DatasetErased', data: { dataset_id: dataset.id } }];
};
