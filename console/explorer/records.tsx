import { useState } from 'preact/hooks';
import type { Column } from '../../clients/typescript/src/generated/traces-types.js';
import { useSurroundings } from '../client/context.js';
import { kindOf, useColumnsQuery } from '../client/filter-context.js';
import { useKeys } from '../client/keys.js';
import type { Query } from '../client/queries.js';
import { Button } from '../parts/button.js';
import { BehindNotice, FaultNotice, Skeleton } from '../parts/notice.js';
import { scopeCodec } from '../parts/record-scope.js';
import { ColumnsDialog } from './columns-dialog.js';
import { EmptyRecords } from './empty-records.js';
import { useExploredRecords, type RecordsProps } from './explored.js';
import { FacetList } from './facet-list.js';
import { facetsOf } from './facets.js';
import { countText, shownColumns } from './model.js';
import { rowsMax } from './questions.js';
import { RecordExport } from './record-export.js';
import { RecordGrid } from './record-grid.js';
import type { ExplorerView } from './state.js';
import { VolumeStrip } from './strip.js';

/** The records of the view: facets, counts, strip and grid. */
export const Records = (props: RecordsProps) => {
  const { projectId, view, tree } = props;
  const { population } = props.context;
  const asked = useColumnsQuery(projectId, population, true);
  const askedOfSpans = useColumnsQuery(projectId, 'span', population === 'trace');
  const [own, ofSpans] = [asked.value?.columns, askedOfSpans.value?.columns];
  const [columns, spanColumns] = [own ?? noColumns, ofSpans ?? noColumns];
  const shown = shownColumns(columns, view.cols, population);
  const known = own === undefined ? undefined : shown;
  const explored = useExploredRecords(projectId, population, view, tree, known);
  const isKnown = own !== undefined && (population !== 'trace' || ofSpans !== undefined);
  const facets = isKnown ? facetsOf(population, columns, spanColumns) : [];
  const [isChoosing, setIsChoosing] = useState(false);
  const hasFacets = view.facets === 'on' && facets.length > 0;
  const { rows, isAnswered, everything } = explored;
  return (
    <div class={`explorer-body${hasFacets ? ' with-facets' : ''}`}>
      {hasFacets && (
        <FacetList
          facets={facets}
          population={population}
          question={everything}
          tree={tree}
          isReady={isAnswered}
          onTree={props.onTree}
        />
      )}
      <div class="explorer-main">
        <Toolbar {...props} explored={explored} onColumns={() => setIsChoosing(true)} />
        {view.strip === 'on' && population !== 'session' && (
          <VolumeStrip
            population={population}
            question={everything}
            tree={tree}
            isReady={isAnswered}
            onRange={(range) => props.onChange({ t: range })}
          />
        )}
        <Outcome {...props} explored={explored} columns={[asked, askedOfSpans]} />
        {rows.length > 0 && (
          <RecordGrid
            {...props}
            explored={explored}
            columns={columns}
            shown={shown}
            spanColumns={spanColumns}
          />
        )}
        {explored.hasMore && rows.length >= rowsMax && (
          <p class="note">The first 10,000 rows are shown. Narrow the filter or export.</p>
        )}
      </div>
      {isChoosing && (
        <ColumnsDialog
          columns={columns}
          shown={shown}
          onChange={(ids) => props.onChange({ cols: ids })}
          onClose={() => setIsChoosing(false)}
        />
      )}
    </div>
  );
};
const other = (switched: 'on' | 'off'): 'on' | 'off' => (switched === 'on' ? 'off' : 'on');
const noColumns: readonly Column[] = [];

type ExploredProps = RecordsProps & {
  readonly explored: ReturnType<typeof useExploredRecords>;
};

/** Faults and gaps of the answer, or why it is empty. */
const Outcome = (props: ExploredProps & { readonly columns: readonly Query<unknown>[] }) => {
  const { explored } = props;
  const { first, rows } = explored;
  const asked = [first, ...props.columns, explored.live];
  const failed = asked.find(({ fault }) => fault !== null);
  const unknown = first.value?.unknownColumns ?? [];
  return (
    <>
      {unknown.length > 0 && (
        <p class="note warn">Recorded nowhere in this project: {unknown.join(', ')}</p>
      )}
      <FaultNotice
        fault={failed?.fault ?? explored.furtherFault}
        onRetry={(failed ?? first).refetch}
      />
      <BehindNotice isBehind={first.isBehind} />
      {first.value === undefined && failed === undefined && <Skeleton />}
      {explored.isReady && rows.length === 0 && (
        <EmptyRecords
          population={props.context.population}
          question={explored.everything}
          tree={props.tree}
          me={props.context.me}
          all={explored.all}
          onTree={props.onTree}
          onRange={(range) => props.onChange({ t: range })}
        />
      )}
    </>
  );
};

const switchKeys = (view: ExplorerView, change: RecordsProps['onChange']) => [
  { keys: 'v', what: 'Volume', run: () => change({ strip: other(view.strip) }) },
  { keys: 'F', what: 'Facets', run: () => change({ facets: other(view.facets) }) },
];

const Toolbar = (
  props: ExploredProps & {
    readonly onColumns: () => void;
  },
) => {
  const { navigation } = useSurroundings();
  const { explored, view } = props;
  const { population } = props.context;
  const { first, added } = explored;
  const [isExporting, setIsExporting] = useState(false);
  useKeys(
    [
      { keys: '.', what: 'Ask now', run: explored.refresh },
      { keys: 'c', what: 'Columns', run: props.onColumns },
      { keys: 'e', what: 'Export', run: () => setIsExporting(true) },
      ...(population !== 'session' ? switchKeys(view, props.onChange) : []),
    ],
    [view, props.onColumns],
  );
  return (
    <div class="spread">
      <span class="inline">
        <span role="status">
          {countText(explored.matching, explored.all, kindOf[population])}
          {first.value !== undefined && ` · ${(first.value.ms / 1_000).toFixed(2)} s`}
        </span>
        {added > 0 && (
          <button type="button" class="pill" onClick={explored.refresh}>
            {added.toLocaleString('en')} new
          </button>
        )}
      </span>
      <span class="inline">
        {population !== 'session' && <ViewSwitches {...props} />}
        {population === 'trace' && (
          <a
            class="button"
            href={navigation.href(`/p/${props.projectId}/rate`, scopeCodec.write(view))}
          >
            Rate
          </a>
        )}
        <Button onClick={props.onColumns}>Columns</Button>
        <Button onClick={() => setIsExporting(true)}>Export</Button>
      </span>
      {isExporting && (
        <RecordExport
          population={population}
          question={{
            ...explored.question,
            ...(explored.sort !== null && { sort: explored.sort }),
          }}
          count={explored.matching}
          onClose={() => setIsExporting(false)}
        />
      )}
    </div>
  );
};

/** Shows or hides facets and volume. */
const ViewSwitches = ({ view, onChange }: Pick<ExploredProps, 'view' | 'onChange'>) => (
  <>
    <Button
      isPressed={view.facets === 'on'}
      onClick={() => onChange({ facets: other(view.facets) })}
    >
      Facets
    </Button>
    <Button isPressed={view.strip === 'on'} onClick={() => onChange({ strip: other(view.strip) })}>
      Volume
    </Button>
  </>
);
