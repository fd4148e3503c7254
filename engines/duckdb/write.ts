import { Fault } from '../../kernel/fault.js';
import type { StreamName } from '../../kernel/ports.js';
import { checkPlace, type Checkpoint } from '../../kernel/documents.js';
import type { RecordWrites } from '../../kernel/records/records.js';
import { populationOf } from '../../kernel/records/columns.js';
import type { Population } from '../../kernel/records/record.js';
import { takePrepared } from './ahead.js';
import { batchOf, type RowBatch } from './batch.js';
import { addRow, append, chunksFor } from './chunks.js';
import type { Statements } from './connections.js';
import type { RecordsModel } from './model.js';
import {
  columnColumns,
  ordinalsMax,
  populations,
  projectColumns,
  storedId,
  tableOf,
  tablesOfGroups,
  tablesOfRecords,
} from './schema.js';
import { forgets, purgeKind, purgeLaterKind } from './purge.js';
import { integers, uuidConstant } from './sql.js';
import { keysOf } from './portions.js';
import { groupsNamed, type NamedGroup } from './stored-row.js';

/**
 * One transaction: rows out, rows in, deletions, checkpoint. See `Records.apply` for what repeats
 * and old fences do.
 */
export const applyWrites = async (
  model: RecordsModel,
  writes: RecordWrites,
  checkpoint: Checkpoint,
): Promise<void> => {
  let handOver = (_holds: boolean): void => undefined;
  model.handedOver = new Promise((resolve) => {
    handOver = resolve;
  });
  const writing = model.connections.write(async (statements) => {
    const { fence, position } = model.checkpoint;
    if (checkpoint.fence < fence) throw new Fault('conflict', 'A newer projector has taken over');
    checkPlace(checkpoint, position);
    if (checkpoint.position < position) return null;
    if (checkpoint.position === position && checkpoint.fence === fence) return null;
    const replaced = writes.groups.filter(({ fresh, kept }) => !fresh && kept === undefined);
    const emptied = await runsEmptied(statements, writes);
    await removeGroups(
      statements,
      replaced.map(({ group }) => group),
    );
    const grown = await removeChanged(statements, writes);
    const batch = takePrepared(model, writes) ?? (await batchOf(model, statements, writes, grown));
    await appendBatch(statements, batch);
    await growGroups(statements, batch);
    await removeDeleted(statements, writes, model);
    const at = checkedPosition(checkpoint);
    const under = integers([checkpoint.fence]);
    await statements.rows(`UPDATE mark SET position = '${at}', fence = ${under}`);
    handOver(!changesOthers(batch, writes));
    return { ...batch, emptied };
  });
  const after = await writing.finally(() => handOver(false));
  if (after === null) return;
  noteChanges(model, writes, after.emptied);
  if (changesOthers(after, writes)) model.changes += 1;
  for (const [id, number] of after.newProjects) model.projects.set(id, number);
  for (const id of after.newSeen) model.seen.add(id);
  for (const [project, named] of after.named) model.named.set(project, named);
  for (const run of writes.deletedRuns) model.deletedRuns.add(run);
  for (const id of writes.deletedProjects) forgetProject(model, id);
  model.nextProject = after.nextProject;
  model.nextColumn = after.nextColumn;
  model.checkpoint = checkpoint;
  await model.grew(writes.groups.reduce((sum, { rows }) => sum + rows.length, 0));
};

/** Rows that were put together before it may be wrong after it. */
const changesOthers = (
  { newProjects, newColumns }: Pick<RowBatch, 'newProjects' | 'newColumns'>,
  { deletedRuns, deletedProjects }: RecordWrites,
): boolean =>
  newProjects.size + newColumns.length + deletedRuns.length + deletedProjects.length > 0;

const forgetProject = (model: RecordsModel, id: string): void => {
  model.deletedProjects.add(id);
  const number = model.projects.get(id);
  if (number !== undefined) model.named.delete(number);
  model.projects.delete(id);
  model.types.delete(id);
};

const checkedPosition = ({ position }: Checkpoint): string => {
  if (!/^[0-9a-f]{16}$/.test(position)) throw new TypeError('not a position');
  return position;
};

const appendBatch = async ({ connection }: Statements, batch: RowBatch): Promise<void> => {
  const projects = chunksFor('projects', projectColumns);
  for (const [id, number] of batch.newProjects) addRow(projects, [number, storedId(id)]);
  const columns = chunksFor('columns', columnColumns);
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
  for (const chunks of all) await append(connection, chunks);
};

const growGroups = async ({ rows }: Statements, { grown }: RowBatch): Promise<void> => {
  if (grown.length === 0) return;
  const sizes = grown.map(({ grp, size }) => `(${integers([grp, size])})`).join(', ');
  await rows(
    `UPDATE groups SET size = bigger.size FROM (VALUES ${sizes}) bigger (grp, size)
     WHERE groups.grp = bigger.grp`,
  );
};

type Written = { readonly project: number; readonly run: string };

const noteChanges = (
  model: RecordsModel,
  { groups }: RecordWrites,
  emptied: readonly Written[],
): void => {
  for (const { rows } of groups) {
    const [first] = rows;
    if (first === undefined) continue;
    const { project_id: project, run_id: run } = first.values;
    model.changedRuns.note(String(project), String(run));
  }
  if (emptied.length === 0) return;
  const projects = new Map([...model.projects].map(([id, number]) => [number, id]));
  for (const { project, run } of emptied) {
    model.changedRuns.note(projects.get(project) ?? '', run);
  }
};

/** Runs of the traces that go without anything in their place. */
const runsEmptied = async (
  statements: Statements,
  { groups }: RecordWrites,
): Promise<readonly Written[]> => {
  const gone = groups.filter(({ fresh, rows }) => !fresh && rows.length === 0);
  const keys = (
    await groupsNamed(
      statements,
      gone.map(({ group }) => group),
    )
  ).flatMap(keysOf('trace'));
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
  const groups = await groupsNamed(statements, names);
  if (groups.length === 0) return;
  for (const population of populations) {
    const keys = groups.flatMap(keysOf(population));
    if (keys.length === 0) continue;
    await statements.rows(`DELETE FROM ${tableOf[population]} WHERE key IN (${keys.join(', ')})`);
  }
  const numbers = integers(groups.map(({ grp }) => grp));
  for (const table of tablesOfGroups) {
    await statements.rows(`DELETE FROM ${table} WHERE grp IN (${numbers})`);
  }
};

/**
 * Takes out the rows of groups that stay in part, so that others can take their places. Answers
 * those groups as they are found.
 */
const removeChanged = async (
  statements: Statements,
  writes: RecordWrites,
): Promise<readonly NamedGroup[]> => {
  const changed = writes.groups.filter(({ kept }) => kept !== undefined);
  const groups = await groupsNamed(
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
    ...(numbers.length > 0 ? [`project IN (${integers(numbers)})`] : []),
  ];
  const condition = conditions.join(' OR ');
  const tables = populations.map((population) => tableOf[population]);
  const leaving = tables.map((table) => `SELECT grp FROM ${table} WHERE ${condition}`);
  // Most runs that go have no records, or had theirs taken out before.
  const some = condition === '' ? [] : await rows(`${leaving.join(' UNION ALL ')} LIMIT 1`);
  if (some.length > 0) {
    // All rows of a group are of one run, so what belongs to groups goes first, while the rows
    // still name them.
    for (const table of tablesOfGroups) {
      await rows(`DELETE FROM ${table} WHERE grp IN (${leaving.join(' UNION ')})`);
    }
    for (const table of tables) await rows(`DELETE FROM ${table} WHERE ${condition}`);
  }
  if (numbers.length > 0) {
    await rows(`DELETE FROM columns WHERE project IN (${integers(numbers)})`);
    await rows(`DELETE FROM projects WHERE number IN (${integers(numbers)})`);
  }
  const remember = (kind: string, ids: readonly string[]) =>
    ids.map((id) => `INSERT INTO deleted VALUES ('${kind}', ${uuidConstant(id)})`);
  const rememberOnce = (kind: string): string =>
    `INSERT INTO deleted SELECT '${kind}', ${uuidConstant(nobody)}
     WHERE NOT EXISTS (FROM deleted WHERE kind = '${kind}')`;
  const statementsToRun = [
    ...remember('run', deletedRuns),
    ...remember('project', deletedProjects),
    ...(purge ? [rememberOnce(purgeKind)] : []),
    ...(forgets(writes) ? [rememberOnce(purgeLaterKind)] : []),
  ];
  for (const sql of statementsToRun) await rows(sql);
};

/** The table asks for an id; a purge has none. */
const nobody = '00000000-0000-0000-0000-000000000000';
