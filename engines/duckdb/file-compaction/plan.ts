import type { DuckDBInstance } from '@duckdb/node-api';
import type { RecordWrites } from '../../../kernel/records/records.js';
import { openModel, type RecordsModel } from '../model.js';
import { liveColumnsSql } from '../project-columns.js';
import { tableNames } from '../schema.js';

/** Kinds of the table `deleted` that mark a pending purge of the file: soon, or later. */
export const purgeKind = 'purge';
export const purgeLaterKind = 'purge_later';
const kinds = `'${purgeKind}', '${purgeLaterKind}'`;

/** True if the batch deletes readable rows. */
export const deletesRows = ({ groups, deletedRuns, deletedProjects }: RecordWrites): boolean =>
  deletedRuns.length > 0 ||
  deletedProjects.length > 0 ||
  groups.some((write) => !write.fresh && write.rows.length === 0);

/**
 * Compaction: copies the live rows of `from` into a new file at `path`, without any deleted data.
 * The engine itself leaves deleted rows in its blocks and freed blocks unwiped. The copy is a
 * snapshot; `from` may be written meanwhile, and the copy's checkpoint names its state. `opened`
 * receives each model, to abandon it on cancellation.
 */
export const copyLiveRows = async (
  instance: DuckDBInstance,
  from: RecordsModel,
  { catalog, path }: { readonly catalog: string; readonly path: string },
  opened: (model: RecordsModel) => void,
): Promise<RecordsModel> => {
  const made = await openModel(instance, catalog, path);
  opened(made);
  await made.connections.write(async ({ rows }) => {
    for (const name of tableNames) {
      await rows(`DELETE FROM ${name}`);
      await rows(`INSERT INTO ${name} ${liveRowsSql(from.catalog, name)}`);
    }
  });
  // In-memory state of a file is read when it is opened. The engine flushes a file that is closed,
  // but reports a failure only here.
  await made.connections.checkpoint();
  await made.close();
  const copy = await openModel(instance, catalog, path);
  opened(copy);
  return copy;
};

const liveRowsSql = (catalog: string, name: string): string => {
  if (name === 'deleted') return `FROM ${catalog}.deleted WHERE kind NOT IN (${kinds})`;
  if (name === 'columns') return liveColumnsSql(catalog);
  return `FROM ${catalog}.${name}`;
};

/** The pending purge; null if the file has nothing but its rows. */
export const pendingPurge = async ({
  connections,
  flush,
}: RecordsModel): Promise<'soon' | 'later' | null> => {
  const found = await connections.read(({ rows }) =>
    rows(`SELECT DISTINCT kind FROM deleted WHERE kind IN (${kinds})`),
  );
  if (found.some(([kind]) => kind === purgeKind)) return 'soon';
  return found.length > 0 || flush.wasCutOff ? 'later' : null;
};
