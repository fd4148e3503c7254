import { setImmediate as nextTurn } from 'node:timers/promises';
import type { StreamName } from '../../kernel/ports.js';
import type { GroupWrite, RecordWrites } from '../../kernel/records/records.js';
import type { MetricCell, Population, RecordRow } from '../../kernel/records/record.js';
import { populationOf } from '../../kernel/records/columns.js';
import { namesAdmitted, type NameKind } from '../../kernel/records/column-names.js';
import { addRow, chunksFor, finish, type Chunks } from './chunks.js';
import type { Statements } from './connections.js';
import { entriesApart, storedEntry } from './entries.js';
import { fillRow, foldedText, type LongText, type RowPlace } from './fill.js';
import { headOf, longColumn, piecesOf, outlineName, restName } from './long-text.js';
import type { RecordsModel } from './model.js';
import { namedIn, noNames, withNames } from './named-columns.js';
import type { Named } from './remembered-columns.js';
import type { GroupSize } from './portions.js';
import type { NamedGroup } from './stored-row.js';
import {
  entryColumns,
  facetColumns,
  foldedColumn,
  groupColumns,
  measuredColumn,
  ordinalsMax,
  recordColumns,
  sessionsColumn,
  tableOf,
  textColumns,
} from './schema.js';

/** What one apply adds. New projects and columns reach the model only once they are committed. */
export type RowBatch = {
  readonly model: RecordsModel;
  readonly newProjects: Map<string, number>;
  /** By project: its columns with those that are new. */
  readonly named: Map<number, Named>;
  readonly newColumns: NewColumn[];
  readonly newSeen: Set<string>;
  readonly records: Readonly<Record<Population, Chunks>>;
  readonly facets: Chunks;
  readonly texts: Chunks;
  readonly entries: Chunks;
  readonly groups: Chunks;
  /** Groups that stay in part and have more rows now. */
  readonly grown: GroupSize[];
  nextProject: number;
  nextColumn: number;
};
/** `project` null: something that was seen for the first time. */
type NewColumn = {
  readonly number: number;
  readonly project: number | null;
  readonly id: string;
};

const startBatch = (model: RecordsModel): RowBatch => ({
  model,
  newProjects: new Map(),
  named: new Map(),
  newColumns: [],
  newSeen: new Set(),
  records: {
    session: chunksFor(tableOf.session, recordColumns),
    trace: chunksFor(tableOf.trace, recordColumns),
    span: chunksFor(tableOf.span, recordColumns),
  },
  facets: chunksFor('facets', facetColumns),
  texts: chunksFor('texts', textColumns),
  entries: chunksFor('entries', entryColumns),
  groups: chunksFor('groups', groupColumns),
  grown: [],
  nextProject: model.nextProject,
  nextColumn: model.nextColumn,
});

/**
 * The rows of these writes, but those of deleted runs and projects. `grown`: groups that stay in
 * part.
 */
export const batchOf = async (
  model: RecordsModel,
  statements: Statements,
  writes: RecordWrites,
  grown: readonly NamedGroup[],
): Promise<RowBatch> => {
  const groups = rowsKept(model, writes);
  const named = new Map<number, Named>();
  for (const id of projectsOf(groups)) {
    const number = model.projects.get(id);
    if (number !== undefined) named.set(number, await namedIn(model, statements, number));
  }
  return filledBatch(model, groups, named, grown);
};

/** The same without asking the file anything; null where that is needed. */
export const batchOfKnown = async (
  model: RecordsModel,
  writes: RecordWrites,
): Promise<RowBatch | null> => {
  if (writes.groups.some(({ kept }) => kept !== undefined)) return null;
  const groups = rowsKept(model, writes);
  const named = new Map<number, Named>();
  for (const id of projectsOf(groups)) {
    const number = model.projects.get(id);
    if (number === undefined) continue;
    const known = model.named.get(number);
    if (known === null) return null;
    named.set(number, known);
  }
  return filledBatch(model, groups, named, []);
};

const projectsOf = (groups: readonly Kept[]): ReadonlySet<string> =>
  new Set(groups.flatMap(({ rows }) => rows.map(({ values }) => String(values['project_id']))));

/**
 * Rows that are put together in one turn of the event loop: 2 ms or so. A question takes some five
 * turns and is late by so many slices.
 */
const rowsOfTurn = 25;

/**
 * Its groups have their numbers from here on, whatever becomes of it. Questions to this thread come
 * in between: a trace of 2,000 spans would make them wait for a fifth of a second.
 */
const filledBatch = async (
  model: RecordsModel,
  groups: readonly Kept[],
  named: ReadonlyMap<number, Named>,
  grown: readonly NamedGroup[],
): Promise<RowBatch> => {
  const batch = startBatch(model);
  admitNames(batch, named, groups);
  const byName = new Map(grown.map((group) => [group.name, group]));
  let added = 0;
  for (const { group, rows, kept } of groups) {
    const size = rows.reduce((most, { ordinal }) => Math.max(most, ordinal + 1), 0);
    const grp =
      kept === undefined
        ? newGroup(batch, group, size)
        : grownGroup(batch, size, byName.get(group));
    for (const row of rows) {
      addRecord(batch, row, grp);
      added += 1;
      if (added % rowsOfTurn === 0) await nextTurn();
    }
  }
  return batch;
};

/** Gives the engine all of its rows, which `append` does at last. */
export const finishBatch = ({ records, facets, texts, entries, groups }: RowBatch): void =>
  [...Object.values(records), facets, texts, entries, groups].forEach(finish);

type Kept = Pick<GroupWrite, 'group' | 'rows' | 'kept'>;

const rowsKept = (model: RecordsModel, writes: RecordWrites): readonly Kept[] => {
  // Those of the model are many: too many to copy with each batch.
  const runs = [model.deletedRuns, new Set(writes.deletedRuns)];
  const projects = [model.deletedProjects, new Set(writes.deletedProjects)];
  return writes.groups
    .map(({ group, rows, kept }) => ({
      group,
      ...(kept !== undefined && { kept }),
      rows: rows.filter(
        ({ values: { project_id: project, run_id: run } }) =>
          !projects.some((some) => some.has(String(project))) &&
          !runs.some((some) => some.has(String(run))),
      ),
    }))
    .filter(({ rows }) => rows.length > 0);
};

/** Numbers for the names that become columns, before any row is written by them. */
const admitNames = (
  batch: RowBatch,
  named: ReadonlyMap<number, Named>,
  groups: readonly Kept[],
): void => {
  const byProject = Map.groupBy(
    groups.flatMap(({ rows }) => rows),
    ({ values }) => projectNumber(batch, String(values['project_id'])),
  );
  for (const [project, rows] of byProject) {
    const known = named.get(project) ?? noNames;
    const has = (kind: NameKind, name: string): boolean => known.numbers.has(`${kind}/${name}`);
    const added = namesAdmitted({ has, taken: known.taken }, rows).map(([kind, name]) => ({
      number: batch.nextColumn++,
      project,
      id: `${kind}/${name}`,
    }));
    batch.newColumns.push(...added);
    batch.named.set(project, withNames(known, added));
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

const see = (batch: RowBatch, id: string): void => {
  if (batch.model.seen.has(id) || batch.newSeen.has(id)) return;
  batch.newSeen.add(id);
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
  if (known === undefined) throw new RangeError('no group that rows could be added to');
  if (size > known.size) batch.grown.push({ grp: known.grp, size });
  return known.grp;
};

const addRecord = (batch: RowBatch, row: RecordRow, grp: number): void => {
  const population = populationOf(row.kind);
  const project = projectNumber(batch, String(row.values['project_id']));
  if (row.ordinal >= ordinalsMax) throw new RangeError('too many rows in one group');
  if ((row.ordinal === 0) !== (population !== 'span')) throw new RangeError('not its place');
  const place = { key: grp * ordinalsMax + row.ordinal, grp, project };
  const { misfolded } = batch.model;
  const { metrics, measured, folded, long } = fillRow(
    batch.records[population],
    row,
    place,
    misfolded,
  );
  for (const id of folded) see(batch, foldedColumn(population, id));
  if (population === 'session') see(batch, sessionsColumn);
  if (population === 'trace') for (const name of measured) see(batch, measuredColumn(name));
  for (const text of long) addText(batch, population, place, text);
  const columns = batch.named.get(project)?.numbers ?? noNames.numbers;
  for (const [name, value] of entriesApart(row, columns)) {
    addRow(batch.entries, [place.key, grp, project, storedEntry(name, value)]);
  }
  addFacets(row, metrics, (column, { number, boolean, text, cell }) => {
    const col = columns.get(column);
    // Stored with its record and no column (contract 1.11).
    if (col === undefined) return;
    const head = text === null ? null : headOf(text);
    // Of the message of an error nothing but its beginning is asked for.
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
  { key, grp, project }: RowPlace,
  { name, text }: LongText,
): void => {
  const { model, texts } = batch;
  see(batch, longColumn(population, name));
  const searched = name !== restName && name !== outlineName;
  for (const { start, text: piece } of piecesOf(text, searched)) {
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
