import type { Population } from '../../kernel/records/record.js';
import { flushRows, openChunkBuffer, type ChunkBuffer } from './chunk-buffer.js';
import type { ProjectColumns } from './column-cache.js';
import type { RecordsModel } from './model.js';
import type { GroupExtent } from './record-sizes.js';
import {
  entryColumns,
  facetColumns,
  groupColumns,
  recordColumns,
  tableOf,
  textColumns,
} from './schema.js';

/** Rows of one `apply`. New projects and columns reach the model only after the commit. */
export type RowBatch = {
  readonly model: RecordsModel;
  readonly newProjects: Map<string, number>;
  /** Columns by project, including new ones. */
  readonly projectColumns: Map<number, ProjectColumns>;
  readonly newColumns: NewColumn[];
  readonly newMarkers: Set<string>;
  readonly records: Readonly<Record<Population, ChunkBuffer>>;
  readonly facets: ChunkBuffer;
  readonly texts: ChunkBuffer;
  readonly entries: ChunkBuffer;
  readonly groups: ChunkBuffer;
  /** Groups with a partial write that grew. */
  readonly grownGroups: GroupExtent[];
  nextProject: number;
  nextColumn: number;
};
/** A new column; `project` null: a marker seen for the first time. */
type NewColumn = {
  readonly number: number;
  readonly project: number | null;
  readonly id: string;
};

export const openRowBatch = (model: RecordsModel): RowBatch => ({
  model,
  newProjects: new Map(),
  projectColumns: new Map(),
  newColumns: [],
  newMarkers: new Set(),
  records: {
    session: openChunkBuffer(tableOf.session, recordColumns),
    trace: openChunkBuffer(tableOf.trace, recordColumns),
    span: openChunkBuffer(tableOf.span, recordColumns),
  },
  facets: openChunkBuffer('facets', facetColumns),
  texts: openChunkBuffer('texts', textColumns),
  entries: openChunkBuffer('entries', entryColumns),
  groups: openChunkBuffer('groups', groupColumns),
  grownGroups: [],
  nextProject: model.nextProject,
  nextColumn: model.nextColumn,
});

/** Hands all rows to the engine; `append` would do it last. */
export const finishBatch = ({ records, facets, texts, entries, groups }: RowBatch): void =>
  [...Object.values(records), facets, texts, entries, groups].forEach(flushRows);

/** Number of a project, which is a new one if it has no rows yet. */
export const projectNumber = (batch: RowBatch, id: string): number => {
  const known = batch.model.projects.get(id) ?? batch.newProjects.get(id);
  if (known !== undefined) return known;
  const number = batch.nextProject;
  batch.nextProject += 1;
  batch.newProjects.set(id, number);
  return number;
};

/** Adds a marker (schema.ts) unless it is there. */
export const addMarker = (batch: RowBatch, id: string): void => {
  if (batch.model.markers.has(id) || batch.newMarkers.has(id)) return;
  batch.newMarkers.add(id);
  batch.newColumns.push({ number: batch.nextColumn, project: null, id });
  batch.nextColumn += 1;
};
