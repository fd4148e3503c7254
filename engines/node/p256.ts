import { createECDH, createPrivateKey, hkdfSync, type KeyObject } from 'node:crypto';

/** Order of the group of P-256 (FIPS 186-4, D.1.2.3). */
const order = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;

type P256Jwk = {
  readonly kty: 'EC';
  readonly crv: 'P-256';
  readonly x: string;
  readonly y: string;
};

/**
 * Derives the private key for this use from `seed`: 48 bytes of HKDF (RFC 5869) reduced to 1 …
 * order − 1, which leaves no measurable bias (FIPS 186-5, A.2.1).
 */
export const deriveP256Key = (
  seed: Uint8Array,
  use: string,
): { readonly private: KeyObject; readonly jwk: P256Jwk; readonly point: Buffer } => {
  const bytes = Buffer.from(hkdfSync('sha256', seed, '', `assay ${use}`, 48));
  const scalar = (BigInt(`0x${bytes.toString('hex')}`) % (order - 1n)) + 1n;
  const d = Buffer.from(scalar.toString(16).padStart(64, '0'), 'hex');
  const curve = createECDH('prime256v1');
  curve.setPrivateKey(d);
  const point = curve.getPublicKey();
  const jwk = {
    kty: 'EC',
    crv: 'P-256',
    x: point.subarray(1, 33).toString('base64url'),
    y: point.subarray(33).toString('base64url'),
  } as const;
  const own = { ...jwk, d: d.toString('base64url') };
  return { private: createPrivateKey({ key: own, format: 'jwk' }), jwk, point };
};
