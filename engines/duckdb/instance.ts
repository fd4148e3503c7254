import { DuckDBInstance } from '@duckdb/node-api';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { giveMemory } from './memory.js';
import { openModel, type RecordsModel } from './model.js';
import { fileName, nameByVersion, readLasting, readPointer, removeOthers } from './pointer.js';

// A checkpoint writes the last, half-filled row group of each table again, so it should come
// seldom; an opening after a crash reads up to this much.
const checkpointThreshold = '48MB';

/** An engine with the file that the pointer names. */
export type Opened = { readonly instance: DuckDBInstance; readonly live: RecordsModel };

/**
 * Copies that were being built are gone then, but for a lasting one. Throws what the engine says
 * against the file.
 */
export const openLive = async (dir: string, memoryMb: number): Promise<Opened> => {
  const spill = join(dir, 'records-spill');
  await rm(spill, { recursive: true, force: true });
  const generation = await readPointer(dir);
  await nameByVersion(dir, generation);
  await removeOthers(dir, [generation, await readLasting(dir)]);
  const instance = await DuckDBInstance.create(':memory:', {
    // See threads.ts.
    threads: '1',
    memory_limit: `${memoryMb}MB`,
    temp_directory: spill,
    checkpoint_threshold: checkpointThreshold,
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
  });
  const memory = giveMemory(instance, memoryMb);
  try {
    const live = await openIn(instance, dir, generation);
    await memory.fit();
    return { instance, live };
  } catch (error) {
    instance.closeSync();
    throw error;
  }
};

export const openIn = (
  instance: DuckDBInstance,
  dir: string,
  generation: number,
): Promise<RecordsModel> =>
  openModel(instance, `records_${generation}`, join(dir, fileName(generation)));

export const removeFile = async (path: string): Promise<void> => {
  await rm(path, { force: true });
  await rm(`${path}.wal`, { force: true });
};
