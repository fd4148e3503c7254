import type { DuckDBInstance } from '@duckdb/node-api';
import { openModel, type Model } from './model.js';
import { tableNames } from './schema.js';

/** In the table `deleted`: what was deleted has to leave the file. */
export const purgeKind = 'purge';

/**
 * A new file at `path` with what is alive in `from` and nothing of what was deleted: this engine
 * leaves deleted rows in its blocks, and freed blocks as they were. Nothing may be written to
 * `from` meanwhile.
 */
export const copyAlive = async (
  instance: DuckDBInstance,
  from: Model,
  { catalog, path }: { readonly catalog: string; readonly path: string },
): Promise<Model> => {
  const made = await openModel(instance, catalog, path);
  try {
    await made.connections.write(async ({ rows }) => {
      for (const name of tableNames) {
        await rows(`DELETE FROM ${name}`);
        const kept = name === 'deleted' ? `WHERE kind <> '${purgeKind}'` : '';
        await rows(`INSERT INTO ${name} SELECT * FROM ${from.catalog}.${name} ${kept}`);
      }
    });
  } finally {
    // What is kept of a file in memory is read when it is opened.
    await made.close();
  }
  return openModel(instance, catalog, path);
};

export const wantsPurge = async ({ connections }: Model): Promise<boolean> => {
  const found = await connections.read(({ rows }) =>
    rows(`SELECT 1 FROM deleted WHERE kind = '${purgeKind}' LIMIT 1`),
  );
  return found.length > 0;
};
