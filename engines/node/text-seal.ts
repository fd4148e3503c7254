import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { TextSealer } from '../../kernel/credentials.js';

const algorithm = 'aes-256-gcm';
const ivBytes = 12;
const tagBytes = 16;

/**
 * Authenticated encryption of texts. A random iv per text: some 2^32 texts under one key are safe.
 */
export const textSeal = (key: Uint8Array): TextSealer => ({
  seal: (text, place) => {
    const iv = randomBytes(ivBytes);
    const cipher = createCipheriv(algorithm, key, iv).setAAD(Buffer.from(place));
    const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
    return Buffer.concat([iv, cipher.getAuthTag(), sealed]).toString('base64');
  },
  open: (sealed, place) => {
    const bytes = Buffer.from(sealed, 'base64');
    if (bytes.length < ivBytes + tagBytes) return null;
    try {
      const decipher = createDecipheriv(algorithm, key, bytes.subarray(0, ivBytes))
        .setAAD(Buffer.from(place))
        .setAuthTag(bytes.subarray(ivBytes, ivBytes + tagBytes));
      const text = decipher.update(bytes.subarray(ivBytes + tagBytes));
      return Buffer.concat([text, decipher.final()]).toString('utf8');
    } catch {
      return null;
    }
  },
});
