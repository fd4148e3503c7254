import { useRef, useState } from 'preact/hooks';
import { useKeys } from '../client/keys.js';
import { useView } from '../client/view.js';
import type { GridCursor } from '../parts/data-grid.js';
import { TextField } from '../parts/field.js';
import { cellText } from './cells.js';
import type { DraftColumn } from './changes.js';
import type { GridModel } from './grid-model.js';
import type { DatasetRows } from './questions.js';
import { leadingColumns } from './row-grid.js';
import { datasetCodec } from './state.js';

type Props = {
  readonly grid: GridModel;
  readonly rows: DatasetRows;
  readonly columns: readonly DraftColumn[];
  readonly cursor: GridCursor;
  readonly onFind: (cursor: GridCursor) => void;
};

/** Finds the next cell with a text, any case, in all rows; the service has no such filter. */
export const FindBar = (props: Props) => {
  const [view, change] = useView(datasetCodec);
  const [status, setStatus] = useState('');
  const form = useRef<HTMLFormElement>(null);
  const latest = useRef('');
  useKeys(
    [{ keys: '/', what: 'Find', run: () => form.current?.querySelector('input')?.focus() }],
    [],
  );
  const find = async (): Promise<void> => {
    latest.current = view.q;
    setStatus('');
    const found = await findText(props, view.q, () => latest.current !== view.q);
    if (found !== null) props.onFind(found);
    const where = found === null ? 'Not found' : `Row ${found.row + 1}`;
    setStatus(`${where}, of ${props.grid.rowCount.toLocaleString('en')} rows`);
  };
  return (
    <form
      ref={form}
      class="row-find"
      onSubmit={(event) => {
        event.preventDefault();
        if (view.q !== '') void find().catch((error: Error) => setStatus(error.message));
      }}
    >
      <TextField
        label="Find"
        type="search"
        placeholder="Enter: next"
        value={view.q}
        onInput={(q) => change({ q }, 'replace')}
      />
      <span class="note" role="status">
        {status}
      </span>
    </form>
  );
};

/** The next cell after the cursor, by rows; null: no cell has the text. */
const findText = async (
  { grid, rows, columns, cursor }: Props,
  text: string,
  isOver: () => boolean,
): Promise<GridCursor | null> => {
  const needle = text.toLowerCase();
  for (let step = 0; step <= grid.rowCount && !isOver(); step += 1) {
    const row = (cursor.row + step) % grid.rowCount;
    if (row < rows.total && rows.at(row) === undefined) await rows.load(row);
    const from = step === 0 ? cursor.column : 0;
    const place = columns.findIndex((column, index) => {
      const cell = grid.cellAt(row, column)?.cell ?? null;
      return index >= from && cellText(cell).toLowerCase().includes(needle);
    });
    if (place >= 0) return { row, column: place + leadingColumns };
  }
  return null;
};
