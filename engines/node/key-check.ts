import { hkdfSync } from 'node:crypto';
import type { Files } from '../../kernel/ports.js';

/**
 * Fingerprint of a secret key that reveals nothing about it: 16 bytes in hex, derived from the key
 * (HKDF, RFC 5869). It is stored beside the log, so that a different key is detected.
 */
export const keyCheckOf = (secretKey: Uint8Array): string =>
  Buffer.from(hkdfSync('sha256', secretKey, '', 'assay key check', 16)).toString('hex');

/** The fingerprint twice: a changed byte makes the two differ. */
const keyCheckForm = /^([0-9a-f]{32}) \1$/;

/** Null when it is missing or damaged. */
export const readKeyCheck = async (
  files: Pick<Files, 'read'>,
  path: string,
): Promise<string | null> => {
  const bytes = await files.read(path);
  const text = bytes === null ? '' : Buffer.from(bytes).toString('utf8').trim();
  return keyCheckForm.exec(text)?.[1] ?? null;
};

export const writeKeyCheck = (files: Files, path: string, check: string): Promise<void> =>
  files.write(path, Buffer.from(`${check} ${check}\n`));
