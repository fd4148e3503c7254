import { open, readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { schemaVersion } from './schema.js';

const pointerName = 'records.live';
const lastingName = 'records.lasting';

export const databaseFileName = (generation: number): string =>
  `records-v${schemaVersion}-${generation}.duckdb`;

/** The live generation; 1 in a folder without a pointer. */
export const readLiveGeneration = async (dir: string): Promise<number> =>
  (await readNumber(dir, pointerName)) ?? 1;

/** The generation of the durable copy; null also after a crash that already made it live. */
export const readDurableGeneration = async (dir: string): Promise<number | null> => {
  const lasting = await readNumber(dir, lastingName);
  return lasting === (await readLiveGeneration(dir)) ? null : lasting;
};

export const writeLiveGeneration = (dir: string, generation: number): Promise<void> =>
  writeNumber(dir, pointerName, generation);

export const writeDurableGeneration = (dir: string, generation: number): Promise<void> =>
  writeNumber(dir, lastingName, generation);

export const clearDurableGeneration = (dir: string): Promise<void> =>
  rm(join(dir, lastingName), { force: true });

const readNumber = async (dir: string, name: string): Promise<number | null> => {
  try {
    const number = Number.parseInt(await readFile(join(dir, name), 'utf8'), 10);
    // An unreadable number is lost, and the file it named with it.
    return Number.isNaN(number) ? null : number;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
};

/** Writes the number atomically: after a crash it is the old or the new one. */
const writeNumber = async (dir: string, name: string, generation: number): Promise<void> => {
  const beside = join(dir, `${name}.new`);
  const file = await open(beside, 'w', 0o600);
  try {
    await file.writeFile(`${generation}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(beside, join(dir, name));
  const folder = await open(dir, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
};

/**
 * Removes files of other versions and unfinished copies, which are rebuilt on demand; keeps the
 * durable copy.
 */
export const removeStaleFiles = async (
  dir: string,
  generations: readonly (number | null)[],
): Promise<void> => {
  const kept = generations.flatMap((one) => (one === null ? [] : [databaseFileName(one)]));
  const left = (await readdir(dir)).filter(
    (name) =>
      /^records-(v\d+-)?\d+\.duckdb/.test(name) && !kept.some((one) => name.startsWith(one)),
  );
  for (const name of left) await rm(join(dir, name), { force: true });
};
