import { Fault } from '../../kernel/fault.js';
import type { StreamName } from '../../kernel/ports.js';
import { checkBasePosition, type Checkpoint } from '../../kernel/documents.js';
import type { RecordWrites } from '../../kernel/records/records.js';
import { populationOf } from '../../kernel/records/columns.js';
import type { Population } from '../../kernel/records/record.js';
import { takePrefetched } from './batch-prefetch.js';
import { buildBatch } from './build-batch.js';
import type { RowBatch } from './row-batch.js';
import { addRow, appendChunks, openChunkBuffer } from './chunk-buffer.js';
import type { Statements } from './connections.js';
import type { RecordsModel } from './model.js';
import {
  columnColumns,
  ordinalsMax,
  populations,
  projectColumns,
  checkedUuid,
  tableOf,
  tablesOfGroups,
  tablesOfRecords,
} from './schema.js';
import { deletesRows, purgeKind, purgeLaterKind } from './file-compaction/plan.js';
import { integerList, uuidConstant } from './sql.js';
import { recordKeys } from './record-sizes.js';
import { groupsByName, type NamedGroup } from './row-decoding.js';

/**
 * Applies a batch in one transaction: removes replaced rows, appends rows, deletes, moves the
 * checkpoint. Repeats and older fencing tokens: see `Checkpoint`. Flushes first if that is due.
 */
export const applyWrites = async (
  model: RecordsModel,
  writes: RecordWrites,
  checkpoint: Checkpoint,
): Promise<void> => {
  await model.flush.runIfDue();
  let settlePrefetch = (_holds: boolean): void => undefined;
  model.rowsAppended = new Promise((resolve) => {
    settlePrefetch = resolve;
  });
  const writing = model.connections.write(async (statements) => {
    const { fence, position } = model.checkpoint;
    if (checkpoint.fence < fence) throw new Fault('conflict', 'A newer projector has taken over');
    checkBasePosition(checkpoint, position);
    if (checkpoint.position < position) return null;
    if (checkpoint.position === position && checkpoint.fence === fence) return null;
    const replaced = writes.groups.filter(({ fresh, partial }) => !fresh && partial === undefined);
    const emptied = await readEmptiedRuns(statements, writes);
    await removeGroups(
      statements,
      replaced.map(({ group }) => group),
    );
    const grown = await removeChanged(statements, writes);
    const batch =
      takePrefetched(model, writes) ?? (await buildBatch(model, statements, writes, grown));
    await appendBatch(statements, batch);
    await growGroups(statements, batch);
    await removeDeleted(statements, writes, model);
    const at = checkedPosition(checkpoint);
    const under = integerList([checkpoint.fence]);
    await statements.rows(`UPDATE mark SET position = '${at}', fence = ${under}`);
    settlePrefetch(!invalidatesPrefetched(batch, writes));
    return { ...batch, emptied };
  });
  const after = await writing.finally(() => settlePrefetch(false));
  if (after === null) return;
  recordChangedRuns(model, writes, after.emptied);
  if (invalidatesPrefetched(after, writes)) model.invalidations += 1;
  for (const [id, number] of after.newProjects) model.projects.set(id, number);
  for (const id of after.newMarkers) model.markers.add(id);
  for (const [project, named] of after.projectColumns) model.columnCache.set(project, named);
  for (const run of writes.deletedRuns) model.deletedRuns.add(run);
  for (const id of writes.deletedProjects) forgetProject(model, id);
  model.nextProject = after.nextProject;
  model.nextColumn = after.nextColumn;
  model.checkpoint = checkpoint;
  const sizes = writes.groups.map((write) => write.columns?.size ?? write.rows.length);
  await model.recordGrowth(sizes.reduce((sum, size) => sum + size, 0));
};

/** True if rows of a batch prepared before this one may be wrong after it. */
const invalidatesPrefetched = (
  { newProjects, newColumns }: Pick<RowBatch, 'newProjects' | 'newColumns'>,
  { deletedRuns, deletedProjects }: RecordWrites,
): boolean =>
  newProjects.size + newColumns.length + deletedRuns.length + deletedProjects.length > 0;

const forgetProject = (model: RecordsModel, id: string): void => {
  model.deletedProjects.add(id);
  const number = model.projects.get(id);
  if (number !== undefined) model.columnCache.delete(number);
  model.projects.delete(id);
  model.metricTypes.delete(id);
};

const checkedPosition = ({ position }: Checkpoint): string => {
  if (!/^[0-9a-f]{16}$/.test(position)) throw new TypeError('not a position');
  return position;
};

const appendBatch = async ({ connection }: Statements, batch: RowBatch): Promise<void> => {
  const projects = openChunkBuffer('projects', projectColumns);
  for (const [id, number] of batch.newProjects) addRow(projects, [number, checkedUuid(id)]);
  const columns = openChunkBuffer('columns', columnColumns);
  for (const { number, project, id } of batch.newColumns) addRow(columns, [number, project, id]);
  const { session, trace, span } = batch.records;
  const all = [
    session,
    trace,
    span,
    batch.facets,
    batch.texts,
    batch.entries,
    batch.groups,
    projects,
    columns,
  ];
  for (const chunks of all) await appendChunks(connection, chunks);
};

const growGroups = async ({ rows }: Statements, { grownGroups }: RowBatch): Promise<void> => {
  if (grownGroups.length === 0) return;
  const sizes = grownGroups.map(({ grp, size }) => `(${integerList([grp, size])})`).join(', ');
  await rows(
    `UPDATE groups SET size = bigger.size FROM (VALUES ${sizes}) bigger (grp, size)
     WHERE groups.grp = bigger.grp`,
  );
};

type ChangedRun = { readonly project: number; readonly run: string };

const recordChangedRuns = (
  model: RecordsModel,
  { groups }: RecordWrites,
  emptied: readonly ChangedRun[],
): void => {
  for (const write of groups) {
    const { columns } = write;
    const values = columns === undefined ? write.rows[0]?.values : null;
    const project = columns?.projectId ?? values?.['project_id'];
    const run = columns?.runId ?? values?.['run_id'];
    if (run !== undefined) model.changedRuns.record(String(project), String(run));
  }
  if (emptied.length === 0) return;
  const projects = new Map([...model.projects].map(([id, number]) => [number, id]));
  for (const { project, run } of emptied) {
    model.changedRuns.record(projects.get(project) ?? '', run);
  }
};

/** Runs of the removed traces that get no replacement rows. */
const readEmptiedRuns = async (
  statements: Statements,
  { groups }: RecordWrites,
): Promise<readonly ChangedRun[]> => {
  const gone = groups.filter((write) => !write.fresh && write.rows.length === 0);
  const keys = (
    await groupsByName(
      statements,
      gone.map(({ group }) => group),
    )
  ).flatMap(recordKeys('trace'));
  if (keys.length === 0) return [];
  const runs = await statements.rows(
    `SELECT DISTINCT project, run_id FROM traces WHERE key IN (${keys.join(', ')})`,
  );
  return runs.map(([project, run]) => ({ project: Number(project), run: String(run) }));
};

const removeGroups = async (
  statements: Statements,
  names: readonly StreamName[],
): Promise<void> => {
  const groups = await groupsByName(statements, names);
  if (groups.length === 0) return;
  for (const population of populations) {
    const keys = groups.flatMap(recordKeys(population));
    if (keys.length === 0) continue;
    await statements.rows(`DELETE FROM ${tableOf[population]} WHERE key IN (${keys.join(', ')})`);
  }
  const numbers = integerList(groups.map(({ grp }) => grp));
  for (const table of tablesOfGroups) {
    await statements.rows(`DELETE FROM ${table} WHERE grp IN (${numbers})`);
  }
};

/**
 * Deletes the changed rows of groups with a partial write, so that the new ones can take their
 * keys. Returns those groups as stored.
 */
const removeChanged = async (
  statements: Statements,
  writes: RecordWrites,
): Promise<readonly NamedGroup[]> => {
  const changed = writes.groups.filter(({ partial }) => partial !== undefined);
  const groups = await groupsByName(
    statements,
    changed.map(({ group }) => group),
  );
  const byName = new Map(groups.map((group) => [group.name, group]));
  const keys = new Map<Population, bigint[]>(populations.map((one) => [one, []]));
  for (const { group: name, rows } of changed) {
    const group = byName.get(name);
    for (const { kind, ordinal } of group === undefined ? [] : rows) {
      if (ordinal < (group?.size ?? 0)) {
        keys.get(populationOf(kind))?.push(BigInt((group?.grp ?? 0) * ordinalsMax + ordinal));
      }
    }
  }
  for (const [population, some] of keys) {
    if (some.length === 0) continue;
    const list = some.join(', ');
    await statements.rows(`DELETE FROM ${tableOf[population]} WHERE key IN (${list})`);
    for (const table of tablesOfRecords) {
      await statements.rows(`DELETE FROM ${table} WHERE key IN (${list})`);
    }
  }
  return groups;
};

const removeDeleted = async (
  { rows }: Statements,
  writes: RecordWrites,
  model: RecordsModel,
): Promise<void> => {
  const { deletedRuns, deletedProjects, purge = false } = writes;
  const numbers = deletedProjects.flatMap((id) => model.projects.get(id) ?? []);
  const conditions = [
    ...(deletedRuns.length > 0 ? [`run_id IN (${deletedRuns.map(uuidConstant).join(', ')})`] : []),
    ...(numbers.length > 0 ? [`project IN (${integerList(numbers)})`] : []),
  ];
  const condition = conditions.join(' OR ');
  const tables = populations.map((population) => tableOf[population]);
  const leaving = tables.map((table) => `SELECT grp FROM ${table} WHERE ${condition}`);
  // Most deleted runs have no records, or had them removed before.
  const some = condition === '' ? [] : await rows(`${leaving.join(' UNION ALL ')} LIMIT 1`);
  if (some.length > 0) {
    // All rows of a group are of one run, so tables of groups go first, while the rows still name
    // the groups.
    for (const table of tablesOfGroups) {
      await rows(`DELETE FROM ${table} WHERE grp IN (${leaving.join(' UNION ')})`);
    }
    for (const table of tables) await rows(`DELETE FROM ${table} WHERE ${condition}`);
  }
  if (numbers.length > 0) {
    await rows(`DELETE FROM columns WHERE project IN (${integerList(numbers)})`);
    await rows(`DELETE FROM projects WHERE number IN (${integerList(numbers)})`);
  }
  const remember = (kind: string, ids: readonly string[]) =>
    ids.map((id) => `INSERT INTO deleted VALUES ('${kind}', ${uuidConstant(id)})`);
  const rememberOnce = (kind: string): string =>
    `INSERT INTO deleted SELECT '${kind}', ${uuidConstant(nilUuid)}
     WHERE NOT EXISTS (FROM deleted WHERE kind = '${kind}')`;
  const statementsToRun = [
    ...remember('run', deletedRuns),
    ...remember('project', deletedProjects),
    ...(purge ? [rememberOnce(purgeKind)] : []),
    ...(deletesRows(writes) ? [rememberOnce(purgeLaterKind)] : []),
  ];
  for (const sql of statementsToRun) await rows(sql);
};

/** Id of a purge row: the table requires an id. */
const nilUuid = '00000000-0000-0000-0000-000000000000';
