import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { useKeys } from '../client/keys.js';
import { Button } from '../parts/button.js';
import { EmptyNotice, FaultNotice, Skeleton } from '../parts/notice.js';
import { FindBar } from './find-bar.js';
import { CallAnswer } from './call-answer.js';
import type { OutlineSpan } from './questions.js';
import { RatingPanel } from './rating-panel.js';
import { RecordPane } from './record-pane.js';
import type { AnyRecord, TraceRecord } from './record-facts.js';
import { useTraceView } from './selection.js';
import { spanTabs, type TraceView as View } from './state.js';
import { TraceDialog, type TraceCommand } from './trace-dialogs.js';
import { TreeList } from './tree-list.js';
import { criticalPath } from './tree-walk.js';
import type { SpanTree } from './tree.js';
import { useSpan, type TraceIds } from './use-trace.js';
import { useOpenTree, useTreeKeys, type OpenTree } from './use-tree.js';
import { wholeView, zoomedView, type WaterfallView } from './waterfall.js';

/** Length of the axis in the units of its bars, which scale with the page. */
const axisPixels = 240;

/** The tree of a trace and the selected record side by side; on narrow pages one of them. */
export const TraceView = (props: {
  readonly ids: TraceIds;
  readonly trace: TraceRecord;
  readonly tree: SpanTree<OutlineSpan>;
  /** Wanted about the selected record; null: nothing. */
  readonly command: TraceCommand | null;
  readonly onCommand: (command: TraceCommand | null) => void;
}) => {
  const { ids, trace, tree, command } = props;
  const [view, changeView] = useTraceView();
  const [shown, setShown] = useState<'tree' | 'record'>('tree');
  const open = useOpenTree(tree, view.sel, (sel) => changeView({ sel }));
  useTreeKeys(open);
  useViewKeys(view, changeView, setShown);
  const wantsRating = useRatingCommand(command, () => {
    open.select(-1);
    changeView({ tab: 'read' }, 'replace');
    setShown('record');
    props.onCommand(null);
  });
  return (
    <div class="trace-view" data-shown={shown}>
      <TreeSide
        ids={ids}
        trace={trace}
        open={open}
        isCritical={view.path === 'critical'}
        onOpen={(row) => {
          open.select(row);
          setShown('record');
        }}
      />
      <section class="trace-pane" aria-label="Selected record">
        <span class="pane-back">
          <Button onClick={() => setShown('tree')}>Back to the tree</Button>
        </span>
        <TracePane
          ids={ids}
          trace={trace}
          open={open}
          view={view}
          changeView={changeView}
          wantsRating={wantsRating}
        />
      </section>
      {(command === 'dataset' || command === 'curl') && (
        <TraceDialog
          ids={ids}
          spanId={open.selected < 0 ? '' : view.sel}
          command={command}
          onClose={() => props.onCommand(null)}
        />
      )}
    </div>
  );
};

/** The tree with its time axis, and the search in it. */
const TreeSide = (props: {
  readonly ids: TraceIds;
  readonly trace: TraceRecord;
  readonly open: OpenTree;
  /** Marks the critical path. */
  readonly isCritical: boolean;
  readonly onOpen: (row: number) => void;
}) => {
  const { ids, open, isCritical } = props;
  const { tree } = open;
  const [zoom, setZoom] = useState<WaterfallView | null>(null);
  const [isFinding, setIsFinding] = useState(false);
  const critical = useMemo(() => (isCritical ? criticalPath(tree) : null), [tree, isCritical]);
  const axis = zoom ?? wholeView(tree.lengthNs, axisPixels);
  useKeys(
    [
      { keys: 'f', what: 'Find in this trace', run: () => setIsFinding(true) },
      { keys: 'z', what: 'The whole time again', run: () => setZoom(null) },
    ],
    [],
  );
  return (
    <div class="tree-side">
      {isFinding && (
        <FindBar
          ids={ids}
          tree={tree}
          selected={open.selected}
          onSelect={open.select}
          onClose={() => setIsFinding(false)}
        />
      )}
      <TreeList
        title={props.trace.name}
        open={open}
        onOpen={props.onOpen}
        critical={critical}
        axis={axis}
        onZoom={(from, to) => setZoom(zoomedView(axis, from, to))}
      />
    </div>
  );
};

/** Shows the ratings when they are wanted; true until they have the focus. */
const useRatingCommand = (command: TraceCommand | null, show: () => void): { current: boolean } => {
  const wantsRating = useRef(false);
  useLayoutEffect(() => {
    if (command !== 'rate') return;
    wantsRating.current = true;
    show();
  }, [command]);
  return wantsRating;
};

type ChangeView = (change: Partial<View>, how: 'replace') => void;

const TracePane = (props: {
  readonly ids: TraceIds;
  readonly trace: TraceRecord;
  readonly open: OpenTree;
  readonly view: View;
  readonly changeView: ChangeView;
  /** True while the ratings are to get the focus once they are shown. */
  readonly wantsRating: { current: boolean };
}) => {
  const { ids, trace, open, view, changeView } = props;
  return (
    <SelectedRecord ids={ids} trace={trace} spanId={open.selected < 0 ? '' : view.sel}>
      {(record) => (
        <RecordPane
          projectId={ids.projectId}
          record={record}
          tab={view.tab}
          onTab={(tab) => changeView({ tab }, 'replace')}
          answerOf={(callId) => (
            <CallAnswer ids={ids} tree={open.tree} callId={callId} onOpen={open.select} />
          )}
        >
          {record.type === 'trace' && (
            <RatingPanel projectId={ids.projectId} trace={record} wantsFocus={props.wantsRating} />
          )}
        </RecordPane>
      )}
    </SelectedRecord>
  );
};

const useViewKeys = (
  view: View,
  changeView: ChangeView,
  show: (shown: 'tree' | 'record') => void,
): void => {
  useKeys(
    [
      ...spanTabs.map((tab, index) => ({
        keys: String(index + 1),
        what: `Show ${tab}`,
        run: () => changeView({ tab }, 'replace'),
      })),
      {
        keys: 'p',
        what: 'Critical path',
        run: () => changeView({ path: view.path === 'none' ? 'critical' : 'none' }, 'replace'),
      },
      { keys: 'Enter', what: 'Read the selected span', run: () => show('record') },
      { keys: 'Escape', what: 'Back to the tree', run: () => show('tree') },
    ],
    [view.path],
  );
};

const SelectedRecord = (props: {
  readonly ids: TraceIds;
  readonly trace: TraceRecord;
  readonly spanId: string;
  readonly children: (record: AnyRecord) => ComponentChildren;
}) => {
  const span = useSpan(props.ids, props.spanId);
  if (props.spanId === '') return <>{props.children(props.trace)}</>;
  if (span.fault !== null) return <FaultNotice fault={span.fault} onRetry={span.refetch} />;
  if (span.value === undefined) return <Skeleton />;
  if (span.value === null) return <EmptyNotice title="This span is not there any more" />;
  return (
    <div aria-busy={span.isPrevious} class="pane-content">
      {props.children(span.value)}
    </div>
  );
};
