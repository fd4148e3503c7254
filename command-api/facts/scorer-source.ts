import type { Upload } from '../../contract/operation.js';
import { type Complaint, valueComplaint } from '../../kernel/fault.js';
import { toHex } from '../../kernel/hex.js';

/** The file as text, without a byte order mark; null when it is not UTF-8. */
export const sourceOf = (file: Upload): string | null => {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(file.bytes);
  } catch {
    return null;
  }
};

/** Complaints about the file alone (contract 4.11). */
export const fileComplaints = (file: Upload | undefined): readonly Complaint[] => {
  if (file === undefined) return [];
  const problem = file.bytes.length === 0 ? 'the file is empty' : 'the file is not UTF-8';
  if (file.bytes.length > 0 && sourceOf(file) !== null) return [];
  return [valueComplaint(['body', 'file'], problem)];
};

/** SHA-256 in hex. */
export const sha256HexOf = async (bytes: Uint8Array): Promise<string> =>
  toHex(new Uint8Array(await crypto.subtle.digest('SHA-256', Uint8Array.from(bytes))));
