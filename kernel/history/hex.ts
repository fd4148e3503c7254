/** Lower-case hex. */
export const hexOf = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex');

/** Of hex of either case, two digits a byte; ends where it is none. */
export const bytesOfHex = (text: string): Uint8Array => Buffer.from(text, 'hex');
