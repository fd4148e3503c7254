/**
 * Verifies ECDSA P-256 with SHA-256 by WebCrypto; null without it, as over plain HTTP. False for a
 * key that is not one.
 */
export const verifyEcdsa = async (
  key: Uint8Array,
  signature: Uint8Array,
  text: Uint8Array,
): Promise<boolean | null> => {
  const subtle = globalThis.crypto.subtle as SubtleCrypto | undefined;
  if (subtle === undefined) return null;
  const [spki, signed, bytes] = [key, signature, text].map((part) => new Uint8Array(part));
  if (spki === undefined || signed === undefined || bytes === undefined) return false;
  try {
    const curve = { name: 'ECDSA', namedCurve: 'P-256' };
    const imported = await subtle.importKey('spki', spki, curve, false, ['verify']);
    return await subtle.verify({ name: 'ECDSA', hash: 'SHA-256' }, imported, signed, bytes);
  } catch {
    return false;
  }
};
