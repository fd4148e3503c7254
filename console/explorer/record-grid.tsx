import { useMemo, useRef, useState } from 'preact/hooks';
import type { Column } from '../../clients/typescript/src/generated/traces-types.js';
import { useSurroundings } from '../client/context.js';
import { kindOf } from '../client/filter-context.js';
import { selectionKeys, useGridKeys } from '../client/keys.js';
import type { FilterTree } from '../language/filter-tree.js';
import { DataGrid, type GridCursor, type GridSort } from '../parts/data-grid.js';
import { Menu } from '../parts/menu.js';
import type { ExploredRecord } from './cell-text.js';
import { cellConditions, type CellConditions } from './value-menu.js';
import { withTerm } from './facet-edits.js';
import type { RecordsProps, useExploredRecords } from './explored.js';
import { recordKey } from './questions.js';
import { gridColumns, recordPath, recordView, useInstantScale } from './record-columns.js';
import { SelectionBar } from './selection-bar.js';
import type { ExplorerView } from './state.js';

type Props = RecordsProps & {
  readonly explored: ReturnType<typeof useExploredRecords>;
  readonly columns: readonly Column[];
  readonly shown: readonly Column[];
  readonly spanColumns: readonly Column[];
};

type OpenMenu = { readonly cursor: GridCursor; readonly x: number; readonly y: number };

/** The rows, the menu of a value, and the actions on selected rows. */
export const RecordGrid = (props: Props) => {
  const { navigation } = useSurroundings();
  const { explored, projectId, view } = props;
  const { population } = props.context;
  const grid = useRef<HTMLDivElement | null>(null);
  const [wanted, setCursor] = useState<GridCursor>({ row: 0, column: 0 });
  const cursor = within(wanted, explored.rows.length, props.shown.length);
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const [menu, setMenu] = useState<OpenMenu | null>(null);
  const conditionsAt = (at: GridCursor): CellConditions | null => {
    const [record, column] = [explored.rows[at.row], props.shown[at.column]];
    if (record === undefined || column === undefined) return null;
    return cellConditions(record, column, population, props.spanColumns);
  };
  const add = (term: FilterTree | null | undefined): void =>
    term == null ? undefined : props.onTree(withTerm(props.tree, term));
  const placeOf = useRecordPlaces(projectId, view, explored.rows);
  const sortBy = (column: string): void => props.onChange({ sort: nextSort(view.sort, column) });
  useGridKeys(grid, gridKeys);
  const records =
    selected.size === 0 ? [] : explored.rows.filter((record) => selected.has(recordKey(record)));
  const columns = useGridColumns(props.shown, placeOf);
  return (
    <>
      <DataGrid
        gridRef={grid}
        label={kindOf[population]}
        columns={columns}
        rows={explored.rows}
        keyOf={recordKey}
        totalRows={explored.matching ?? explored.rows.length}
        cursor={cursor}
        onCursor={setCursor}
        onOpen={(record) => navigation.go(...placeOf(record))}
        selected={selected}
        onSelect={setSelected}
        sort={view.sort}
        onSort={sortBy}
        onMenu={(at, place) => {
          setCursor(at);
          setMenu({ cursor: at, ...place });
        }}
        keys={{
          '+': (at) => add(conditionsAt(at)?.only),
          '-': (at) => add(conditionsAt(at)?.not),
          s: ({ column }) => sortBy(props.shown[column]?.id ?? 'created_at'),
        }}
        onEnd={() => void explored.more()}
        isStale={explored.first.isPrevious}
      />
      {menu !== null && (
        <ValueMenu
          place={menu}
          conditions={conditionsAt(menu.cursor)}
          onAdd={add}
          onClose={() => setMenu(null)}
        />
      )}
      {records.length > 0 && (
        <SelectionBar
          population={population}
          projectId={projectId}
          records={records}
          columns={props.columns}
          onClear={() => setSelected(new Set())}
        />
      )}
    </>
  );
};

const gridKeys = [
  ...selectionKeys,
  { keys: 's', what: 'Sort by the column' },
  { keys: '+', what: 'Only this value' },
  { keys: '-', what: 'Not this value' },
];

/** Path and view of the page of a record, which knows the list that it is opened from. */
const useRecordPlaces = (
  projectId: string,
  view: ExplorerView,
  records: readonly ExploredRecord[],
) =>
  useMemo(() => {
    const rows = new Map(records.map((record, index) => [record, index + 1]));
    return (record: ExploredRecord): readonly [path: string, view: string] => [
      recordPath(projectId, record),
      recordView(record, view, rows.get(record) ?? 0),
    ];
  }, [projectId, view, records]);

/** The same columns while the cursor moves, so that no cell is made anew for a key. */
const useGridColumns = (
  shown: readonly Column[],
  placeOf: ReturnType<typeof useRecordPlaces>,
): ReturnType<typeof gridColumns> => {
  const { navigation } = useSurroundings();
  const scale = useInstantScale();
  return useMemo(
    () => gridColumns(shown, (record) => navigation.href(...placeOf(record)), scale),
    [shown, placeOf, scale.zone],
  );
};

/** The cursor, or the nearest cell of a grid that became smaller. */
const within = ({ row, column }: GridCursor, rows: number, columns: number): GridCursor => ({
  row: Math.min(row, rows - 1),
  column: Math.min(column, columns - 1),
});

/** Descending first, then ascending, then the usual order. */
const nextSort = (sort: GridSort | null, column: string): GridSort | null => {
  if (sort?.column !== column) return { column, ascending: false };
  return sort.ascending ? null : { column, ascending: true };
};

const ValueMenu = (props: {
  readonly place: { readonly x: number; readonly y: number };
  readonly conditions: CellConditions | null;
  readonly onAdd: (term: FilterTree) => void;
  readonly onClose: () => void;
}) => {
  const { clipboard } = useSurroundings();
  const { conditions } = props;
  const term = (text: string, tree: FilterTree | null | undefined) =>
    tree == null ? [] : [{ text, run: () => props.onAdd(tree) }];
  return (
    <Menu
      label="Value"
      place={props.place}
      items={[
        ...term('Only this', conditions?.only),
        ...term('Not this', conditions?.not),
        ...term('Any span with this', conditions?.anySpan),
        { text: 'Copy', run: () => void clipboard.copy(conditions?.text ?? '') },
      ]}
      onClose={props.onClose}
    />
  );
};
