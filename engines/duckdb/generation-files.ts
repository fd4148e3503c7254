import { open, readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { schemaVersion } from './schema.js';

const pointerName = 'records.live';
const lastingName = 'records.lasting';

export const databaseFileName = (generation: number): string =>
  `records-v${schemaVersion}-${generation}.duckdb`;
const legacyFileName = (generation: number): string => `records-${generation}.duckdb`;

/** The generation that is live; the first one in a folder without a pointer. */
export const readLiveGeneration = async (dir: string): Promise<number> =>
  (await readNumber(dir, pointerName)) ?? 1;

/** The generation of the lasting copy; null too when a crash let it become the live one. */
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
    // What is no number is lost, and the file it named with it.
    return Number.isNaN(number) ? null : number;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
};

/** After a crash at any moment the number is the old or the new one, whole. */
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

/** The live file of a folder from before names had a version in them gets one, whole. */
export const migrateFileName = async (dir: string, generation: number): Promise<void> => {
  const files = await readdir(dir);
  const [old, now] = [legacyFileName(generation), databaseFileName(generation)];
  if (files.includes(now) || !files.includes(old)) return;
  // The file last: a crash in between leaves an old name, and this is done again.
  if (files.includes(`${old}.wal`)) await rename(join(dir, `${old}.wal`), join(dir, `${now}.wal`));
  await rename(join(dir, old), join(dir, now));
};

/**
 * Files of other versions, and copies that a crash left behind, finished or not, are built again
 * when asked for; a lasting one is gone on with.
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
