import { Menu } from '../parts/menu.js';
import { markedText } from '../parts/text-pieces.js';
import type { DatasetChange, DraftColumn } from './changes.js';

type Props = {
  readonly place: { readonly x: number; readonly y: number };
  readonly row: {
    readonly row: string;
    readonly index: number | null;
    readonly isGone: boolean;
  } | null;
  /** Null: the number of the row. */
  readonly column: DraftColumn | null;
  /** Undefined: read-only. */
  readonly onChange?: (change: DatasetChange) => void;
  readonly onEdit: () => void;
  readonly onEmpty: () => void;
  readonly onRead: () => void;
  readonly onCopy: () => void;
  readonly onRename: (column: DraftColumn) => void;
  readonly onClose: () => void;
};

/** Actions on a cell, its row and its column. */
export const RowMenu = (props: Props) => {
  const { row, column, onChange } = props;
  const items = [
    ...(column === null ? [] : cellItems(props)),
    ...(onChange === undefined || row === null ? [] : [rowItem(row, onChange)]),
    ...(onChange === undefined || column === null ? [] : columnItems(props, column, onChange)),
  ];
  return <Menu label="Actions" place={props.place} items={items} onClose={props.onClose} />;
};

const cellItems = ({ onChange, onEdit, onEmpty, onRead, onCopy }: Props) => [
  ...(onChange === undefined ? [] : [{ text: 'Edit', run: onEdit }]),
  { text: 'Read', run: onRead },
  { text: 'Copy', run: onCopy },
  ...(onChange === undefined ? [] : [{ text: 'Empty', run: onEmpty }]),
];

type Change = (change: DatasetChange) => void;

const rowItem = ({ row, index, isGone }: NonNullable<Props['row']>, onChange: Change) => {
  const name = index === null ? 'the new row' : `row ${index + 1}`;
  return isGone
    ? { text: `Keep ${name}`, run: () => onChange({ type: 'row-restored', row }) }
    : { text: `Remove ${name}`, run: () => onChange({ type: 'row-removed', row, index }) };
};

const columnItems = ({ onRename }: Props, column: DraftColumn, onChange: Change) => {
  const { key, isRemoved } = column;
  const name = `column ${markedText(column.name)}`;
  if (isRemoved) {
    const run = (): void => onChange({ type: 'column-restored', column: key });
    return [{ text: `Keep ${name}`, run }];
  }
  return [
    { text: `Rename ${name}…`, run: () => onRename(column) },
    { text: `Remove ${name}`, run: () => onChange({ type: 'column-removed', column: key }) },
  ];
};
