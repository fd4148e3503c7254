import type { Config } from '../../config.js';
import { openProgressBar } from '../progress-bar.js';
import { printRows } from '../print-rows.js';
import { backupFindings } from './backup.js';
import type { Finding } from './finding.js';
import { folderFindings } from './folder.js';
import { machineFindings } from './machine.js';
import { storeFindings } from './stores.js';

export type DoctorOptions = {
  readonly quick?: boolean;
  readonly json?: boolean;
  /** A folder of a backup, looked at in place of the data folder. */
  readonly backup?: string;
  readonly keys?: string;
};

/**
 * `assay doctor`: looks at everything that a service rests on and mends nothing; exit 1 when
 * something is bad. Harmless while a service is running.
 */
export const doctor = async (
  config: Config,
  { quick = false, json = false, backup, keys }: DoctorOptions,
): Promise<void> => {
  if (backup !== undefined) return printFindings(await backupReport(backup, keys), json);
  const folder = await folderFindings(config);
  // Looking at what is not there would make it.
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
