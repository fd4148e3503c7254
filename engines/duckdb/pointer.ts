import { open, readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';

const pointerName = 'records.live';

export const fileName = (generation: number): string => `records-${generation}.duckdb`;

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

/** Copies that a crash left behind, finished or not, are built again when asked for. */
export const removeOthers = async (dir: string, generation: number): Promise<void> => {
  const kept = fileName(generation);
  const left = (await readdir(dir)).filter(
    (name) => /^records-\d+\.duckdb/.test(name) && !name.startsWith(kept),
  );
  for (const name of left) await rm(join(dir, name), { force: true });
};
