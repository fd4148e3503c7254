import { copyFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { temporaryFolder } from './folder.js';

/** A copy of the folder as a kill of its process now would leave it: nothing is closed. */
export const copyAsKilled = async (dir: string): Promise<ReturnType<typeof temporaryFolder>> => {
  const killed = await temporaryFolder();
  for (const name of (await readdir(dir)).filter((one) => !one.includes('spill'))) {
    await copyFile(join(dir, name), join(killed.dir, name));
  }
  return killed;
};
