import { hkdfSync } from 'node:crypto';
import type { Files } from '../../kernel/ports.js';

/**
 * What tells one secret key from another and nothing about either: 16 bytes in hex that follow from
 * the key (HKDF, RFC 5869). It lies beside the log, so that another key is not used with it unseen.
 */
export const keyCheckOf = (secretKey: Uint8Array): string =>
  Buffer.from(hkdfSync('sha256', secretKey, '', 'assay key check', 16)).toString('hex');

/** The check twice: a byte that changes makes the two differ. */
const keyCheckForm = /^([0-9a-f]{32}) \1$/;

/** Null: there is none, or it is damaged. */
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
