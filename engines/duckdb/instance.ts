import { DuckDBInstance } from '@duckdb/node-api';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { flushMarkerPath } from './flush-marker.js';
import { openMemoryLimit } from './memory-limit.js';
import { openModel, type RecordsModel } from './model.js';
import {
  databaseFileName,
  readDurableGeneration,
  readLiveGeneration,
  removeStaleFiles,
} from './generation-files.js';

/** An engine instance with the file that the pointer names. */
export type LiveInstance = { readonly instance: DuckDBInstance; readonly live: RecordsModel };

/**
 * Opens the live file and removes unfinished copies, except a durable one. Throws the engine's
 * error about the file.
 */
export const openLiveInstance = async (dir: string, memoryMb: number): Promise<LiveInstance> => {
  const spill = join(dir, 'records-spill');
  await rm(spill, { recursive: true, force: true });
  const generation = await readLiveGeneration(dir);
  await removeStaleFiles(dir, [generation, await readDurableGeneration(dir)]);
  const instance = await DuckDBInstance.create(':memory:', {
    // See scan-threads.ts.
    threads: '1',
    memory_limit: `${memoryMb}MB`,
    temp_directory: spill,
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
  });
  const memory = openMemoryLimit(instance, memoryMb);
  try {
    const live = await openModelFile(instance, dir, generation);
    await memory.adjust();
    return { instance, live };
  } catch (error) {
    instance.closeSync();
    throw error;
  }
};

export const openModelFile = (
  instance: DuckDBInstance,
  dir: string,
  generation: number,
): Promise<RecordsModel> =>
  openModel(instance, `records_${generation}`, join(dir, databaseFileName(generation)));

export const removeDatabaseFile = async (path: string): Promise<void> => {
  await rm(path, { force: true });
  await rm(`${path}.wal`, { force: true });
  await rm(flushMarkerPath(path), { force: true });
};
