import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** An empty folder of its own; `remove` takes it away with all in it. */
export const temporaryFolder = async (): Promise<{ dir: string; remove: () => Promise<void> }> => {
  const dir = await mkdtemp(join(tmpdir(), 'assay-'));
  return { dir, remove: () => rm(dir, { recursive: true, force: true }) };
};
