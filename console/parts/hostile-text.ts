import { firstCodePoints } from '../../kernel/code-points.js';
import { readDataUrl, type DataUrl } from './data-url.js';
import { changedColour, type TerminalColour } from './terminal-colours.js';

/** A piece of a recorded text as it is shown: a text node, never HTML. */
type TextPiece =
  | { readonly is: 'text'; readonly text: string; readonly colour: TerminalColour | null }
  /** In place of a character that cannot be seen: `⟨U+202E⟩`. */
  | { readonly is: 'mark'; readonly text: string }
  /** An address of the web; `text` is the form in which it opens. */
  | { readonly is: 'link'; readonly text: string }
  | { readonly is: 'data'; readonly data: DataUrl };

type ShownText = {
  readonly pieces: readonly TextPiece[];
  /** Number of marks. */
  readonly hidden: number;
};

/**
 * A recorded text in pieces. Characters that cannot be seen become marks: controls of direction and
 * others, characters without width, tags. Colours of terminals become classes, their other codes
 * visible text, addresses of the web links, and `data:` URLs one piece each.
 */
export const shownText = (text: string): ShownText => {
  const pieces: TextPiece[] = [];
  const painter: Painter = { text, pieces, colour: null };
  let from = 0;
  for (const { 0: match, index } of text.matchAll(addressForm)) {
    const piece = match.startsWith('data:') ? dataPiece(match) : linkPiece(match);
    if (piece === null) continue;
    paint(painter, from, index);
    pieces.push(piece.shown);
    from = index + piece.length;
  }
  paint(painter, from, text.length);
  return { pieces, hidden: pieces.filter(({ is }) => is === 'mark').length };
};

/** `data:` URLs, and addresses up to a character that they cannot have or that cannot be seen. */
const addressForm =
  /data:[\w.+-]+\/[\w.+-]+(?:;[\w.=-]+){0,4};base64,[\w+/]+=?=?|https?:\/\/[^\s<>"'`{}\\\p{C}]+/gu;

type Piece = { readonly shown: TextPiece; readonly length: number } | null;

const dataPiece = (url: string): Piece => {
  const data = readDataUrl(url);
  return data && { shown: { is: 'data', data }, length: url.length };
};

/** Marks of the sentence around an address. */
const sentenceMarks = '.,;:!?)]*_|';

const withoutSentenceEnd = (address: string): string => {
  let end = address.length;
  while (end > 0 && sentenceMarks.includes(address.charAt(end - 1))) end -= 1;
  return address.slice(0, end);
};

/** A link, unless the address has a password in it, which hides the host that it opens. */
const linkPiece = (match: string): Piece => {
  const address = withoutSentenceEnd(match);
  if (!URL.canParse(address)) return null;
  const { href, username, password, hostname } = new URL(address);
  if (username !== '' || password !== '' || hostname === '') return null;
  return { shown: { is: 'link', text: href }, length: address.length };
};

type Painter = {
  readonly text: string;
  readonly pieces: TextPiece[];
  colour: TerminalColour | null;
};

// oxlint-disable no-control-regex -- Controls are what has to be seen.
/** Codes of colour, and characters that cannot be seen but for tab and line ends. */
const unseenForm =
  /\u001b\[[\d;]*m|(?![\t\n]|\r\n)[\p{Default_Ignorable_Code_Point}\p{Cc}\p{Cs}\u2028\u2029]/gu;
// oxlint-enable no-control-regex

/** A short text with marks in place of what cannot be seen, its addresses as they are. */
export const withMarks = (text: string): string => {
  if (text.search(unseenForm) < 0) return text;
  const pieces: TextPiece[] = [];
  paint({ text, pieces, colour: null }, 0, text.length);
  return pieces.map((piece) => ('text' in piece ? piece.text : '')).join('');
};

/** The name as one can type it: without what cannot be seen, blanks as one; perhaps empty. */
export const typeableName = (name: string): string =>
  name.replaceAll(unseenForm, '').replaceAll(/\s+/g, ' ').trim();

/** The name for a file: without what cannot be seen, or what means a folder or a device. */
export const fileNameOf = (name: string): string =>
  firstCodePoints(typeableName(name).replaceAll(/[\\/:*?"<>|]/g, '_'), fileNameMax) || 'export';
const fileNameMax = 100;

/** Adds the text between two places, which has no address. */
const paint = (painter: Painter, begin: number, end: number): void => {
  const { text, pieces } = painter;
  let from = begin;
  const addText = (to: number): void => {
    if (to > from) pieces.push({ is: 'text', text: text.slice(from, to), colour: painter.colour });
  };
  for (const { 0: match, index } of text.slice(begin, end).matchAll(unseenForm)) {
    const at = begin + index;
    const colour = match.length > 2 ? changedColour(match, painter.colour) : undefined;
    if (colour === undefined && belongs(text, at, match)) continue;
    addText(at);
    // Other terminal codes are marked by their escape character; the rest stays text.
    from = at + (colour === undefined && match.length > 2 ? 1 : match.length);
    if (colour === undefined) pieces.push({ is: 'mark', text: markOf(match) });
    else painter.colour = colour;
  }
  addText(end);
};

const markOf = (character: string): string => {
  const code = character.codePointAt(0) ?? 0;
  if (code === 0x1b) return '␛';
  return `⟨U+${code.toString(16).toUpperCase().padStart(4, '0')}⟩`;
};

const joiner = '\u200d';
const nonJoiner = '\u200c';
const emojiBefore = /\p{Extended_Pictographic}[\ufe0f\p{Emoji_Modifier}]*$/u;
const emojiAfter = /^\p{Extended_Pictographic}/u;
/** Scripts in which joiners are spelling: between two of their letters they are seen. */
const joiningScripts = [
  /^[\p{sc=Arab}\p{sc=Deva}\p{sc=Beng}\p{sc=Gujr}\p{sc=Taml}]/u,
  /^[\p{sc=Telu}\p{sc=Knda}\p{sc=Mlym}\p{sc=Sinh}\p{sc=Khmr}]/u,
];
const variation = /^[\ufe00-\ufe0f]/;
const ignorable = /\p{Default_Ignorable_Code_Point}$/u;

/** True for a character that its neighbours need: in emoji, in words, behind one that it varies. */
const belongs = (text: string, at: number, character: string): boolean => {
  const before = text.slice(Math.max(0, at - 8), at);
  const after = text.slice(at + character.length, at + character.length + 2);
  if (variation.test(character)) return before !== '' && !ignorable.test(before);
  if (character === joiner && emojiBefore.test(before) && emojiAfter.test(after)) return true;
  if (character !== joiner && character !== nonJoiner) return false;
  return joiningScripts.some((script) => script.test(before.slice(-1)) && script.test(after));
};
