/** Encodes bytes as lower-case hex. */
export const toHex = (bytes: Uint8Array): string => {
  // Hashes are Buffers already: a second view of the bytes costs as much as the text.
  const whole = Buffer.isBuffer(bytes)
    ? bytes
    : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return whole.toString('hex');
};

/** Decodes hex of either case, two digits a byte; stops at the first invalid digit. */
export const fromHex = (text: string): Uint8Array => Buffer.from(text, 'hex');
