import { useMemo, useState } from 'preact/hooks';
import { printCount } from './numbers.js';
import { textLines } from './text-lines.js';
import { RecordedRun } from './text-pieces.js';
import { rowWindow, scaledScroll } from './windowing.js';

const rowPixels = 18;
const heightPixels = 432;

/** A text of any length in a window over its rows; it scrolls in its own box. */
export const TextReader = ({ text }: { readonly text: string }) => {
  const rows = useMemo(() => textLines(text), [text]);
  const [top, setTop] = useState(0);
  const list = { rows: rows.length, rowHeight: rowPixels, top, height: heightPixels };
  const { boxHeight, listTop } = scaledScroll(list);
  const { first, count } = rowWindow({ ...list, top: listTop });
  return (
    <div
      class="text-reader mono"
      role="group"
      tabIndex={0}
      aria-label={`Text of ${printCount(rows.length)} rows`}
      onScroll={(event) => setTop(event.currentTarget.scrollTop)}
    >
      <div class="text-reader-rows" style={{ height: `${boxHeight}px` }}>
        {rows.slice(first, first + count).map((row, offset) => (
          <div
            key={first + offset}
            class="text-reader-row"
            dir="auto"
            style={{ top: `${top + (first + offset) * rowPixels - listTop}px` }}
          >
            <RecordedRun text={row} />
          </div>
        ))}
      </div>
    </div>
  );
};
