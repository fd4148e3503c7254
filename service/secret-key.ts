import type { Config } from '../config.js';
import { openReadOnlyLog } from './log-reader.js';
import { diskFiles } from '../engines/node/files.js';
import { keyCheckOf, readKeyCheck, writeKeyCheck } from '../engines/node/key-check.js';
import { ensureSecretKey } from '../engines/node/secrets.js';
import { hasLog, keyCheckFile, secretKeyFile } from '../engines/open.js';
import { Fault } from '../kernel/fault.js';
import { logStart } from '../kernel/ports.js';

/**
 * The configured key, else that of the data folder. A key is generated for an empty log only:
 * beside any other log it would silently void every key, password and login. Beside a local log it
 * must be the key first used with that log. Throws Fault `invalid` otherwise.
 */
export const loadSecretKey = async (config: Config, dir: string): Promise<Uint8Array> => {
  const key = await readOrCreateKey(config, dir);
  if (config.eventStoreUrl === null) await refuseChangedKey(config, dir, key);
  return key;
};

/** Records the first key of a folder and refuses any other once the log has events. */
const refuseChangedKey = async (config: Config, dir: string, key: Uint8Array): Promise<void> => {
  const file = keyCheckFile(dir);
  const [known, own] = [await readKeyCheck(diskFiles, file), keyCheckOf(key)];
  if (known === own) return;
  if (known !== null && (await hasEvents(config))) {
    const from = config.secretKey === null ? secretKeyFile(dir) : 'ASSAY_SECRET_KEY';
    throw new Fault(
      'invalid',
      `${from} is not the key that this log was written with: restore that one from a backup. ` +
        `With another one ${voidedMessage}; knowing that, remove ${file}`,
    );
  }
  await writeKeyCheck(diskFiles, file, own);
};

const voidedMessage = 'every API key, password and login is void and no integration can be opened';

const readOrCreateKey = async (config: Config, dir: string): Promise<Uint8Array> => {
  if (config.secretKey !== null) return Buffer.from(config.secretKey, 'base64');
  const file = secretKeyFile(dir);
  if ((await diskFiles.read(file)) === null && (await hasEvents(config))) {
    throw new Fault(
      'invalid',
      `${file} is missing, and the log is not empty: restore the file from a backup, or set ` +
        `ASSAY_SECRET_KEY to what it held. With a new one ${voidedMessage}; knowing that, make ` +
        `one (openssl rand -base64 32 > ${file}; rm -f ${keyCheckFile(dir)}) and come in by ` +
        'ASSAY_BOOTSTRAP_API_KEY',
    );
  }
  return ensureSecretKey(diskFiles, file);
};

const hasEvents = async (config: Config): Promise<boolean> => {
  if (config.eventStoreUrl === null && !hasLog(config.dataDir)) return false;
  const { reader, close } = await openReadOnlyLog(config);
  try {
    return (await reader.head()) !== logStart;
  } finally {
    await close();
  }
};
