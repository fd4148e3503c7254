import { useState } from 'preact/hooks';
import type { Column } from '../../clients/typescript/src/generated/traces-types.js';
import { useSurroundings } from '../client/context.js';
import { kindOf, useColumns } from '../client/filter-context.js';
import { useKeys } from '../client/keys.js';
import type { FilterContext } from '../language/catalogue.js';
import type { FilterTree } from '../language/filter-tree.js';
import { DataGrid, type GridCursor } from '../parts/data-grid.js';
import { BehindNotice, EmptyNotice, FaultNotice, Skeleton } from '../parts/notice.js';
import { useExploredRecords } from './explored.js';
import { countText, shownColumns } from './model.js';
import { recordKey, rowsMax } from './questions.js';
import { gridColumns, recordPath, recordView, useInstantScale } from './record-grid.js';
import type { ExplorerView } from './state.js';
import { VolumeStrip } from './strip.js';

type Props = {
  readonly projectId: string;
  readonly context: FilterContext;
  readonly view: ExplorerView;
  readonly tree: FilterTree | null;
  readonly onChange: (change: Partial<ExplorerView>) => void;
};

/** The records of the view: counts, strip and grid. */
export const Records = (props: Props) => {
  const { view, tree } = props;
  const { population } = props.context;
  const explored = useExploredRecords(props.projectId, population, view, tree);
  const { first, rows, added, isReady } = explored;
  useKeys([{ keys: '.', what: 'Ask now', run: explored.refresh }], []);
  return (
    <div class="explorer-main">
      <div class="spread">
        <span role="status">
          {countText(explored.matching, explored.all, kindOf[population])}
          {first.value !== undefined && ` · ${(first.value.ms / 1_000).toFixed(2)} s`}
        </span>
        {added > 0 && (
          <button type="button" class="pill" onClick={explored.refresh}>
            {added.toLocaleString('en')} new
          </button>
        )}
      </div>
      {view.hasStrip && population !== 'session' && (
        <VolumeStrip
          population={population}
          question={explored.everything}
          tree={tree}
          isReady={isReady}
          onRange={(range) => props.onChange({ range })}
        />
      )}
      <FaultNotice fault={first.fault ?? explored.furtherFault} onRetry={first.refetch} />
      <BehindNotice isBehind={first.isBehind} />
      {first.isLoading && <Skeleton />}
      {isReady && rows.length === 0 && <EmptyNotice title="Nothing matches" />}
      {rows.length > 0 && <Grid {...props} explored={explored} />}
      {explored.hasMore && rows.length >= rowsMax && (
        <p class="note">The first 10,000 rows are shown. Narrow the filter or export.</p>
      )}
    </div>
  );
};

const Grid = (props: Props & { readonly explored: ReturnType<typeof useExploredRecords> }) => {
  const { navigation } = useSurroundings();
  const { explored, projectId, view } = props;
  const { population } = props.context;
  const columns: readonly Column[] = useColumns(projectId, population, true) ?? [];
  const shown = shownColumns(columns, view.columns, population);
  const scale = useInstantScale();
  const [cursor, setCursor] = useState<GridCursor>({ row: 0, column: 0 });
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const sortBy = (column: string): void => {
    const isSorted = view.sort?.column === column;
    const isUp = isSorted && view.sort?.isAscending === true;
    props.onChange({ sort: isUp ? null : { column, isAscending: isSorted } });
  };
  return (
    <DataGrid
      label={kindOf[population]}
      columns={gridColumns(shown, projectId, navigation.href, scale)}
      rows={explored.rows}
      keyOf={recordKey}
      totalRows={explored.matching ?? explored.rows.length}
      cursor={cursor}
      onCursor={setCursor}
      onOpen={(record) => navigation.go(recordPath(projectId, record), recordView(record))}
      selected={selected}
      onToggle={(record) => setSelected(toggled(selected, recordKey(record)))}
      sort={view.sort}
      onSort={sortBy}
      onEnd={() => void explored.more()}
      isStale={explored.first.isPrevious}
    />
  );
};

const toggled = (set: ReadonlySet<string>, key: string): ReadonlySet<string> => {
  const next = new Set(set);
  if (!next.delete(key)) next.add(key);
  return next;
};
