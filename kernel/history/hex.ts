/** Lower-case hex. */
export const toHex = (bytes: Uint8Array): string => {
  // What hashes are: they need no second view of their bytes, which costs as much as the text.
  const whole = Buffer.isBuffer(bytes)
    ? bytes
    : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return whole.toString('hex');
};

/** Of hex of either case, two digits a byte; ends where it is none. */
export const fromHex = (text: string): Uint8Array => Buffer.from(text, 'hex');
