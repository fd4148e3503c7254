import type { RefObject } from 'preact';
import type { Dataset } from '../../clients/typescript/src/generated/datasets-types.js';
import { DataGrid, type GridColumn, type GridCursor } from '../parts/data-grid.js';
import { RecordedWord } from '../parts/recorded-text.js';
import { markedText } from '../parts/text-pieces.js';
import { cellText } from './cells.js';
import type { DraftColumn } from './changes.js';
import type { GridModel } from './grid-model.js';
import { columnPurpose } from './mapping.js';

type Place = { readonly x: number; readonly y: number };

type Props = {
  readonly label: string;
  readonly grid: GridModel;
  readonly columns: readonly DraftColumn[];
  readonly mapping: Dataset['column_mapping'];
  readonly gridRef: RefObject<HTMLDivElement | null>;
  readonly cursor: GridCursor;
  readonly onCursor: (cursor: GridCursor) => void;
  readonly onOpen: () => void;
  readonly onMenu: (cursor: GridCursor, place: Place) => void;
  readonly onWindow: (first: number, count: number) => void;
  readonly keys?: Readonly<Record<string, (cursor: GridCursor) => void>>;
  readonly isStale: boolean;
};

/** Columns before those of the dataset: the number of the row. */
export const leadingColumns = 1;

/** Rows of a version, with the changes that are not saved marked in them. */
export const RowGrid = (props: Props) => {
  const { grid, columns, mapping } = props;
  const rows = Array.from({ length: grid.rowCount }, (_row, index) => index);
  return (
    <DataGrid
      gridRef={props.gridRef}
      label={props.label}
      columns={[
        numberColumn(grid),
        ...columns.map((column, place) =>
          dataColumn(grid, column, mapping, (at) =>
            props.onMenu({ row: props.cursor.row, column: place + leadingColumns }, at),
          ),
        ),
      ]}
      rows={rows}
      keyOf={String}
      totalRows={grid.rowCount}
      cursor={props.cursor}
      onCursor={props.onCursor}
      onOpen={props.onOpen}
      onMenu={props.onMenu}
      onWindow={props.onWindow}
      isStale={props.isStale}
      {...(props.keys !== undefined && { keys: props.keys })}
    />
  );
};

const numberColumn = (grid: GridModel): GridColumn<number> => ({
  id: '#',
  label: '#',
  width: 72,
  isNumber: true,
  isFixed: true,
  isPrimary: true,
  cell: (index) => {
    const place = grid.placeOf(index);
    const isNew = place !== null && place.index === null;
    if (isNew) return <span class="cell-new">new</span>;
    if (place?.isGone === true) return <del class="cell-gone">{index + 1}</del>;
    return <span class="muted">{index + 1}</span>;
  },
});

const numberPixels = 120;
const textPixels = 176;

const dataColumn = (
  grid: GridModel,
  column: DraftColumn,
  mapping: Dataset['column_mapping'],
  onMenu: (place: Place) => void,
): GridColumn<number> => {
  const isNumber = grid.kindAt(column) === 'number';
  return {
    id: column.key,
    label: markedText(column.name),
    width: isNumber ? numberPixels : textPixels,
    isNumber,
    isPrimary: true,
    head: <ColumnHead column={column} mapping={mapping} onMenu={onMenu} />,
    cell: (index) => <CellText grid={grid} index={index} column={column} />,
  };
};

const ColumnHead = (props: {
  readonly column: DraftColumn;
  readonly mapping: Dataset['column_mapping'];
  readonly onMenu: (place: Place) => void;
}) => {
  const { base, name, isRemoved } = props.column;
  const purpose = base === null ? null : columnPurpose(props.mapping, base);
  const isChanged = base !== name && !isRemoved;
  const text = markedText(name);
  return (
    <button
      type="button"
      tabIndex={-1}
      onClick={(event) => {
        const { left, bottom } = event.currentTarget.getBoundingClientRect();
        props.onMenu({ x: left, y: bottom });
      }}
    >
      {isRemoved ? <del>{text}</del> : text}
      {isChanged && <span class="cell-mark"> *</span>}
      {purpose !== null && <span class="column-purpose"> ({markedText(purpose)})</span>}
    </button>
  );
};

const CellText = (props: {
  readonly grid: GridModel;
  readonly index: number;
  readonly column: DraftColumn;
}) => {
  const { grid, index, column } = props;
  const shown = grid.cellAt(index, column);
  if (shown === null) return <span class="muted">…</span>;
  const isGone = column.isRemoved || grid.placeOf(index)?.isGone === true;
  const text =
    shown.cell === null ? <span class="muted">–</span> : <RecordedWord text={lineOf(shown.cell)} />;
  if (isGone) return <del class="cell-gone">{text}</del>;
  if (!shown.isChanged) return text;
  return (
    <span class="cell-changed" title={`Before: ${markedText(lineOf(shown.before)) || '–'}`}>
      {text}
      <span class="cell-mark"> *</span>
    </span>
  );
};

/** Characters of a cell's line; the rest is cut by its width anyway. */
const lineMax = 200;
const lineOf = (cell: Parameters<typeof cellText>[0]): string =>
  cellText(cell).slice(0, lineMax).replace(/\s+/g, ' ');
