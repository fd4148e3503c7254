import { open, mkdir, readFile, rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Files } from '../../kernel/ports.js';

/** Files on the disk (port Files). A write is synced, renamed into place, and its folder synced: whole or not there. */
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
    const folder = dirname(path);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const beside = `${path}.new`;
    const file = await open(beside, 'w', 0o600);
    try {
      await file.writeFile(bytes);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(beside, path);
    const entry = await open(folder, 'r');
    try {
      await entry.sync();
    } finally {
      await entry.close();
    }
  },
};
