import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Names of the files below the folder that contain the text. */
export const filesContaining = async (dir: string, text: string): Promise<readonly string[]> => {
  const entries = await readdir(dir, { recursive: true, withFileTypes: true });
  const found: string[] = [];
  for (const entry of entries.filter((one) => one.isFile())) {
    // A file may be removed during the scan.
    const bytes = await readFile(join(entry.parentPath, entry.name)).catch(() => Buffer.alloc(0));
    if (bytes.includes(text)) found.push(entry.name);
  }
  return found;
};
