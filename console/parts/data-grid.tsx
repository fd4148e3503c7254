import type { ComponentChildren, RefObject } from 'preact';
import { useEffect, useId, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { extendedRange, selectedCount, toggledRow, toggledRows } from './grid-selection.js';
import { rowWindow, scrollToRow } from './windowing.js';

export type GridColumn<R> = {
  readonly id: string;
  readonly label: string;
  /** Pixels at least; columns share what is left. */
  readonly width: number;
  readonly isNumber?: boolean;
  /** Has its width alone, whatever is left. */
  readonly isFixed?: boolean;
  readonly isSortable?: boolean;
  /** Shown in the cards of narrow screens, too. */
  readonly isPrimary?: boolean;
  readonly cell: (row: R) => ComponentChildren;
  /** Shown in its head instead of the label, which stays its title. */
  readonly head?: ComponentChildren;
};

/** Cell that the keyboard is at. */
export type GridCursor = { readonly row: number; readonly column: number };

export type GridSort = { readonly column: string; readonly ascending: boolean };

type Props<R> = {
  readonly label: string;
  readonly columns: readonly GridColumn<R>[];
  readonly rows: readonly R[];
  readonly keyOf: (row: R) => string;
  /** Rows that there are, of which `rows` may be the first. */
  readonly totalRows: number;
  readonly cursor: GridCursor;
  readonly onCursor: (cursor: GridCursor) => void;
  readonly onOpen?: (row: R) => void;
  /** Keys of the selected rows; with `onSelect` each row has a box. */
  readonly selected?: ReadonlySet<string>;
  readonly onSelect?: (selected: ReadonlySet<string>) => void;
  readonly sort?: GridSort | null;
  readonly onSort?: (column: string) => void;
  /** Menu of a cell, wanted at this place of the screen. */
  readonly onMenu?: (cursor: GridCursor, place: { readonly x: number; readonly y: number }) => void;
  /** Further keys while the grid has the focus. */
  readonly keys?: Readonly<Record<string, (cursor: GridCursor) => void>>;
  /** Called when the last rows come into sight. */
  readonly onEnd?: () => void;
  /** Called with the rows that are drawn, whenever they change. */
  readonly onWindow?: (first: number, count: number) => void;
  readonly isStale?: boolean;
  readonly gridRef?: RefObject<HTMLDivElement | null>;
};

const usualRowPixels = 28;
const boxPixels = 32;
/** Height of the rows until it is measured. */
const usualPixels = 800;

/**
 * A grid that draws a window over rows of one height. It is one tab stop: arrow keys or `j` and `k`
 * move the cursor, `Enter` opens, `x` selects; with Shift both select all rows on the way. The
 * number of selected rows is announced.
 */
export const DataGrid = <R,>(props: Props<R>) => {
  const { columns, rows, cursor } = props;
  const own = useRef<HTMLDivElement>(null);
  const grid = props.gridRef ?? own;
  const head = useRef<HTMLDivElement | null>(null);
  const id = useId();
  const { drawn, rowPixels, onScroll } = useRowWindow(grid, head, rows.length, cursor.row);
  const isAtEnd = drawn.first + drawn.count >= rows.length;
  useEffect(() => {
    if (isAtEnd) props.onEnd?.();
  }, [isAtEnd, rows.length]);
  useEffect(() => props.onWindow?.(drawn.first, drawn.count), [drawn.first, drawn.count]);
  const selection = useSelection(props);
  const hasBoxes = selection !== null;
  // A row is drawn once and calls what the grid was given last.
  const latest = useRef({ grid: props, selection });
  latest.current = { grid: props, selection };
  // On narrow screens a row is a card with a line for each of these.
  const primary = columns.filter(({ isPrimary }) => isPrimary === true);
  return (
    <>
      <div
        ref={grid}
        class="data-grid"
        role="grid"
        tabIndex={0}
        aria-label={props.label}
        aria-rowcount={props.totalRows + 1}
        aria-colcount={columns.length + Number(hasBoxes)}
        aria-multiselectable={hasBoxes}
        aria-activedescendant={rows.length > 0 ? cellId(id, cursor) : undefined}
        aria-busy={props.isStale === true}
        style={{ ...sizesOf(columns, hasBoxes), '--card-lines': String(primary.length) }}
        onScroll={onScroll}
        onKeyDown={(event) => onKey(event, props, selection)}
        onContextMenu={(event) => openMenu(event, props, cellId(id, cursor))}
      >
        <div role="rowgroup" class="grid-head" ref={head}>
          <div role="row" class="grid-row" aria-rowindex={1}>
            {selection !== null && <AllRowsBox selection={selection} rows={rows.length} />}
            {columns.map((column) => (
              <HeadCell key={column.id} column={column} sort={props.sort} onSort={props.onSort} />
            ))}
          </div>
        </div>
        <div role="rowgroup" class="grid-body" style={{ height: `${rows.length * rowPixels}px` }}>
          {rows.slice(drawn.first, drawn.first + drawn.count).map((row, offset) => (
            <Row
              key={props.keyOf(row)}
              latest={latest}
              row={row}
              index={drawn.first + offset}
              top={(drawn.first + offset) * rowPixels}
              id={id}
            />
          ))}
        </div>
      </div>
      <span class="visually-hidden" role="status">
        {selection !== null && selectedText(selection.count, rows.length)}
      </span>
    </>
  );
};

const AllRowsBox = (props: { readonly selection: GridSelection; readonly rows: number }) => {
  const { selection, rows } = props;
  const areAll = selection.count === rows;
  return (
    <div role="columnheader" class="grid-cell">
      <input
        type="checkbox"
        tabIndex={-1}
        checked={areAll && rows > 0}
        indeterminate={selection.count > 0 && !areAll}
        aria-label={`Select all ${rows.toLocaleString('en')} rows`}
        onClick={selection.toggleAll}
      />
    </div>
  );
};

const selectedText = (count: number, rows: number): string =>
  `${count.toLocaleString('en')} of ${rows.toLocaleString('en')} rows selected`;

/** The selected rows and the ways to change them; null for a grid whose rows are not selected. */
const useSelection = <R,>(props: Props<R>) => {
  const { rows, keyOf, selected = noRows, onSelect } = props;
  /** The row that was selected or left out last, from which Shift selects. */
  const last = useRef<string | null>(null);
  /** The row where the arrow keys with Shift began. */
  const anchor = useRef<number | null>(null);
  const keys = useMemo(() => rows.map(keyOf), [rows]);
  const count = useMemo(() => selectedCount(selected, keys), [selected, keys]);
  if (onSelect === undefined) return null;
  return {
    count,
    toggle: (key: string, isRange: boolean): void => {
      onSelect(toggledRow(selected, keys, key, isRange ? last.current : null));
      last.current = key;
    },
    toggleAll: (): void => onSelect(toggledRows(selected, keys)),
    extend: (from: number, to: number): void => {
      anchor.current ??= from;
      onSelect(extendedRange(selected, keys, anchor.current, [from, to]));
    },
    endExtension: (): void => {
      anchor.current = null;
    },
  };
};
const noRows: ReadonlySet<string> = new Set();
type GridSelection = NonNullable<ReturnType<typeof useSelection>>;

/** The rows to draw: a window that follows scrolling, and shows the row of the cursor. */
const useRowWindow = (
  grid: RefObject<HTMLElement | null>,
  head: RefObject<HTMLElement | null>,
  rows: number,
  cursorRow: number,
) => {
  const [rowPixels, setRowPixels] = useState(usualRowPixels);
  const [height, setHeight] = useState(usualPixels);
  const [top, setTop] = useState(0);
  const measure = (): void => {
    const row = grid.current?.querySelector<HTMLElement>('.grid-body > .grid-row') ?? head.current;
    setRowPixels(row?.offsetHeight ?? usualRowPixels);
    setHeight(grid.current?.clientHeight ?? usualPixels);
  };
  useLayoutEffect(measure);
  useLayoutEffect(() => {
    if (grid.current === null) return;
    const view = { rowHeight: rowPixels, top: grid.current.scrollTop };
    const seen = grid.current.clientHeight - (head.current?.offsetHeight ?? 0);
    grid.current.scrollTop = scrollToRow(cursorRow, { ...view, height: seen });
  }, [cursorRow, rowPixels]);
  const drawn = rowWindow({ rows, rowHeight: rowPixels, top, height: height + rowPixels });
  // Row by row, so that no key has to draw several.
  const onScroll = ({ currentTarget: { scrollTop } }: { readonly currentTarget: Element }): void =>
    setTop(Math.floor(scrollTop / rowPixels) * rowPixels);
  return { drawn, rowPixels, onScroll };
};

const cellId = (id: string, { row, column }: GridCursor): string => `${id}-${row}-${column}`;

/** Properties for the style sheet: the columns of each row, and its least width. */
const sizesOf = <R,>(
  columns: readonly GridColumn<R>[],
  hasBoxes: boolean,
): Readonly<Record<string, string>> => {
  const widths = columns.map(({ width, isNumber, isFixed }) => {
    if (isFixed === true) return `${width}px`;
    return isNumber === true ? `minmax(${width}px, 0.4fr)` : `minmax(${width}px, 1fr)`;
  });
  const boxes = hasBoxes ? [`${boxPixels}px`] : [];
  return {
    '--grid-columns': [...boxes, ...widths].join(' '),
    '--grid-width': `${columns.reduce((sum, { width }) => sum + width, boxPixels)}px`,
  };
};

const HeadCell = <R,>(props: {
  readonly column: GridColumn<R>;
  readonly sort: GridSort | null | undefined;
  readonly onSort: ((column: string) => void) | undefined;
}) => {
  const { column, sort, onSort } = props;
  const isSorted = sort?.column === column.id;
  const direction = isSorted && sort.ascending ? 'ascending' : 'descending';
  return (
    <div
      role="columnheader"
      class={cellClass(column)}
      aria-sort={isSorted ? direction : undefined}
      title={column.label}
    >
      {column.isSortable === true && onSort !== undefined ? (
        <button type="button" tabIndex={-1} onClick={() => onSort(column.id)}>
          {column.label}
          {isSorted && <span aria-hidden="true">{sort.ascending ? ' ↑' : ' ↓'}</span>}
        </button>
      ) : (
        (column.head ?? column.label)
      )}
    </div>
  );
};

const cellClass = <R,>({ isNumber, isPrimary }: GridColumn<R>): string =>
  `grid-cell${isNumber === true ? ' number' : ''}${isPrimary === true ? '' : ' secondary'}`;

/** Latest state of a grid, for the handlers of rows that are not drawn again. */
type LatestGrid<R> = { readonly grid: Props<R>; readonly selection: GridSelection | null };

/** A row, drawn again only when something that it shows has changed. */
const Row = <R,>(props: {
  readonly latest: { readonly current: LatestGrid<R> };
  readonly row: R;
  readonly index: number;
  readonly top: number;
  readonly id: string;
}) => {
  const { latest, row, index, top, id } = props;
  const { grid, selection } = latest.current;
  const { columns, cursor, keyOf, selected = noRows } = grid;
  const isSelected = selection === null ? undefined : selected.has(keyOf(row));
  const activePlace = cursor.row === index ? cursor.column : null;
  const hasMenu = grid.onMenu !== undefined;
  const texts = useMemo(() => columns.map(({ cell }) => cell(row)), [columns, row]);
  const draw = () => (
    <div
      role="row"
      class={`grid-row${activePlace === null ? '' : ' current'}`}
      aria-rowindex={index + 2}
      aria-selected={isSelected}
      style={{ top: `${top}px` }}
      onDblClick={() => latest.current.grid.onOpen?.(row)}
    >
      {isSelected !== undefined && (
        <div role="gridcell" class="grid-cell">
          <input
            type="checkbox"
            tabIndex={-1}
            checked={isSelected}
            aria-label={`Select row ${index + 1}`}
            // With Shift the browser would select the text between.
            onMouseDown={(event) => event.shiftKey && event.preventDefault()}
            onClick={(event) => latest.current.selection?.toggle(keyOf(row), event.shiftKey)}
          />
        </div>
      )}
      {columns.map((column, place) => (
        <div
          key={column.id}
          id={cellId(id, { row: index, column: place })}
          role="gridcell"
          class={`${cellClass(column)}${place === activePlace ? ' active' : ''}`}
          data-label={column.label}
          data-place={`${index} ${place}`}
          onClick={() => latest.current.grid.onCursor({ row: index, column: place })}
        >
          <span class="grid-text">{texts[place]}</span>
          {place === activePlace && hasMenu && (
            <button
              type="button"
              tabIndex={-1}
              class="grid-menu"
              aria-label={`Actions for ${column.label}`}
              onClick={(event) => openMenu(event, latest.current.grid, '')}
            >
              ⋯
            </button>
          )}
        </div>
      ))}
    </div>
  );
  return useMemo(draw, [columns, texts, index, top, isSelected, activePlace, hasMenu, id]);
};

/** Opens the menu of the cell under the event, else of the cell with this id. */
const openMenu = <R,>(event: MouseEvent, { onMenu }: Props<R>, activeId: string): void => {
  if (onMenu === undefined) return;
  const grid = event.currentTarget as Element;
  const under = event.target instanceof Element ? event.target.closest('[data-place]') : null;
  const cell = under ?? grid.ownerDocument.getElementById(activeId);
  const [row, column] = (cell?.getAttribute('data-place') ?? '').split(' ').map(Number);
  if (cell === null || row === undefined || column === undefined) return;
  event.preventDefault();
  const { left, bottom } = cell.getBoundingClientRect();
  onMenu({ row, column }, { x: left, y: bottom });
};

const pageRows = 20;

const onKey = <R,>(event: KeyboardEvent, grid: Props<R>, selection: GridSelection | null): void => {
  if (grid.rows.length === 0) return;
  const isAll = event.key === 'a' && (event.ctrlKey || event.metaKey) && selection !== null;
  if (!isAll && (event.ctrlKey || event.metaKey || event.altKey)) return;
  const isWithinControl =
    event.target !== event.currentTarget &&
    event.target instanceof Element &&
    event.target.matches('button, a') &&
    event.key === 'Enter';
  if (isWithinControl) return;
  const { cursor } = grid;
  const lastRow = grid.rows.length - 1;
  const rowAt = (row: number): number => Math.max(0, Math.min(row, lastRow));
  const to = (row: number, column: number): void => {
    grid.onCursor({
      row: rowAt(row),
      column: Math.max(0, Math.min(column, grid.columns.length - 1)),
    });
  };
  const isExtending = event.shiftKey && event.key.startsWith('Arrow');
  const by = (rows: number, columns = 0): void => {
    if (isExtending && rows !== 0) selection?.extend(cursor.row, rowAt(cursor.row + rows));
    to(cursor.row + rows, cursor.column + columns);
  };
  const row = grid.rows[cursor.row];
  const moves: Readonly<Record<string, () => void>> = {
    ArrowDown: () => by(1),
    j: () => by(1),
    ArrowUp: () => by(-1),
    k: () => by(-1),
    ArrowRight: () => by(0, 1),
    ArrowLeft: () => by(0, -1),
    PageDown: () => by(pageRows),
    PageUp: () => by(-pageRows),
    Home: () => to(0, cursor.column),
    End: () => to(lastRow, cursor.column),
    ...(row !== undefined && grid.onOpen !== undefined && { Enter: () => grid.onOpen?.(row) }),
    ...(row !== undefined && selection !== null && selectionKeys(selection, grid.keyOf(row))),
  };
  const run = isAll ? selection.toggleAll : (moves[event.key] ?? grid.keys?.[event.key]);
  if (run === undefined) return;
  event.preventDefault();
  if (!isExtending) selection?.endExtension();
  run(cursor);
};

const selectionKeys = ({ toggle }: GridSelection, key: string) => ({
  x: () => toggle(key, false),
  X: () => toggle(key, true),
});
