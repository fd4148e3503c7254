import { open, mkdir, readFile, rename, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type { Files } from '../../kernel/ports.js';

/**
 * Files on the disk (port Files). A write is atomic and durable: synced, renamed into place, and
 * its folder synced.
 */
export const diskFiles: Files = {
  read: async (path) => {
    try {
      return await readFile(path);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
      throw error;
    }
  },
  write: async (path, bytes) => {
    await makeFolder(dirname(path));
    const beside = `${path}.new`;
    const file = await open(beside, 'w', 0o600);
    try {
      // A file left by a crash may have other permissions.
      await file.chmod(0o600);
      await file.writeFile(bytes);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(beside, path);
    await syncFolder(dirname(path));
  },
};

/**
 * Creates the folder and those above it, for the owner only; each new one is durable in its parent.
 */
export const makeFolder = async (path: string): Promise<void> => {
  const folder = resolve(path);
  if (await isFolder(folder)) return;
  // One by one: `recursive` never ends where a file system refuses folders, as /proc.
  await makeFolder(dirname(folder));
  await mkdir(folder, { mode: 0o700 }).catch(async (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST' || !(await isFolder(folder))) throw error;
  });
  await syncFolder(dirname(folder));
};

const isFolder = (path: string): Promise<boolean> =>
  stat(path).then(
    (found) => found.isDirectory(),
    () => dirname(path) === path,
  );

/** Syncs a folder: renames and removals in it survive a power cut. */
export const syncFolder = async (path: string): Promise<void> => {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
};
