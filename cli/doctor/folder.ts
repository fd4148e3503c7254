import { access, constants, readdir, stat, statfs } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Config } from '../../config.js';
import { halfRestored, hasLog } from '../../engines/open.js';
import { findLostLog } from '../../engines/sqlite/lost-log.js';
import { bad, good, warning, type Finding } from './finding.js';
import { keyFindings } from './keys.js';

/** Checks the folder itself, its permissions, its volume and its key. */
export const folderFindings = async (config: Config): Promise<readonly Finding[]> => {
  const dir = resolve(config.dataDir);
  const found = await stat(dir).catch(() => null);
  if (found === null) {
    return [bad('folder', `${dir} is not there`, 'set ASSAY_DATA_DIR to the service’s folder')];
  }
  if (!found.isDirectory()) {
    return [bad('folder', `${dir} is a file`, 'set ASSAY_DATA_DIR to a folder')];
  }
  return [
    folderFinding(config, dir),
    await permissionsFinding(dir),
    await diskFinding(dir),
    ...(await keyFindings(config, dir)),
  ];
};

const folderFinding = ({ eventStoreUrl }: Config, dir: string): Finding => {
  if (eventStoreUrl !== null) return good('folder', dir);
  const lost = findLostLog(dir) ?? halfRestored(dir);
  if (lost !== null) return bad('folder', lost.found, lost.toDo);
  if (hasLog(dir)) return good('folder', dir);
  return bad('folder', `${dir} has no log`, 'set ASSAY_DATA_DIR to the service’s, or restore one');
};

/**
 * Checks that other users cannot read the files, and that the service's account can read and write
 * them.
 */
const permissionsFinding = async (dir: string): Promise<Finding> => {
  const names = ['', ...(await readdir(dir).catch(() => []))];
  const open: string[] = [];
  const closed: string[] = [];
  for (const name of names) {
    const path = join(dir, name);
    const found = await stat(path).catch(() => null);
    if (found === null) continue;
    if ((found.mode & 0o077) !== 0) open.push(path);
    const mode = constants.R_OK | constants.W_OK;
    await access(path, mode).catch(() => closed.push(path));
  }
  const [first] = closed;
  if (first !== undefined) {
    return bad(
      'permissions',
      `${first} cannot be read and written`,
      `chown it to the service’s account`,
    );
  }
  const [other] = open;
  if (other !== undefined) {
    return warning('permissions', `others may read ${other}`, `chmod -R go= ${dir}`);
  }
  return good('permissions', 'the account of this command alone');
};

const mebibyte = 1_048_576;
/** A rebuild needs as much again as the read model has; a commit needs little. */
const freeSpaceMin = 100 * mebibyte;
const freeSpaceShareMin = 0.1;

const diskFinding = async (dir: string): Promise<Finding> => {
  const { bavail, blocks, bsize } = await statfs(dir);
  const free = bavail * bsize;
  const share = blocks === 0 ? 1 : bavail / blocks;
  const found = `${Math.round(free / mebibyte)} MiB free, ${Math.round(share * 100)} %`;
  if (free < freeSpaceMin) return bad('disk', found, 'free space: without it writes are refused');
  if (share < freeSpaceShareMin)
    return warning('disk', found, 'free space, or make the volume larger');
  return good('disk', found);
};
