import { cp, mkdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { temporaryFolder } from './folder.js';
import { pollUntil } from './poll-until.js';

/** Folder of all processes of a run, from test/run.ts; empty where a test file runs alone. */
const runFolder = process.env['ASSAY_TEST_RUN_DIR'] ?? '';
const filledWithinMs = 120_000;

/** A copy of the template `name`, a folder that `fill` fills once for all processes of a run. */
export const copyOfTemplate = async (
  name: string,
  fill: (dir: string) => Promise<void>,
): ReturnType<typeof temporaryFolder> => {
  const folder = await temporaryFolder();
  if (runFolder === '') await fill(folder.dir);
  else await cp(await filledOnce(join(runFolder, name), fill), folder.dir, { recursive: true });
  return folder;
};

/** Fills the folder, or waits until another process has. */
const filledOnce = async (path: string, fill: (dir: string) => Promise<void>): Promise<string> => {
  await pollUntil(`${path} is filled`, filledWithinMs, async () => {
    if (await succeeds(stat(path))) return true;
    if (!(await succeeds(mkdir(`${path}.lock`)))) return false;
    const filling = `${path}.filling`;
    try {
      await mkdir(filling);
      await fill(filling);
      await rename(filling, path);
      return true;
    } catch (error) {
      await rm(filling, { recursive: true, force: true });
      await rm(`${path}.lock`, { recursive: true, force: true });
      throw error;
    }
  });
  return path;
};

const succeeds = (work: Promise<unknown>): Promise<boolean> =>
  work.then(
    () => true,
    () => false,
  );
