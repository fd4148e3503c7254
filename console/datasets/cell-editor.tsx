import type { RefObject } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { GridCursor } from '../parts/data-grid.js';

/** The end of an edit: the text that was typed, or null, and where the cursor goes. */
type CellEdit = { readonly text: string | null; readonly move: 'down' | 'right' | 'left' | 'stay' };

type Props = {
  readonly grid: RefObject<HTMLDivElement | null>;
  readonly cursor: GridCursor;
  readonly label: string;
  readonly text: string;
  readonly onEnd: (edit: CellEdit) => void;
  /** Called after the edit where it ended by Ctrl+S. */
  readonly onSave: () => void;
};

type Box = { readonly left: number; readonly top: number; readonly width: number };

/**
 * A field over the cell. Enter, Tab and leaving it take the text, Escape does not; Shift+Enter is a
 * line break.
 */
export const CellEditor = (props: Props) => {
  const field = useRef<HTMLTextAreaElement>(null);
  const hasEnded = useRef(false);
  const [text, setText] = useState(props.text);
  const [box] = useState(() => boxOfCell(props));
  // Before the next key comes: it belongs to the field.
  useLayoutEffect(() => {
    field.current?.focus();
    field.current?.select();
  }, []);
  const end = (edit: CellEdit): void => {
    if (hasEnded.current) return;
    hasEnded.current = true;
    props.onEnd(edit);
  };
  return (
    <textarea
      ref={field}
      class="cell-editor"
      aria-label={props.label}
      value={text}
      rows={Math.min(rowsMax, Math.max(text.split('\n').length, Math.ceil(text.length / 60)))}
      style={{ left: `${box.left}px`, top: `${box.top}px`, minWidth: `${box.width}px` }}
      onInput={(event) => setText(event.currentTarget.value)}
      onBlur={() => end({ text, move: 'stay' })}
      onKeyDown={(event) => {
        event.stopPropagation();
        const isSave = event.ctrlKey && event.key === 's';
        const edit = isSave ? ({ text, move: 'stay' } as const) : editOfKey(event, text);
        if (edit === null) return;
        event.preventDefault();
        end(edit);
        if (isSave) props.onSave();
      }}
    />
  );
};

/** Lines that the field has at most; further ones scroll. */
const rowsMax = 12;

const boxOfCell = ({ grid, cursor: { row, column } }: Props): Box => {
  const cell = grid.current?.querySelector(`[data-place="${row} ${column}"]`);
  const { left, top, width } = cell?.getBoundingClientRect() ?? { left: 0, top: 0, width: 0 };
  return { left, top, width: Math.max(leastPixels, width) };
};
const leastPixels = 160;

/** Null: the key is for the field. */
const editOfKey = (event: KeyboardEvent, text: string): CellEdit | null => {
  if (event.isComposing) return null;
  if (event.key === 'Escape') return { text: null, move: 'stay' };
  if (event.key === 'Tab') return { text, move: event.shiftKey ? 'left' : 'right' };
  const isLineBreak = event.shiftKey || event.altKey;
  return event.key === 'Enter' && !isLineBreak ? { text, move: 'down' } : null;
};
