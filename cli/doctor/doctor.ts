import type { Config } from '../../config.js';
import { openBar } from '../progress-bar.js';
import { printRows } from '../rows.js';
import { folderFindings } from './folder.js';
import { machineFindings } from './machine.js';
import { storeFindings } from './stores.js';

/**
 * `assay doctor`: looks at everything that a service rests on and mends nothing; exit 1 when
 * something is bad. Harmless while a service is running.
 */
export const doctor = async (
  config: Config,
  { quick = false, json = false }: { readonly quick?: boolean; readonly json?: boolean },
): Promise<void> => {
  const folder = await folderFindings(config);
  // Looking at what is not there would make it.
  const isThere = folder.length > 1 || config.eventStoreUrl !== null;
  const bar = openBar('doctor {bar} {percentage}% of the log');
  const stores = isThere ? await storeFindings(config, quick, bar.show) : [];
  bar.end();
  const machine = isThere ? await machineFindings(config) : [];
  const findings = [...folder, ...stores, ...machine];
  if (findings.some(({ state }) => state === 'bad')) process.exitCode = 1;
  printRows(findings, json);
};
