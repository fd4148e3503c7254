import type { Config } from '../config.js';
import { diskFiles } from '../engines/node/files.js';
import { secretKeyOf } from '../engines/node/secrets.js';
import { secretKeyFile } from '../engines/open.js';

/** The configured one, else that of the data folder, made when missing. */
export const secretKey = async (config: Config, dir: string): Promise<Uint8Array> =>
  config.secretKey === null
    ? await secretKeyOf(diskFiles, secretKeyFile(dir))
    : Buffer.from(config.secretKey, 'base64');
