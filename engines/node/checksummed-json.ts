import { crc32 } from 'node:zlib';
import { parseJsonText } from '../../kernel/json-text.js';

const checksumMember = 'check';

/**
 * Checksummed JSON: the last member, `check`, is a CRC-32 of the others. A changed byte on the disk
 * is detected, whichever it is, or changes nothing that is read.
 */
export const stringifyChecksummed = (value: object): string =>
  `${JSON.stringify({ ...value, [checksumMember]: checksumOf(value) }, null, 2)}\n`;

/**
 * Parses the output of `stringifyChecksummed`, without its `check`; null when it is damaged. A file
 * of an earlier build has no check and is accepted as it is.
 */
export const parseChecksummed = (bytes: Uint8Array): Readonly<Record<string, unknown>> | null => {
  try {
    const parsed: unknown = parseJsonText(Buffer.from(bytes).toString('utf8'));
    if (typeof parsed !== 'object' || parsed === null) return null;
    const members = Object.entries(parsed as Readonly<Record<string, unknown>>);
    const [name, check] = members.at(-1) ?? [];
    const value = Object.fromEntries(members.slice(0, -1));
    const isWhole = check === checksumOf(value);
    if (isWhole) return name === checksumMember ? value : null;
    return Object.hasOwn(parsed, checksumMember) ? null : Object.fromEntries(members);
  } catch {
    return null;
  }
};

const checksumOf = (value: object): string =>
  crc32(JSON.stringify(value)).toString(16).padStart(8, '0');
