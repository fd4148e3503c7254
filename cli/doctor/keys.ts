import type { Config } from '../../config.js';
import { damagedDataKeys } from '../../engines/node/data-keys.js';
import { diskFiles } from '../../engines/node/files.js';
import { keyCheckOf, readKeyCheck } from '../../engines/node/key-check.js';
import { openSecrets, readSecretKey } from '../../engines/node/secrets.js';
import { opensDataKey } from '../../engines/node/vault.js';
import { dataKeysFolder, hasLog, keyCheckFile, secretKeyFile } from '../../engines/open.js';
import { redactedReason } from '../../kernel/fault.js';
import { bad, good, warning, type Finding } from './finding.js';

const restoreKey = 'restore it from a backup: docs/runbook/secret-key-missing.md';
const restoreDataKeys = 'docs/runbook/key-or-backup-damaged.md';

/**
 * Checks the secret key: its form, that it belongs to this log, and that it opens the data keys.
 */
export const keyFindings = async (config: Config, dir: string): Promise<readonly Finding[]> => {
  const isEmbedded = config.eventStoreUrl === null && hasLog(dir);
  if (!isEmbedded) {
    return config.secretKey === null ? [] : [good('secret key', 'ASSAY_SECRET_KEY is set')];
  }
  const from = config.secretKey === null ? secretKeyFile(dir) : 'ASSAY_SECRET_KEY';
  const key = await currentSecretKey(config, dir);
  if (typeof key === 'string') return [bad('secret key', key, restoreKey)];
  const known = await readKeyCheck(diskFiles, keyCheckFile(dir));
  const isOther = known !== null && known !== keyCheckOf(key);
  const secret = isOther
    ? bad('secret key', `${from} is not the key of this log`, restoreKey)
    : good('secret key', config.secretKey === null ? from : `${from} is set`);
  const isCheckDamaged = known === null && (await diskFiles.read(keyCheckFile(dir))) !== null;
  return [
    secret,
    ...(isCheckDamaged
      ? [warning('key check', `${keyCheckFile(dir)} is damaged`, 'the next start writes it anew')]
      : []),
    ...(config.mongodbUrl === null ? await dataKeyFindings(dir, key) : []),
  ];
};

/** The key, or a description of its defect. */
const currentSecretKey = async (
  { secretKey }: Config,
  dir: string,
): Promise<Uint8Array | string> => {
  if (secretKey !== null) return Buffer.from(secretKey, 'base64');
  const path = secretKeyFile(dir);
  try {
    return (await readSecretKey(diskFiles, path)) ?? `${path} is missing`;
  } catch (error) {
    return redactedReason(error);
  }
};

const dataKeyFindings = async (dir: string, key: Uint8Array): Promise<readonly Finding[]> => {
  const { masterKey } = openSecrets(key);
  const opens = (one: Parameters<typeof opensDataKey>[1]): boolean => opensDataKey(masterKey, one);
  const { count, damaged } = await damagedDataKeys(diskFiles, dataKeysFolder(dir), opens);
  const [first] = damaged;
  if (first !== undefined) {
    return [bad('data keys', `${damaged.length} of ${count}: ${first}`, restoreDataKeys)];
  }
  return count === 0 ? [] : [good('data keys', `${count} open with the secret key`)];
};
