import { open, readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { schemaVersion } from './schema.js';

const pointerName = 'records.live';

export const fileName = (generation: number): string =>
  `records-v${schemaVersion}-${generation}.duckdb`;
const unversioned = (generation: number): string => `records-${generation}.duckdb`;

/** The generation that is live; the first one in a folder without a pointer. */
export const readPointer = async (dir: string): Promise<number> => {
  try {
    return Number.parseInt(await readFile(join(dir, pointerName), 'utf8'), 10);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return 1;
    throw error;
  }
};

/** After a crash at any moment the pointer is the old or the new one, whole. */
export const writePointer = async (dir: string, generation: number): Promise<void> => {
  const beside = join(dir, `${pointerName}.new`);
  const file = await open(beside, 'w', 0o600);
  try {
    await file.writeFile(`${generation}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(beside, join(dir, pointerName));
  const folder = await open(dir, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
};

/** The live file of a folder from before names had a version in them gets one, whole. */
export const nameByVersion = async (dir: string, generation: number): Promise<void> => {
  const files = await readdir(dir);
  const [old, now] = [unversioned(generation), fileName(generation)];
  if (files.includes(now) || !files.includes(old)) return;
  // The file last: a crash in between leaves an old name, and this is done again.
  if (files.includes(`${old}.wal`)) await rename(join(dir, `${old}.wal`), join(dir, `${now}.wal`));
  await rename(join(dir, old), join(dir, now));
};

/**
 * Files of other versions, and copies that a crash left behind, finished or not, are built again
 * when asked for.
 */
export const removeOthers = async (dir: string, generation: number): Promise<void> => {
  const kept = fileName(generation);
  const left = (await readdir(dir)).filter(
    (name) => /^records-(v\d+-)?\d+\.duckdb/.test(name) && !name.startsWith(kept),
  );
  for (const name of left) await rm(join(dir, name), { force: true });
};
