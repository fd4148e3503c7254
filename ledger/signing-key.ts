import { diskFiles } from '../engines/node/files.js';
import { sealingKey } from '../engines/node/seal-keys.js';
import { Fault } from '../kernel/fault.js';
import type { SealSettings } from '../config/seal-settings.js';

/** Signing key of seals and certificates; throws Fault `invalid` for a malformed file. */
export const loadSealKey = async ({ key }: Pick<SealSettings, 'key'>, seed: Uint8Array) =>
  sealingKey(key === null ? { seed } : { pem: await readPem(key) });
export type SealKey = Awaited<ReturnType<typeof loadSealKey>>;

const readPem = async (path: string): Promise<string> => {
  const bytes = await diskFiles.read(path);
  if (bytes === null) throw new Fault('invalid', `ASSAY_SEAL_KEY: ${path} is not there`);
  return Buffer.from(bytes).toString('utf8');
};
