import type { DuckDBInstance } from '@duckdb/node-api';
import type { RecordWrites } from '../../../kernel/records/records.js';
import { openModel, type RecordsModel } from '../model.js';
import { liveColumnsSql } from '../project-columns.js';
import { tableNames } from '../schema.js';

/** In the table `deleted`: what was deleted has to leave the file, at once or by and by. */
export const purgeKind = 'purge';
export const purgeLaterKind = 'purge_later';
const kinds = `'${purgeKind}', '${purgeLaterKind}'`;

/** Whether rows that were readable are deleted. */
export const deletesRows = ({ groups, deletedRuns, deletedProjects }: RecordWrites): boolean =>
  deletedRuns.length > 0 ||
  deletedProjects.length > 0 ||
  groups.some(({ fresh, rows }) => !fresh && rows.length === 0);

/**
 * A new file at `path` with what is alive in `from` and nothing of what was deleted: this engine
 * leaves deleted rows in its blocks, and freed blocks as they were. It has the state of one moment
 * of `from`, which may be written to meanwhile: its checkpoint says which. `opened` hears of each
 * model that there is, to abandon it when it is given up.
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
  // What is kept of a file in memory is read when it is opened.
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

/** Null: nothing was deleted since the file was begun. */
export const pendingPurge = async ({
  connections,
}: RecordsModel): Promise<'soon' | 'later' | null> => {
  const found = await connections.read(({ rows }) =>
    rows(`SELECT DISTINCT kind FROM deleted WHERE kind IN (${kinds})`),
  );
  if (found.some(([kind]) => kind === purgeKind)) return 'soon';
  return found.length > 0 ? 'later' : null;
};
