import type { Config } from '../../config.js';
import { openProgressBar } from '../../tools/terminal/progress-bar.js';
import { printRows } from '../../tools/terminal/print-rows.js';
import { backupFindings } from './backup.js';
import type { Finding } from './finding.js';
import { folderFindings } from './folder.js';
import { machineFindings } from './machine.js';
import { storeFindings } from './stores.js';

export type DoctorOptions = {
  readonly quick?: boolean;
  readonly json?: boolean;
  /** A backup folder to check instead of the data folder. */
  readonly backup?: string;
  readonly keys?: string;
};

/**
 * `assay doctor`: checks everything that a service depends on and changes nothing; exit 1 if a
 * finding is bad. Safe beside a running service.
 */
export const doctor = async (
  config: Config,
  { quick = false, json = false, backup, keys }: DoctorOptions,
): Promise<void> => {
  if (backup !== undefined) return printFindings(await backupReport(backup, keys), json);
  const folder = await folderFindings(config);
  // Opening missing stores would create them.
  const isThere = folder.length > 1 || config.eventStoreUrl !== null;
  const bar = openProgressBar('doctor {bar} {percentage}% of the log');
  const stores = isThere ? await storeFindings(config, quick, bar.show) : [];
  bar.end();
  const machine = isThere ? await machineFindings(config) : [];
  const findings = [...folder, ...stores, ...machine];
  printFindings(findings, json);
};

const backupReport = async (dir: string, keys: string | undefined): Promise<readonly Finding[]> => {
  const bar = openProgressBar('doctor {bar} {percentage}% of the backup');
  try {
    return await backupFindings(dir, keys, bar.show);
  } finally {
    bar.end();
  }
};

const printFindings = (findings: readonly Finding[], json: boolean): void => {
  if (findings.some(({ state }) => state === 'bad')) process.exitCode = 1;
  printRows(findings, json);
};
