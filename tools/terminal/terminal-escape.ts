/**
 * C0 except line ends and tabs, DEL, C1 (an escape sequence begins with U+009B alone), and controls
 * of text direction (Unicode UAX 9).
 */
const controlCharacters =
  // oxlint-disable-next-line no-control-regex -- these are what is shown
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/**
 * Escapes control characters as `\u009b`: recorded content must not command the reader's terminal.
 * JSON stays the same JSON.
 */
export const escapeControls = (text: string): string =>
  text.replaceAll(
    controlCharacters,
    (one) => `\\u${(one.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`,
  );
