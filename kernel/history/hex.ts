const ofByte = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

/** Lower-case hex. */
export const hexOf = (bytes: Uint8Array): string => {
  let text = '';
  for (const byte of bytes) text += ofByte[byte] ?? '';
  return text;
};

/** Of lower-case or upper-case hex, two digits a byte; what is no hex counts as 0. */
export const bytesOfHex = (text: string): Uint8Array =>
  Uint8Array.from({ length: text.length / 2 }, (_, at) =>
    Number.parseInt(text.slice(at * 2, at * 2 + 2), 16),
  );
