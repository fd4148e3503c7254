import {
  noteTypes,
  parseVkey,
  type Note,
  type TreeHead,
  type Vkey,
} from '../../ledger/chain/checkpoint.js';
import { sha256 } from './sha256.js';

/** Outcome of one step of a check, and why. */
export type CheckStep = {
  readonly outcome: 'holds' | 'fails' | 'unchecked';
  readonly note: string;
};
export const holds = (note: string): CheckStep => ({ outcome: 'holds', note });
export const fails = (note: string): CheckStep => ({ outcome: 'fails', note });
export const unchecked = (note: string): CheckStep => ({ outcome: 'unchecked', note });

/**
 * Verifies ECDSA P-256 with SHA-256: `key` is SPKI in DER, `signature` its two numbers of 32 bytes.
 * Null where the browser has no WebCrypto.
 */
export type VerifySignature = (
  key: Uint8Array,
  signature: Uint8Array,
  text: Uint8Array,
) => Promise<boolean | null>;

/** Keys to trust, each a vkey. */
export type TrustedKeys = {
  readonly vkeys: readonly string[];
  readonly verify: VerifySignature;
};

/** Keys that may sign for this origin, or the step that says why there are none. */
export const signingKeysOf = (
  origin: string,
  vkeys: readonly string[],
): readonly Vkey[] | CheckStep => {
  const keys = vkeys
    .map((text) => parseVkey(sha256, text.trim()))
    .filter((key): key is Vkey => key?.type === noteTypes.ecdsa);
  if (keys.length === 0) return unchecked('no key to check the signature by');
  const named = keys.filter(({ name }) => origin === name || origin.startsWith(`${name}/`));
  return named.length === 0
    ? fails(`the seal is of ${origin}, not of the key's installation`)
    : named;
};

/** The step that a signature makes; null: the browser has no WebCrypto. */
export const signatureStep = (isValid: boolean | null, keyId: string): CheckStep => {
  if (isValid === null) {
    return unchecked('not checked here: without HTTPS the browser has no WebCrypto');
  }
  return isValid ? holds(`signed by ${keyId}`) : fails(`not the signature of ${keyId}`);
};

/** Step 1 of verifier/ALGORITHM.md: a signature of a trusted key over the text of a seal. */
export const checkSealSignature = async (
  seal: Note & TreeHead,
  { vkeys, verify }: TrustedKeys,
): Promise<CheckStep> => {
  const keys = signingKeysOf(seal.origin, vkeys);
  if ('outcome' in keys) return keys;
  const text = new TextEncoder().encode(seal.text);
  for (const { keyId, key } of keys) {
    for (const line of seal.signatures.filter((one) => one.keyId === keyId)) {
      const raw = rawSignature(line.signature);
      return signatureStep(raw === null ? false : await verify(key, raw, text), keyId);
    }
  }
  return fails('not signed with this key');
};

/** The two numbers of an ECDSA signature in DER, 32 bytes each, as WebCrypto takes them. */
const rawSignature = (der: Uint8Array): Uint8Array | null => {
  if (der[0] !== 0x30 || der[1] !== der.length - 2) return null;
  const raw = new Uint8Array(64);
  let at = 2;
  for (const end of [32, 64]) {
    const length = der[at + 1] ?? 0;
    const number = der.subarray(at + 2, at + 2 + length);
    const isPadded = number.length === 33 && number[0] === 0;
    const digits = isPadded ? number.subarray(1) : number;
    if (der[at] !== 2 || number.length !== length || digits.length > 32) return null;
    raw.set(digits, end - digits.length);
    at += 2 + length;
  }
  return at === der.length ? raw : null;
};
