import { open, mkdir, readFile, rename, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type { Files } from '../../kernel/ports.js';

/**
 * Files on the disk (port Files). A write is synced, renamed into place, and its folder synced:
 * whole or not there.
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
      // What a crash left behind may have other rights.
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
 * The folder and those above it, for the owner only; each new one is durable in the one that holds
 * it.
 */
export const makeFolder = async (path: string): Promise<void> => {
  const folder = resolve(path);
  if (await isFolder(folder)) return;
  // One by one: `recursive` never ends where a file system makes no folders, as /proc.
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

/** What was renamed or removed in it stays so when the power is cut. */
export const syncFolder = async (path: string): Promise<void> => {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
};
