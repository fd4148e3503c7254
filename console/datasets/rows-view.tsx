import {
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
  type Dispatch,
  type StateUpdater,
} from 'preact/hooks';
import type { Dataset } from '../../clients/typescript/src/generated/datasets-types.js';
import { useSurroundings } from '../client/context.js';
import { newId } from '../client/unsaved.js';
import { Button } from '../parts/button.js';
import type { GridCursor } from '../parts/data-grid.js';
import { FaultNotice } from '../parts/notice.js';
import { CellDialog } from './cell-dialog.js';
import { CellEditor } from './cell-editor.js';
import { cellOfText, cellText, parseBlock } from './cells.js';
import { columnNameFault, countedText, type DraftColumn, type FoldedDraft } from './changes.js';
import { ColumnDialog } from './column-dialog.js';
import { nextColumnKey } from './edits.js';
import { FindBar } from './find-bar.js';
import { blockChanges, openGridModel, type GridModel } from './grid-model.js';
import { useDatasetRows, type DatasetRows } from './questions.js';
import { RowCards } from './row-cards.js';
import { leadingColumns, RowGrid } from './row-grid.js';
import { RowMenu } from './row-menu.js';
import type { DraftEditing } from './use-draft.js';

type Props = {
  readonly dataset: Dataset;
  readonly version: { readonly version: number; readonly rows: number };
  readonly folded: FoldedDraft;
  /** Null: read-only. */
  readonly editing: DraftEditing | null;
  readonly onSave?: () => void;
  readonly isStale?: boolean;
};

type Open =
  | { readonly is: 'menu'; readonly x: number; readonly y: number }
  | { readonly is: 'editor' }
  | { readonly is: 'cell' }
  | { readonly is: 'column'; readonly column: DraftColumn | null };

/** Rows of a version as a grid, on narrow screens as cards. */
export const RowsView = (props: Props) => {
  const { appearance } = useSurroundings();
  const { dataset, version, folded } = props;
  const rows = useDatasetRows(dataset.id, version.version, version.rows);
  const grid = openGridModel(rows, folded);
  const notice = <FaultNotice fault={rows.fault} onRetry={rows.retry} />;
  if (appearance.isNarrow.value) {
    return (
      <>
        {notice}
        <RowCards grid={grid} rows={rows} columns={folded.columns} />
      </>
    );
  }
  return (
    <>
      {notice}
      <GridView {...props} rows={rows} grid={grid} />
    </>
  );
};

type GridProps = Props & { readonly rows: DatasetRows; readonly grid: GridModel };

const GridView = (props: GridProps) => {
  const { dataset, folded, editing, grid, rows } = props;
  const gridRef = useRef<HTMLDivElement | null>(null);
  const [wanted, setCursor] = useState<GridCursor>({ row: 0, column: leadingColumns });
  const cursor = {
    row: Math.max(0, Math.min(wanted.row, grid.rowCount - 1)),
    column: Math.min(wanted.column, folded.columns.length),
  };
  const [open, setOpen] = useState<Open | null>(null);
  const [note, setNote] = useState('');
  const close = (): void => {
    setOpen(null);
    gridRef.current?.focus({ preventScroll: true });
  };
  const cells = useCells(props, cursor);
  usePaste(props, gridRef, cursor, setNote);
  useShownColumn(gridRef, cursor);
  const start = (): void => setOpen({ is: cells.canEdit ? 'editor' : 'cell' });
  const addRow = (): void => {
    editing?.apply([{ type: 'row-added', row: newId() }]);
    setCursor({ row: grid.rowCount, column: leadingColumns });
    gridRef.current?.focus({ preventScroll: true });
  };
  return (
    <>
      <GridTools
        {...props}
        cursor={cursor}
        onCursor={setCursor}
        onRow={addRow}
        onColumn={() => setOpen({ is: 'column', column: null })}
      />
      <RowGrid
        label={`Rows of version ${props.version.version}`}
        grid={grid}
        columns={folded.columns}
        mapping={dataset.column_mapping}
        gridRef={gridRef}
        cursor={cursor}
        onCursor={setCursor}
        onOpen={start}
        onMenu={(at, place) => {
          setCursor(at);
          setOpen({ is: 'menu', ...place });
        }}
        onWindow={rows.want}
        isStale={props.isStale === true}
        keys={{
          F2: start,
          ...(editing !== null && { Delete: cells.empty, Backspace: cells.empty }),
        }}
      />
      <p class="note" role="status">
        {note}
      </p>
      <Opened
        {...props}
        open={open}
        setOpen={setOpen}
        onClose={close}
        gridRef={gridRef}
        cursor={cursor}
        onCursor={setCursor}
        cells={cells}
      />
    </>
  );
};

/** The search, and the ways to add rows and columns. */
const GridTools = (
  props: GridProps & {
    readonly cursor: GridCursor;
    readonly onCursor: (cursor: GridCursor) => void;
    readonly onRow: () => void;
    readonly onColumn: () => void;
  },
) => {
  const { folded, editing, grid, rows, cursor } = props;
  return (
    <div class="spread">
      <FindBar
        grid={grid}
        rows={rows}
        columns={folded.columns}
        cursor={cursor}
        onFind={props.onCursor}
      />
      {editing !== null && (
        <span class="inline">
          <Button onClick={props.onRow} isDisabled={folded.columns.length === 0}>
            + row
          </Button>
          <Button onClick={props.onColumn}>+ column</Button>
        </span>
      )}
    </div>
  );
};

/** The cell of the cursor, and what can be done with it. */
const useCells = ({ editing, folded, grid }: GridProps, cursor: GridCursor) => {
  const column = folded.columns[cursor.column - leadingColumns] ?? null;
  const place = grid.placeOf(cursor.row);
  const shown = column === null ? null : grid.cellAt(cursor.row, column);
  const set = (text: string): void => {
    if (column === null || shown === null) return;
    const cell = cellOfText(text, shown.cell, grid.kindAt(column));
    const change = grid.setCell(cursor.row, column, cell);
    if (change !== null) editing?.apply([change]);
  };
  const canEdit =
    editing !== null && column?.isRemoved === false && place !== null && !place.isGone;
  return { column, place, shown, set, canEdit, empty: () => (canEdit ? set('') : undefined) };
};

/** Puts a pasted block into the cells from the cursor on, while the grid has the focus. */
const usePaste = (
  props: GridProps,
  gridRef: { readonly current: HTMLDivElement | null },
  cursor: GridCursor,
  onNote: (note: string) => void,
): void => {
  const { clipboard } = useSurroundings();
  const latest = useRef(props);
  latest.current = props;
  const paste = async (text: string): Promise<void> => {
    const { rows } = props;
    const block = parseBlock(text);
    const last = Math.min(rows.total, cursor.row + block.length);
    for (let index = cursor.row; index < last; index += 1) await rows.load(index);
    // The block goes on top of changes that were made while its rows were loaded.
    const { editing, folded, grid } = latest.current;
    if (editing === null) return;
    const columns = folded.columns
      .slice(Math.max(0, cursor.column - leadingColumns))
      .filter(({ isRemoved }) => !isRemoved);
    const { changes, leftOut } = blockChanges(grid, block, { row: cursor.row, columns, newId });
    editing.apply(changes);
    const missing = `Left out: ${countedText(leftOut, 'cell')} beyond the last column.`;
    onNote(leftOut === 0 ? '' : missing);
  };
  // Before the next event: after a click a block goes to the clicked cell, not to the one before.
  useLayoutEffect(() =>
    clipboard.onPaste((text) => {
      const element = gridRef.current;
      const isHere = element !== null && element.ownerDocument.activeElement === element;
      if (isHere) void paste(text).catch((error: Error) => onNote(error.message));
    }),
  );
};

/** Scrolls sideways until the column of the cursor is seen. */
const useShownColumn = (
  gridRef: { readonly current: HTMLDivElement | null },
  { row, column }: GridCursor,
): void => {
  useEffect(() => {
    const grid = gridRef.current;
    const cell = grid?.querySelector(`[data-place="${row} ${column}"]`);
    if (grid == null || cell == null) return;
    const [outer, inner] = [grid.getBoundingClientRect(), cell.getBoundingClientRect()];
    if (inner.left < outer.left) grid.scrollLeft -= outer.left - inner.left;
    else if (inner.right > outer.right) grid.scrollLeft += inner.right - outer.right;
  }, [column]);
};

type OpenedProps = GridProps & {
  readonly open: Open | null;
  readonly setOpen: Dispatch<StateUpdater<Open | null>>;
  readonly onClose: () => void;
  readonly gridRef: { current: HTMLDivElement | null };
  readonly cursor: GridCursor;
  readonly onCursor: (cursor: GridCursor) => void;
  readonly cells: ReturnType<typeof useCells>;
};

const moves = { down: [1, 0], right: [0, 1], left: [0, -1], stay: [0, 0] } as const;

/** The editor, menu or dialog that is open over the grid. */
const Opened = (props: OpenedProps) => {
  const { clipboard } = useSurroundings();
  const { cells, cursor, editing, folded, open, onClose, setOpen } = props;
  const name = `${cells.column?.name ?? ''} of row ${cursor.row + 1}`;
  const cell = cells.shown?.cell ?? null;
  if (open === null) return null;
  if (open.is === 'editor') {
    return (
      <CellEditor
        grid={props.gridRef}
        cursor={cursor}
        label={name}
        text={cellText(cell)}
        onEnd={({ text, move }) => {
          if (text !== null) cells.set(text);
          const [rows, columns] = moves[move];
          props.onCursor({
            row: cursor.row + rows,
            column: Math.max(leadingColumns, cursor.column + columns),
          });
          onClose();
        }}
        onSave={() => props.onSave?.()}
      />
    );
  }
  if (open.is === 'cell') return <CellDialog title={name} cell={cell} onClose={onClose} />;
  if (open.is === 'column') {
    const { column } = open;
    return (
      <ColumnDialog
        columns={folded.columns}
        column={column}
        onClose={onClose}
        onName={(next) => {
          editing?.apply([
            column === null
              ? { type: 'column-added', column: nextColumnKey(folded.columns), name: next }
              : { type: 'column-renamed', column: column.key, name: next },
          ]);
          onClose();
        }}
      />
    );
  }
  return (
    <RowMenu
      place={open}
      row={cells.place}
      column={cells.column}
      {...(editing !== null && {
        onChange: (change) => {
          const isTaken =
            change.type === 'column-restored' &&
            columnNameFault(folded.columns, cells.column?.name ?? '', change.column) !== null;
          if (!isTaken) editing.apply([change]);
        },
      })}
      onEdit={() => setOpen({ is: cells.canEdit ? 'editor' : 'cell' })}
      onEmpty={cells.empty}
      onRead={() => setOpen({ is: 'cell' })}
      onCopy={() => void clipboard.copy(cellText(cell))}
      onRename={(column) => setOpen({ is: 'column', column })}
      // The menu closes when it loses the focus, too, as to what it opened.
      onClose={() => setOpen((current) => (current?.is === 'menu' ? null : current))}
    />
  );
};
