import type { Config } from '../config.js';
import { openLogOf } from '../cli/folder.js';
import { diskFiles } from '../engines/node/files.js';
import { secretKeyOf } from '../engines/node/secrets.js';
import { hasLog, secretKeyFile } from '../engines/open.js';
import { Fault } from '../kernel/fault.js';
import { start } from '../kernel/ports.js';

/**
 * The configured one, else that of the data folder. It is made for an empty log only: beside any
 * other a new one would void every key, password and login without a word; throws Fault `invalid`.
 */
export const secretKey = async (config: Config, dir: string): Promise<Uint8Array> => {
  if (config.secretKey !== null) return Buffer.from(config.secretKey, 'base64');
  const file = secretKeyFile(dir);
  if ((await diskFiles.read(file)) === null && (await hasEvents(config))) {
    throw new Fault(
      'invalid',
      `${file} is missing, and the log is not empty: restore the file from a backup, or set ` +
        'ASSAY_SECRET_KEY to what it held. With a new one every API key, password and login is ' +
        'void and no integration can be opened; knowing that, make one ' +
        `(openssl rand -base64 32 > ${file}) and come in by ASSAY_BOOTSTRAP_API_KEY`,
    );
  }
  return secretKeyOf(diskFiles, file);
};

const hasEvents = async (config: Config): Promise<boolean> => {
  if (config.eventStoreUrl === null && !hasLog(config.dataDir)) return false;
  const { reader, close } = await openLogOf(config);
  try {
    return (await reader.head()) !== start;
  } finally {
    await close();
  }
};
