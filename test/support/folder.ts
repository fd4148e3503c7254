import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** An empty temporary folder; `remove` deletes it with its content. */
export const temporaryFolder = async (): Promise<{ dir: string; remove: () => Promise<void> }> => {
  const dir = await mkdtemp(join(tmpdir(), 'assay-'));
  return { dir, remove: () => rm(dir, { recursive: true, force: true }) };
};
