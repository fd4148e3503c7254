import { openKeyedMutex } from '../kernel/concurrency.js';
import {
  rotateCommand,
  rotateKeys as rotate,
  type RotationResult,
} from '../command-api/integrations/key-rotation.js';
import type { Config } from '../config.js';
import { systemClock } from '../engines/node/clock.js';
import { randomIds } from '../engines/node/ids.js';
import { openSecrets } from '../engines/node/secrets.js';
import { openVault } from '../engines/node/vault.js';
import { openEngines, type Engines } from '../engines/open.js';
import { Fault } from '../kernel/fault.js';
import { requireLog } from '../service/log-reader.js';
import { opsCaller } from './ops-client.js';
import { opsUrlOf } from './operator-session.js';
import { loadSecretKey } from '../service/secret-key.js';

/**
 * `assay keys rotate`: executed by the running service, which holds the folder, or here when none
 * is running.
 */
export const rotateKeys = async (
  config: Config,
  { ops = null, json = false }: { readonly ops?: string | null; readonly json?: boolean },
): Promise<void> => {
  const rotated = await rotateAnywhere(config, ops);
  if (rotated.lost > 0) process.exitCode = 1;
  process.stdout.write(json ? `${JSON.stringify(rotated)}\n` : `${rotationReport(rotated)}\n`);
};

const rotateAnywhere = async (config: Config, ops: string | null): Promise<RotationResult> => {
  if (ops !== null) return (await opsCaller(ops, config)(rotateCommand, {})) as RotationResult;
  requireLog(config);
  const engines = await openEngines(config);
  if (!engines.embedded) {
    throw new Fault('invalid', 'say which process has the keys: --ops http://HOST:OPS_PORT');
  }
  try {
    const unlock = engines.lock();
    return await rotateLocally(config, engines).finally(unlock);
  } catch (error) {
    if (!(error instanceof Fault) || error.code !== 'conflict') throw error;
    const url = await opsUrlOf(config, engines.dir, error);
    return (await opsCaller(url, config)(rotateCommand, {})) as RotationResult;
  }
};

const rotateLocally = async (config: Config, engines: Engines): Promise<RotationResult> => {
  const bus = await engines.bus(null);
  const log = await engines.log(bus);
  const keys = await engines.dataKeys();
  try {
    const [clock, ids] = [systemClock, randomIds];
    const secrets = openSecrets(await loadSecretKey(config, engines.dir));
    const vault = openVault({ keys, clock, ids, ...secrets });
    return await rotate({ log, vault, clock, ids, keyedMutex: openKeyedMutex() });
  } finally {
    await keys.close();
    await log.close();
    await bus.close();
  }
};

const rotationReport = ({ organizations, resealed, destroyed, lost }: RotationResult): string =>
  [
    `new data keys: ${organizations}; secrets sealed anew: ${resealed}; ` +
      `old data keys destroyed: ${destroyed}`,
    ...(organizations > 0 && destroyed === 0
      ? ['replaced data keys are kept until the next rotation: requests under way may use them']
      : []),
    ...(lost > 0
      ? [`${lost} integrations cannot be opened: their owners have to configure them again`]
      : []),
  ].join('\n');
