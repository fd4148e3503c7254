import {
  createPrivateKey,
  createPublicKey,
  hkdfSync,
  sign,
  verify,
  type KeyObject,
} from 'node:crypto';
import { parseJsonText } from '../../kernel/json-text.js';
import {
  keyIdOf,
  noteTypes,
  parseVkey,
  vkeyOf,
  type Note,
  type SealingJwk,
  type SealingKey,
  type Vkey,
} from '../../ledger/chain/checkpoint.js';
import { Fault } from '../../kernel/fault.js';
import { sha256 } from './digest.js';
import { deriveP256Key } from './p256.js';

/**
 * DER prefixes of the 32 bytes of Ed25519: of a private key in PKCS #8, of a public key in SPKI.
 */
const pkcs8 = Buffer.from('302e020100300506032b657004220420', 'hex');
const spki = Buffer.from('302a300506032b6570032100', 'hex');

/**
 * Key that signs every seal: ES256, derived from `seed` or read from a PEM file, so that the
 * operator of the log need not have it. It does not rotate: a seal must verify for years. Throws
 * Fault `invalid` for a PEM with anything but a private key on P-256.
 */
export const sealingKey = (
  from: { readonly seed: Uint8Array } | { readonly pem: string },
): PrivateSealingKey =>
  'seed' in from
    ? ecdsaKey(deriveP256Key(from.seed, 'seal key').private)
    : ecdsaKey(parsePem(from.pem));

/**
 * Second signing key, where there are witnesses: their network requires Ed25519. Derived from the
 * first.
 */
export const witnessKey = ({ own }: PrivateSealingKey): SealingKey => {
  const { d = '' } = own.export({ format: 'jwk' });
  const seed = Buffer.from(
    hkdfSync('sha256', Buffer.from(d, 'base64url'), '', 'assay seal ed', 32),
  );
  const key = createPrivateKey({
    key: Buffer.concat([pkcs8, seed]),
    format: 'der',
    type: 'pkcs8',
  });
  const { der, jwk } = publicPart(key);
  const bytes = der.subarray(spki.length);
  const type = noteTypes.ed25519;
  return {
    kid: Buffer.from(sha256(der)).toString('hex', 0, 8),
    jwk,
    vkey: (name) => vkeyOf(sha256, name, type, bytes),
    sign: (name, text) => ({
      name,
      keyId: keyIdOf(sha256, name, type, bytes),
      signature: sign(null, Buffer.from(text), key),
    }),
  };
};

/** Signing key with its private part, for keys derived from it. */
type PrivateSealingKey = SealingKey & {
  readonly own: KeyObject;
  /** Signed statement of the key's owner: compact JWS, ES256, with the payload in it. */
  readonly jws: (typ: string, payload: object) => string;
};

const jwsOf = (own: KeyObject, kid: string, typ: string, payload: object): string => {
  const encoded = (value: object): string =>
    Buffer.from(JSON.stringify(value)).toString('base64url');
  const text = `${encoded({ alg: 'ES256', kid, typ })}.${encoded(payload)}`;
  const key = { key: own, dsaEncoding: 'ieee-p1363' } as const;
  return `${text}.${sign('sha256', Buffer.from(text), key).toString('base64url')}`;
};

const ecdsaKey = (own: KeyObject): PrivateSealingKey => {
  const { der, jwk } = publicPart(own);
  const type = noteTypes.ecdsa;
  const kid = Buffer.from(sha256(der)).toString('hex', 0, 8);
  return {
    own,
    jws: (typ, payload) => jwsOf(own, kid, typ, payload),
    kid,
    jwk,
    vkey: (name) => vkeyOf(sha256, name, type, der),
    sign: (name, text) => ({
      name,
      keyId: keyIdOf(sha256, name, type, der),
      signature: sign('sha256', Buffer.from(text), own),
    }),
  };
};

const publicPart = (key: KeyObject): { readonly der: Buffer; readonly jwk: SealingJwk } => {
  const open = createPublicKey(key);
  const { kty = '', crv = '', x = '', y } = open.export({ format: 'jwk' });
  const jwk = { kty, crv, x, ...(y !== undefined && { y }) };
  return { der: open.export({ format: 'der', type: 'spki' }), jwk };
};

const parsePem = (pem: string): KeyObject => {
  let key: KeyObject | null = null;
  try {
    key = createPrivateKey(pem);
  } catch {
    // Rejected below, without a hint at the file's content.
  }
  if (key?.asymmetricKeyDetails?.namedCurve === 'prime256v1') return key;
  throw new Fault(
    'invalid',
    'ASSAY_SEAL_KEY must name a PEM file with a private key on P-256: ' +
      'openssl ecparam -name prime256v1 -genkey -noout -out seal.pem',
  );
};

/** Public key that an auditor chose to trust. */
export type TrustedKey = {
  /** Name in the vkey; null for a key without a name. */
  readonly name: string | null;
  /** True if one of the signatures is by this key, and all with its id verify. */
  readonly hasSigned: (note: Note) => boolean;
};

/**
 * Parses a vkey, PEM or JWK; throws Fault `invalid` for other text, or a key type that notes do not
 * allow.
 */
export const trustedKey = (text: string): TrustedKey => {
  const vkey = parseVkey(sha256, text.trim());
  if (vkey !== null) return { name: vkey.name, hasSigned: signatureCheck(publicKeyOf(vkey), vkey) };
  const key = parsePublicKey(text.trim());
  const der = key.export({ format: 'der', type: 'spki' });
  const keyId = keyIdOf(sha256, '', noteTypes.ecdsa, der);
  return { name: null, hasSigned: signatureCheck(key, { keyId, type: noteTypes.ecdsa }) };
};

const publicKeyOf = ({ type, key }: Vkey): KeyObject => {
  const der = type === noteTypes.ecdsa ? Buffer.from(key) : Buffer.concat([spki, key]);
  return createPublicKey({ key: der, format: 'der', type: 'spki' });
};

const parsePublicKey = (text: string): KeyObject => {
  try {
    const key = text.startsWith('{')
      ? createPublicKey({ key: parseJsonText(text) as { kty: string }, format: 'jwk' })
      : createPublicKey(text);
    if (key.asymmetricKeyDetails?.namedCurve === 'prime256v1') return key;
  } catch {
    // Rejected below.
  }
  throw new Fault('invalid', 'the key must be a vkey (name+id+key), or PEM or a JWK on P-256');
};

const signatureCheck =
  (key: KeyObject, { keyId, type }: Pick<Vkey, 'keyId' | 'type'>) =>
  ({ text, signatures }: Note): boolean => {
    const ours = signatures.filter((one) => one.keyId === keyId);
    return (
      ours.length > 0 &&
      ours.every(({ signature }) => {
        if (type === noteTypes.ecdsa) return verify('sha256', Buffer.from(text), key, signature);
        if (type === noteTypes.ed25519) return verify(null, Buffer.from(text), key, signature);
        return verify(null, cosignedBytes(text, signature), key, signature.subarray(8));
      })
    );
  };

/** Signed message of a witness: its timestamp and the text (C2SP tlog-cosignature). */
export const cosignedBytes = (text: string, signature: Uint8Array): Buffer => {
  const time = signature.length < 8 ? 0n : Buffer.from(signature).readBigUInt64BE();
  return Buffer.from(`cosignature/v1\ntime ${time}\n${text}`);
};
