import { hasLog } from '../../engines/open.js';
import { manifestDifference } from '../backup-manifest.js';
import { backupFolders } from '../backup.js';
import { bad, good, warning, type Finding } from './finding.js';
import { logFindings } from './stores.js';
import { checkLogFile } from '../../engines/sqlite/integrity-check.js';

const damagedBackupStep = 'docs/runbook/key-or-backup-damaged.md';

/** Checks a backup: each file against its digest, and each event of its log. */
export const backupFindings = async (
  dir: string,
  keys: string | undefined,
  tell: (done: number, total: number) => void,
): Promise<readonly Finding[]> => {
  const folders = backupFolders(dir, keys);
  if (!hasLog(folders.log)) {
    return [bad('backup', `${folders.log} has no log`, 'name the folder that assay backup wrote')];
  }
  const events = logFindings(
    await checkLogFile(folders.log, { quick: false, isHeld: false, progress: tell }),
  ).filter(({ check }) => check === 'log');
  return [
    await folderFinding('backup', folders.log),
    await folderFinding('backup keys', folders.keys),
    ...events,
  ];
};

const folderFinding = async (check: string, dir: string): Promise<Finding> => {
  const { isFinished, difference } = await manifestDifference(dir);
  if (difference !== null) return bad(check, difference, damagedBackupStep);
  return isFinished
    ? good(check, `${dir} is as it was written`)
    : warning(check, `${dir} was never finished`, 'give assay backup again');
};
