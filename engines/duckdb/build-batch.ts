import { setImmediate as nextTurn } from 'node:timers/promises';
import type { StreamName } from '../../kernel/ports.js';
import {
  admitColumnNames,
  forEachColumnName,
  type ColumnNameKind,
} from '../../kernel/records/column-names.js';
import { cellsOfRow } from '../../kernel/records/record-cells.js';
import type { RecordRow } from '../../kernel/records/record.js';
import type { GroupWrite, RecordWrites, TraceColumns } from '../../kernel/records/records.js';
import { addRow } from './chunk-buffer.js';
import type { ProjectColumns } from './column-cache.js';
import type { Statements } from './connections.js';
import type { RecordsModel } from './model.js';
import { addColumns, loadProjectColumns, noProjectColumns } from './project-columns.js';
import { putRecord } from './put-record.js';
import { openRowBatch, projectNumber, type RowBatch } from './row-batch.js';
import type { NamedGroup } from './row-decoding.js';

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
  const groups = liveGroups(model, writes);
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
  const groups = liveGroups(model, writes);
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
  new Set(groups.map(({ columns }) => columns.projectId));

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
  const batch = openRowBatch(model);
  admitNames(batch, named, groups);
  const byName = new Map(grown.map((group) => [group.name, group]));
  let added = 0;
  for (const { group, columns, partial } of groups) {
    const grp =
      partial === undefined
        ? newGroup(batch, group, columns.size)
        : grownGroup(batch, columns.size, byName.get(group));
    const project = projectNumber(batch, columns.projectId);
    for (const record of columns.records()) {
      putRecord(batch, record, { grp, project });
      added += 1;
      if (added % rowsPerTick === 0) await nextTurn();
    }
  }
  return batch;
};

type LiveGroup = Pick<GroupWrite, 'group' | 'partial'> & { readonly columns: TraceColumns };

/** Groups with rows, none of them of a deleted run or project. */
const liveGroups = (model: RecordsModel, writes: RecordWrites): readonly LiveGroup[] => {
  // The model's sets are too large to copy per batch.
  const runs = [model.deletedRuns, new Set(writes.deletedRuns)];
  const projects = [model.deletedProjects, new Set(writes.deletedProjects)];
  return writes.groups.flatMap((write) => {
    const columns = write.columns ?? columnsOfRows(write.rows);
    if (columns === null) return [];
    const { projectId, runId } = columns;
    if (projects.some((some) => some.has(projectId)) || runs.some((some) => some.has(runId)))
      return [];
    const { group, partial } = write;
    return [{ group, columns, ...(partial !== undefined && { partial }) }];
  });
};

/** Rows of a group, which are all of one run, as columns; null: there are none. */
const columnsOfRows = (rows: readonly RecordRow[]): TraceColumns | null => {
  const [first] = rows;
  if (first === undefined) return null;
  return {
    projectId: String(first.values['project_id']),
    runId: String(first.values['run_id']),
    size: rows.reduce((most, { ordinal }) => Math.max(most, ordinal + 1), 0),
    forEachName: (add) => {
      for (const row of rows) forEachColumnName(row, add);
    },
    records: () => rows.values().map(cellsOfRow),
  };
};

/** Assigns numbers to new columns before any row uses them. */
const admitNames = (
  batch: RowBatch,
  named: ReadonlyMap<number, ProjectColumns>,
  groups: readonly LiveGroup[],
): void => {
  const byProject = Map.groupBy(groups, ({ columns }) => projectNumber(batch, columns.projectId));
  for (const [project, some] of byProject) {
    const known = named.get(project) ?? noProjectColumns;
    const has = (kind: ColumnNameKind, name: string): boolean =>
      known.numbers.has(`${kind}/${name}`);
    const names = admitColumnNames({ has, counts: known.counts }, (add) => {
      for (const { columns } of some) columns.forEachName(add);
    });
    const added = names.map(([kind, name]) => ({
      number: batch.nextColumn++,
      project,
      id: `${kind}/${name}`,
    }));
    batch.newColumns.push(...added);
    batch.projectColumns.set(project, addColumns(known, added));
  }
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
