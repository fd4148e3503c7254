/**
 * Compares texts by code point (contract 3.2, 3.8), the order of their UTF-8 bytes too. `<` on
 * strings differs above U+FFFF.
 */
export const byCodePoint = (one: string, other: string): number => {
  const length = Math.min(one.length, other.length);
  for (let at = 0; at < length; at += 1) {
    const left = one.charCodeAt(at);
    const right = other.charCodeAt(at);
    if (left !== right) return codeUnitRank(left) - codeUnitRank(right);
  }
  return one.length - other.length;
};

/** Ranks surrogates above all other units, as the code points they encode. */
const codeUnitRank = (unit: number): number =>
  unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit;

/** Length in code points, as all limits count it (contract 1.3). */
export const codePointCount = (text: string): number => {
  let count = text.length;
  for (let at = 0; at < text.length - 1; at += 1) {
    if (isHighSurrogate(text.charCodeAt(at)) && isLowSurrogate(text.charCodeAt(at + 1))) count -= 1;
  }
  return count;
};

/** The first `count` code points of the text; no surrogate pair is split. */
export const firstCodePoints = (text: string, count: number): string => {
  if (text.length <= count) return text;
  let end = 0;
  for (let taken = 0; taken < count && end < text.length; taken += 1) {
    end += (text.codePointAt(end) ?? 0) > 0xffff ? 2 : 1;
  }
  return text.slice(0, end);
};

/**
 * The longest beginning of the text with at most that many bytes of UTF-8; no character is split.
 */
export const firstUtf8Bytes = (text: string, bytes: number): string => {
  let end = 0;
  for (let left = bytes; end < text.length;) {
    const point = text.codePointAt(end) ?? 0;
    left -= point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
    if (left < 0) break;
    end += point > 0xffff ? 2 : 1;
  }
  return text.slice(0, end);
};

const beyondAscii = /[\u0080-\uffff]/;

/** UTF-8 length of the text in bytes, as sizes are counted (contract 1.3). */
export const utf8ByteLength = (text: string): number => {
  let bytes = text.length;
  // Long texts are mostly plain: this check takes a third of the time that counting takes.
  const from = text.search(beyondAscii);
  if (from === -1) return bytes;
  for (let at = from; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    // Two surrogates are four bytes, so each counts as two; a lone one becomes U+FFFD, three bytes,
    // before it gets here.
    if (unit >= 0x80) bytes += unit >= 0x800 && (unit < 0xd800 || unit > 0xdfff) ? 2 : 1;
  }
  return bytes;
};

const isHighSurrogate = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff;
const isLowSurrogate = (unit: number): boolean => unit >= 0xdc00 && unit <= 0xdfff;
