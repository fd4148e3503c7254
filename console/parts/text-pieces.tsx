import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { DataUrl } from './data-url.js';
import { shownText } from './hostile-text.js';

/** A recorded text within other text, such as Markdown, without a limit of its own. */
export const RecordedRun = ({ text }: { readonly text: string }) => (
  <bdi>{shownText(text).pieces.map(pieceNode)}</bdi>
);

type Piece = ReturnType<typeof shownText>['pieces'][number];

/** A piece of a recorded text as a node. */
export const pieceNode = (piece: Piece, index: number): ComponentChildren => {
  switch (piece.is) {
    case 'text':
      return piece.colour === null ? (
        piece.text
      ) : (
        <span key={index} class={`ansi-${piece.colour}`}>
          {piece.text}
        </span>
      );
    case 'mark':
      return (
        <span key={index} class="hidden-mark">
          {piece.text}
        </span>
      );
    case 'link':
      return (
        <a key={index} href={piece.text} target="_blank" rel="noopener noreferrer">
          {piece.text}
        </a>
      );
    case 'data':
      return <DataNote key={index} data={piece.data} />;
  }
};

/** A `data:` URL as its kind and size; an image that may be shown is shown after a click. */
const DataNote = ({ data }: { readonly data: DataUrl }) => {
  const [isShown, setIsShown] = useState(false);
  if (data.image === null) return <span class="data-note">[{data.label}]</span>;
  if (isShown) return <img class="recorded-image" src={data.image} alt={data.label} />;
  return (
    <button type="button" class="data-note" onClick={() => setIsShown(true)}>
      [{data.label}: show]
    </button>
  );
};

/** A short recorded text as one text, for titles: marks in place of what cannot be seen. */
export const markedText = (text: string): string =>
  shownText(text)
    .pieces.map((piece) => (piece.is === 'data' ? `[${piece.data.label}]` : piece.text))
    .join('');
