import type { ComponentChildren } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import { shownText } from './hostile-text.js';
import { printBytes, printCount } from './numbers.js';
import { foldText } from './text-folding.js';
import { pieceNode } from './text-pieces.js';
import { TextReader } from './text-reader.js';

/** Pieces of one text that are nodes of the page; a text of more opens in the reader. */
const piecesMax = 3_000;

/** Characters up to which a text may be shown in another form than its own. */
const formCharactersMax = 10_000;

/**
 * A recorded text of any length, as text nodes alone: what cannot be seen is marked and counted, a
 * long text is folded, and a very long one opens in a windowed reader. `form` shows texts of
 * moderate length, such as Markdown.
 */
export const RecordedText = (props: {
  readonly text: string;
  readonly form?: (text: string) => ComponentChildren;
}) => {
  const { text, form } = props;
  const fold = useMemo(() => foldText(text), [text]);
  const [opened, setOpened] = useState<string | null>(null);
  const block = (part: string): ComponentChildren =>
    form === undefined || part.length > formCharactersMax ? <TextBlock text={part} /> : form(part);
  if (fold === null) return <>{block(text)}</>;
  const size = `${printCount(fold.characters)} characters, ${printCount(fold.lines)} lines`;
  const isOpen = opened === text;
  return (
    <div class="folded-text">
      {!isOpen && block(fold.head)}
      {isOpen && (fold.opens === 'rest' ? block(text) : <TextReader text={text} />)}
      <button
        type="button"
        class="button plain"
        aria-expanded={isOpen}
        onClick={() => setOpened(isOpen ? null : text)}
      >
        {isOpen ? 'Fold' : `Show all: ${size}, ${printBytes(text.length)}`}
      </button>
    </div>
  );
};

const TextBlock = ({ text }: { readonly text: string }) => {
  const shown = useMemo(() => shownText(text), [text]);
  if (shown.pieces.length > piecesMax) return <TextReader text={text} />;
  return (
    <>
      <HiddenNote hidden={shown.hidden} />
      <div class="recorded-text" dir="auto">
        {shown.pieces.map(pieceNode)}
      </div>
    </>
  );
};

/** Says how many characters of a text cannot be seen without their marks. */
export const HiddenNote = ({ hidden }: { readonly hidden: number }) =>
  hidden === 0 ? null : (
    <p class="note hidden-note">
      {hidden === 1 ? '1 invisible character' : `${printCount(hidden)} invisible characters`}
    </p>
  );

/** Characters of a text within a line. */
const wordCharactersMax = 300;

/** A short recorded text within a line; what is longer ends with its size. */
export const RecordedWord = ({ text }: { readonly text: string }) => {
  const isLong = text.length > wordCharactersMax;
  const { pieces } = shownText(isLong ? text.slice(0, wordCharactersMax) : text);
  return (
    <bdi>
      {pieces.map(pieceNode)}
      {isLong && <span class="muted">… {printCount(text.length)} characters</span>}
    </bdi>
  );
};

/** A recorded text of any length where a line is usual, such as a value of JSON. */
export const RecordedValue = ({ text }: { readonly text: string }) =>
  text.length > wordCharactersMax || text.includes('\n') ? (
    <RecordedText text={text} />
  ) : (
    <RecordedWord text={text} />
  );
