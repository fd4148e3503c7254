import { codePointCount, firstCodePoints, utf8ByteLength } from '../../kernel/code-points.js';
import { dataUrlForm } from './data-url.js';

/** A long text that is shown by its beginning. */
type FoldedText = {
  /** Begin of the text that is shown; no `data:` URL is cut. */
  readonly head: string;
  readonly characters: number;
  readonly lines: number;
  /** Effect of a click: shows the rest in its place, or opens a windowed reader instead. */
  readonly opens: 'rest' | 'reader';
};

const charactersMax = 2_000;
const linesMax = 40;
/** Beyond it one text node takes longer to lay out than a key may take. */
const unfoldedBytesMax = 100 * 1_024;

/**
 * How a text is folded; null when it has at most 2,000 characters and 40 lines. A `data:` URL
 * counts as one character, since it is shown as its size.
 */
export const foldText = (text: string): FoldedText | null => {
  let [characters, lines, bytes] = [0, 1, 0];
  let headEnd: number | null = null;
  for (const { at, end, isData } of segmentsOf(text)) {
    const segment = isData ? '' : text.slice(at, end);
    headEnd ??= cutPlace(segment, charactersMax - characters, linesMax - lines, at);
    characters += isData ? 1 : codePointCount(segment);
    lines += lineEnds(segment);
    bytes += utf8ByteLength(segment);
  }
  if (headEnd === null) return null;
  const opens = bytes > unfoldedBytesMax ? 'reader' : 'rest';
  return { head: text.slice(0, headEnd), characters, lines, opens };
};

const segmentsOf = (text: string) => {
  const segments: { readonly at: number; readonly end: number; readonly isData: boolean }[] = [];
  let from = 0;
  for (const { 0: url, index } of text.matchAll(dataUrlForm)) {
    segments.push({ at: from, end: index, isData: false });
    from = index + url.length;
    segments.push({ at: index, end: from, isData: true });
  }
  return [...segments, { at: from, end: text.length, isData: false }];
};

/** Place in the text behind so many characters and line ends of the segment; null: it has less. */
const cutPlace = (
  segment: string,
  characters: number,
  lines: number,
  at: number,
): number | null => {
  const head = firstCodePoints(segment, Math.max(0, characters));
  let end = -1;
  for (let line = 0; line <= lines; line += 1) {
    end = head.indexOf('\n', end + 1);
    if (end < 0) return head.length < segment.length ? at + head.length : null;
  }
  return at + end;
};

const lineEnds = (text: string): number => {
  let count = 0;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
};
