import { setImmediate as nextTurn } from 'node:timers/promises';
import type { StreamName } from '../../kernel/ports.js';
import type { GroupWrite, RecordWrites } from '../../kernel/records/records.js';
import type { MetricCell, Population, RecordRow } from '../../kernel/records/record.js';
import { populationOf } from '../../kernel/records/columns.js';
import { admitColumnNames, type ColumnNameKind } from '../../kernel/records/column-names.js';
import { addRow, openChunkBuffer, flushRows, type ChunkBuffer } from './chunk-buffer.js';
import type { Statements } from './connections.js';
import { entriesOutsideFacets, entryHash } from './metadata-entries.js';
import { encodeRow, foldedText, type LongText, type RowKey } from './row-encoding.js';
import { headOf, longTextMarker, splitText, unsearchedNames } from './long-text.js';
import type { RecordsModel } from './model.js';
import { loadProjectColumns, noProjectColumns, addColumns } from './project-columns.js';
import type { ProjectColumns } from './column-cache.js';
import type { GroupExtent } from './record-sizes.js';
import type { NamedGroup } from './row-decoding.js';
import {
  entryColumns,
  facetColumns,
  foldedTextMarker,
  groupColumns,
  measuredMetricMarker,
  ordinalsMax,
  recordColumns,
  sessionsMarker,
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

const startBatch = (model: RecordsModel): RowBatch => ({
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

/**
 * Builds the rows of these writes, without those of deleted runs and projects. `grown`: partial
 * groups.
 */
export const buildBatch = async (
  model: RecordsModel,
  statements: Statements,
  writes: RecordWrites,
  grown: readonly NamedGroup[],
): Promise<RowBatch> => {
  const groups = withoutDeletedRows(model, writes);
  const named = new Map<number, ProjectColumns>();
  for (const id of projectsOf(groups)) {
    const number = model.projects.get(id);
    if (number !== undefined)
      named.set(number, await loadProjectColumns(model, statements, number));
  }
  return fillBatch(model, groups, named, grown);
};

/** `buildBatch` from memory alone; null if it would have to read the file. */
export const buildBatchFromMemory = async (
  model: RecordsModel,
  writes: RecordWrites,
): Promise<RowBatch | null> => {
  if (writes.groups.some(({ partial }) => partial !== undefined)) return null;
  const groups = withoutDeletedRows(model, writes);
  const named = new Map<number, ProjectColumns>();
  for (const id of projectsOf(groups)) {
    const number = model.projects.get(id);
    if (number === undefined) continue;
    const known = model.columnCache.get(number);
    if (known === null) return null;
    named.set(number, known);
  }
  return fillBatch(model, groups, named, []);
};

const projectsOf = (groups: readonly LiveGroup[]): ReadonlySet<string> =>
  new Set(groups.flatMap(({ rows }) => rows.map(({ values }) => String(values['project_id']))));

/**
 * Rows per event-loop tick, about 2 ms. A query takes some five ticks, so it is delayed by as many
 * slices.
 */
const rowsPerTick = 25;

/**
 * Fills the batch; group numbers are spent even if it is dropped. Yields to queries on this thread:
 * a trace of 2,000 spans would delay them by a fifth of a second.
 */
const fillBatch = async (
  model: RecordsModel,
  groups: readonly LiveGroup[],
  named: ReadonlyMap<number, ProjectColumns>,
  grown: readonly NamedGroup[],
): Promise<RowBatch> => {
  const batch = startBatch(model);
  admitNames(batch, named, groups);
  const byName = new Map(grown.map((group) => [group.name, group]));
  let added = 0;
  for (const { group, rows, partial } of groups) {
    const size = rows.reduce((most, { ordinal }) => Math.max(most, ordinal + 1), 0);
    const grp =
      partial === undefined
        ? newGroup(batch, group, size)
        : grownGroup(batch, size, byName.get(group));
    for (const row of rows) {
      addRecord(batch, row, grp);
      added += 1;
      if (added % rowsPerTick === 0) await nextTurn();
    }
  }
  return batch;
};

/** Hands all rows to the engine; `append` would do it last. */
export const finishBatch = ({ records, facets, texts, entries, groups }: RowBatch): void =>
  [...Object.values(records), facets, texts, entries, groups].forEach(flushRows);

type LiveGroup = Pick<GroupWrite, 'group' | 'rows' | 'partial'>;

const withoutDeletedRows = (model: RecordsModel, writes: RecordWrites): readonly LiveGroup[] => {
  // The model's sets are too large to copy per batch.
  const runs = [model.deletedRuns, new Set(writes.deletedRuns)];
  const projects = [model.deletedProjects, new Set(writes.deletedProjects)];
  return writes.groups
    .map(({ group, rows, partial }) => ({
      group,
      ...(partial !== undefined && { partial }),
      rows: rows.filter(
        ({ values: { project_id: project, run_id: run } }) =>
          !projects.some((some) => some.has(String(project))) &&
          !runs.some((some) => some.has(String(run))),
      ),
    }))
    .filter(({ rows }) => rows.length > 0);
};

/** Assigns numbers to new columns before any row uses them. */
const admitNames = (
  batch: RowBatch,
  named: ReadonlyMap<number, ProjectColumns>,
  groups: readonly LiveGroup[],
): void => {
  const byProject = Map.groupBy(
    groups.flatMap(({ rows }) => rows),
    ({ values }) => projectNumber(batch, String(values['project_id'])),
  );
  for (const [project, rows] of byProject) {
    const known = named.get(project) ?? noProjectColumns;
    const has = (kind: ColumnNameKind, name: string): boolean =>
      known.numbers.has(`${kind}/${name}`);
    const added = admitColumnNames({ has, counts: known.counts }, rows).map(([kind, name]) => ({
      number: batch.nextColumn++,
      project,
      id: `${kind}/${name}`,
    }));
    batch.newColumns.push(...added);
    batch.projectColumns.set(project, addColumns(known, added));
  }
};

const projectNumber = (batch: RowBatch, id: string): number => {
  const known = batch.model.projects.get(id) ?? batch.newProjects.get(id);
  if (known !== undefined) return known;
  const number = batch.nextProject;
  batch.nextProject += 1;
  batch.newProjects.set(id, number);
  return number;
};

const addMarker = (batch: RowBatch, id: string): void => {
  if (batch.model.markers.has(id) || batch.newMarkers.has(id)) return;
  batch.newMarkers.add(id);
  batch.newColumns.push({ number: batch.nextColumn, project: null, id });
  batch.nextColumn += 1;
};

const newGroup = (batch: RowBatch, name: StreamName, size: number): number => {
  const grp = batch.model.nextGroup;
  batch.model.nextGroup += 1;
  addRow(batch.groups, [grp, name, size]);
  return grp;
};

const grownGroup = (batch: RowBatch, size: number, known: NamedGroup | undefined): number => {
  if (known === undefined) throw new RangeError('rows added to an unknown group');
  if (size > known.size) batch.grownGroups.push({ grp: known.grp, size });
  return known.grp;
};

const addRecord = (batch: RowBatch, row: RecordRow, grp: number): void => {
  const population = populationOf(row.kind);
  const project = projectNumber(batch, String(row.values['project_id']));
  if (row.ordinal >= ordinalsMax) throw new RangeError(`a group has more than ${ordinalsMax} rows`);
  if ((row.ordinal === 0) !== (population !== 'span'))
    throw new RangeError('ordinal 0 is for sessions and traces, higher ones are for spans');
  const place = { key: grp * ordinalsMax + row.ordinal, grp, project };
  const { misfolded } = batch.model;
  const { metrics, measured, folded, long } = encodeRow(
    batch.records[population],
    row,
    place,
    misfolded,
  );
  for (const id of folded) addMarker(batch, foldedTextMarker(population, id));
  if (population === 'session') addMarker(batch, sessionsMarker);
  if (population === 'trace')
    for (const name of measured) addMarker(batch, measuredMetricMarker(name));
  for (const text of long) addText(batch, population, place, text);
  const columns = batch.projectColumns.get(project)?.numbers ?? noProjectColumns.numbers;
  for (const [name, value] of entriesOutsideFacets(row, columns)) {
    addRow(batch.entries, [place.key, grp, project, entryHash(name, value)]);
  }
  addFacets(row, metrics, (column, { number, boolean, text, cell }) => {
    const col = columns.get(column);
    // Stored with its record, without a column (contract 1.11).
    if (col === undefined) return;
    const head = text === null ? null : headOf(text);
    // Queries read only the beginning of an error's message.
    if (text !== null && head !== text && column.startsWith('metrics/')) {
      addText(batch, population, place, { name: column, text });
    }
    addRow(batch.facets, [
      place.key,
      grp,
      project,
      population,
      col,
      number === null ? null : number + 0,
      boolean,
      head,
      head !== null && misfolded.test(head) ? foldedText(head) : null,
      cell?.rolledUp ?? null,
      cell?.first?.at ?? null,
      cell?.first?.type ?? null,
      cell?.first?.fraction ?? null,
    ]);
  });
};

const addText = (
  batch: RowBatch,
  population: Population,
  { key, grp, project }: RowKey,
  { name, text }: LongText,
): void => {
  const { model, texts } = batch;
  addMarker(batch, longTextMarker(population, name));
  const searched = !unsearchedNames.has(name);
  for (const { start, text: piece } of splitText(text, searched)) {
    const folded = searched && model.misfolded.test(piece) ? foldedText(piece) : null;
    addRow(texts, [key, grp, project, name, start, piece, folded]);
  }
};

type Facet = {
  readonly number: number | null;
  readonly boolean: boolean | null;
  readonly text: string | null;
  readonly cell: MetricCell | null;
};
const nothing: Facet = { number: null, boolean: null, text: null, cell: null };

const addFacets = (
  row: RecordRow,
  metrics: readonly (readonly [string, MetricCell])[],
  add: (column: string, facet: Facet) => void,
): void => {
  for (const [metric, cell] of metrics) {
    const { value, rollUp } = cell;
    const number = typeof value === 'number' ? value : (rollUp ?? null);
    add(`metrics/${metric}`, {
      number,
      boolean: typeof value === 'boolean' ? value : null,
      text: typeof value === 'string' ? value : null,
      cell,
    });
  }
  for (const [key, text] of Object.entries(row.userMetadata)) {
    add(`user_metadata/${key}`, { ...nothing, text });
  }
  for (const [metric, { code, message }] of Object.entries(row.errors)) {
    add(`errors/${metric}`, { ...nothing, number: code, text: message });
  }
};
