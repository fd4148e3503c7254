import { createHmac, hkdfSync, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { RefreshTokens, InvitationTokens, TextSealer } from '../../kernel/credentials.js';
import { Fault } from '../../kernel/fault.js';
import type { Files } from '../../kernel/ports.js';
import type { FamilyId } from '../../kernel/schema-types.js';
import { textSeal } from './text-seal.js';
import { invitationTokens } from './invitation-tokens.js';

const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const prefix = 'asy_';
const valueLength = 43;
const checksumLength = 6;
const apiKeyForm = /^asy_[0-9A-Za-z]{49}$/;

/** Secrets derived from the secret key; its 32 bytes never leave this file. */
export type Secrets = {
  /** New key value of contract 2.4, 53 characters. */
  readonly mintKey: () => string;
  /** HMAC-SHA-256 in hex; null for an `asy_` value with a wrong form or checksum. */
  readonly hashKey: (value: string) => string | null;
  /** Display form: the first 8 (of other forms 4) characters, `...`, the last 4. */
  readonly truncate: (value: string) => string;
  readonly refreshTokens: RefreshTokens;
  /** 32 bytes each, for the engines that hash passwords and sign tokens. */
  readonly passwordPepper: Uint8Array;
  /** Master key of the vault (engines/node/vault.ts). */
  readonly masterKey: Uint8Array;
  readonly fingerprintKey: Uint8Array;
  readonly accessTokenSeed: Uint8Array;
  /** Seed of the key that signs seals of the history, when none is configured. */
  readonly sealSeed: Uint8Array;
  readonly invitationTokens: InvitationTokens;
  /** Namespace of this installation's notifications on a shared message bus. */
  readonly notificationSpace: string;
  /**
   * Tag of 8 characters that only this installation can compute: list cursors carry it (keyset
   * pagination).
   */
  readonly cursorTag: (text: string) => string;
  /** Seals the search values of org jobs. */
  readonly jobValues: TextSealer;
};

/** Derives one key per use, so that no two uses ever share one (HKDF, RFC 5869). */
export const openSecrets = (secretKey: Uint8Array): Secrets => {
  const derived = (use: string): Buffer =>
    Buffer.from(hkdfSync('sha256', secretKey, '', `assay ${use}`, 32));
  const pepper = derived('api key pepper');
  const cursorKey = derived('cursors');
  return {
    refreshTokens: refreshTokens(derived('refresh token pepper'), derived('refresh successor')),
    passwordPepper: derived('password pepper'),
    masterKey: derived('master key of data keys'),
    fingerprintKey: derived('integration fingerprint'),
    accessTokenSeed: derived('access token seed'),
    sealSeed: derived('seal seed'),
    invitationTokens: invitationTokens(derived('invitation pepper')),
    jobValues: textSeal(derived('org job values')),
    notificationSpace: `assay.${derived('hint space').toString('hex', 0, 16)}`,
    cursorTag: (text) => createHmac('sha256', cursorKey).update(text).digest('hex').slice(0, 8),
    mintKey: () => encodeApiKey(randomBytes(32)),
    hashKey: (value) =>
      value.startsWith(prefix) && !isValidApiKey(value)
        ? null
        : createHmac('sha256', pepper).update(value).digest('hex'),
    truncate: (value) => `${value.slice(0, apiKeyForm.test(value) ? 8 : 4)}...${value.slice(-4)}`,
  };
};

/**
 * Refresh tokens: a family's id and 256 bits, in base64url. The first token's bits are random, each
 * later one's follow from its predecessor and the secret key, so that parallel refreshes agree and
 * tokens need not be stored (contract 2.3, rule 4).
 */
const refreshTokens = (pepper: Uint8Array, successorKey: Uint8Array): RefreshTokens => {
  const hmac = (key: Uint8Array, text: string): Buffer =>
    createHmac('sha256', key).update(text).digest();
  const tokenOf = (family: Buffer, secret: Buffer): string =>
    Buffer.concat([family, secret]).toString('base64url');
  return {
    first: (family) =>
      tokenOf(Buffer.from(family.replaceAll('-', ''), 'hex'), Buffer.from(randomBytes(32))),
    successor: (token) =>
      tokenOf(Buffer.from(token, 'base64url').subarray(0, 16), hmac(successorKey, token)),
    hash: (token) => hmac(pepper, token).toString('hex'),
    familyOf: (token) => {
      if (!refreshForm.test(token)) return null;
      const hex = Buffer.from(token, 'base64url').toString('hex', 0, 16);
      return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-') as FamilyId;
    },
  };
};
/** 48 bytes in base64url. */
const refreshForm = /^[0-9A-Za-z_-]{64}$/;

/** Secret key of a data folder, 32 bytes; null when it does not exist. */
export const readSecretKey = async (
  files: Pick<Files, 'read'>,
  path: string,
): Promise<Uint8Array | null> => {
  const known = await files.read(path);
  if (known === null) return null;
  const bytes = Buffer.from(Buffer.from(known).toString('utf8').trim(), 'base64');
  if (bytes.length === 32) return bytes;
  throw new Fault('invalid', `${path} does not hold 32 bytes in base64; restore it from a backup`);
};

/** Reads the secret key, or creates it, readable by its owner only. */
export const ensureSecretKey = async (files: Files, path: string): Promise<Uint8Array> => {
  const known = await readSecretKey(files, path);
  if (known !== null) return known;
  const made = randomBytes(32);
  await files.write(path, Buffer.from(`${made.toString('base64')}\n`));
  return made;
};

/** `asy_`, 32 bytes in base 62, and the CRC-32 of all that in base 62 (contract 2.4, rule 1). */
export const encodeApiKey = (bytes: Uint8Array): string => {
  const number = BigInt(`0x${Buffer.from(bytes).toString('hex')}`);
  const value = `${prefix}${base62(number, valueLength)}`;
  return value + checksum(value);
};

/** True if an `asy_` value has the form and the checksum. */
export const isValidApiKey = (value: string): boolean =>
  apiKeyForm.test(value) &&
  checksum(value.slice(0, -checksumLength)) === value.slice(-checksumLength);

const checksum = (value: string): string => base62(BigInt(crc32(value)), checksumLength);

const base62 = (value: bigint, width: number): string => {
  let text = '';
  for (let rest = value; rest > 0n; rest /= 62n) text = digits[Number(rest % 62n)] + text;
  return text.padStart(width, '0');
};
