import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { printDuration } from '../parts/numbers.js';
import { RecordedWord } from '../parts/recorded-text.js';
import { rowWindow, scrollToRow } from '../parts/windowing.js';
import type { OutlineSpan } from './questions.js';
import type { SpanRow } from './tree.js';
import type { OpenTree } from './use-tree.js';
import { axisStep, waterfallBar, type WaterfallView } from './waterfall.js';

type Props = {
  /** Name of the trace. */
  readonly title: string;
  readonly open: OpenTree;
  /** Called where a row is to be read. */
  readonly onOpen: (row: number) => void;
  readonly critical: ReadonlySet<number> | null;
  readonly axis: WaterfallView;
  readonly onZoom: (from: number, to: number) => void;
};

const rowPixels = 28;

/**
 * Tree and waterfall of a trace in one list, a window over rows of one height. It is one tab stop;
 * its first row is the trace.
 */
export const TreeList = (props: Props) => {
  const { visible, selected, tree } = props.open;
  const list = useRef<HTMLDivElement>(null);
  const dragFrom = useRef<number | null>(null);
  const [scroll, setScroll] = useState({ top: 0, height: 800 });
  const count = visible.length + 1;
  const at = selected < 0 ? 0 : visible.indexOf(selected) + 1;
  useLayoutEffect(() => {
    const element = list.current;
    if (element === null) return;
    const { clientHeight: height } = element;
    const top = scrollToRow(at, { rowHeight: rowPixels, top: element.scrollTop, height });
    if (top !== element.scrollTop) element.scrollTop = top;
    if (top !== scroll.top || height !== scroll.height) setScroll({ top, height });
  }, [at, count]);
  const drawn = rowWindow({ rows: count, rowHeight: rowPixels, ...scroll });
  const rows = Array.from({ length: drawn.count }, (_row, offset) => drawn.first + offset);
  return (
    <div
      ref={list}
      class="tree-list"
      role="treegrid"
      tabIndex={0}
      aria-label="Spans"
      aria-rowcount={count}
      aria-activedescendant={`span-${at}`}
      onPointerDown={(event) => {
        dragFrom.current = placeOnAxis(event, props.axis);
      }}
      onPointerUp={(event) => {
        const [from, to] = [dragFrom.current, placeOnAxis(event, props.axis)];
        if (from !== null && to !== null && Math.abs(to - from) > dragMin) props.onZoom(from, to);
      }}
      onScroll={({ currentTarget: { scrollTop, clientHeight } }) =>
        setScroll({ top: scrollTop, height: clientHeight })
      }
    >
      <div role="rowgroup" class="tree-rows" style={{ height: `${count * rowPixels}px` }}>
        {rows.map((index) => {
          const place = { index, isSelected: index === at };
          if (index === 0) return <TraceRow key="trace" {...props} {...place} />;
          const row = tree.rows[visible[index - 1] ?? -1];
          if (row === undefined) return null;
          return <SpanTreeRow key={row.span.id} {...props} {...place} row={row} />;
        })}
      </div>
    </div>
  );
};

/** Shorter drags are clicks. */
const dragMin = 4;

/** Place of a pointer on the axis, in its pixels; null beside the bars. */
const placeOnAxis = (event: PointerEvent, axis: WaterfallView): number | null => {
  const bars = event.target instanceof Element ? event.target.closest('.tree-bars') : null;
  if (bars === null) return null;
  const { left, width } = bars.getBoundingClientRect();
  return ((event.clientX - left) / width) * axis.pixels;
};

type Place = { readonly index: number; readonly isSelected: boolean };

const rowAttributes = ({ index, isSelected }: Place) =>
  ({
    id: `span-${index}`,
    role: 'row',
    class: 'tree-row',
    'aria-rowindex': index + 1,
    'aria-selected': isSelected,
    style: { top: `${index * rowPixels}px` },
  }) as const;

const TraceRow = (props: Props & Place) => (
  <div
    {...rowAttributes(props)}
    aria-level={1}
    onClick={() => props.open.select(-1)}
    onDblClick={() => props.onOpen(-1)}
  >
    <div role="gridcell" class="tree-name">
      <span class="tree-kind">trace</span>
      <span class="tree-text">
        <RecordedWord text={props.title} />
      </span>
      {props.open.tree.errors > 0 && <span class="bad">⚠ {props.open.tree.errors}</span>}
    </div>
    <div role="gridcell" class="tree-bars axis">
      <Axis view={props.axis} />
    </div>
    <div role="gridcell" class="tree-duration note">
      {props.open.tree.lengthNs > 0 && printDuration(props.open.tree.lengthNs)}
    </div>
  </div>
);

const Axis = ({ view }: { readonly view: WaterfallView }) => {
  const step = axisStep(view);
  const length = view.toNs - view.fromNs;
  const first = Math.ceil(view.fromNs / step);
  const last = length > 0 ? Math.floor(view.toNs / step) : first;
  return (
    <>
      {Array.from({ length: last - first + 1 }, (_mark, index) => {
        const ns = (first + index) * step;
        const left = length > 0 ? ((ns - view.fromNs) / length) * 100 : 0;
        // Near the end the text stands before its mark, where there is room for it.
        const place = left > 75 ? { right: `${100 - left}%` } : { left: `${left}%` };
        return (
          <span key={ns} class="note" style={place}>
            {ns === 0 ? '0' : printDuration(ns, 0)}
          </span>
        );
      })}
    </>
  );
};

const SpanTreeRow = (props: Props & Place & { readonly row: SpanRow<OutlineSpan> }) => {
  const { row, critical } = props;
  const { tree, folded } = props.open;
  const { span, depth, end } = row;
  const at = tree.rowOf.get(span.id) ?? 0;
  const hasChildren = end > at + 1;
  const isFolded = folded.has(span.id);
  return (
    <div
      {...rowAttributes(props)}
      aria-level={depth + 2}
      aria-expanded={hasChildren ? !isFolded : undefined}
      onClick={() => props.open.select(at)}
      onDblClick={() => props.onOpen(at)}
    >
      <div
        role="gridcell"
        class="tree-name"
        style={{ paddingInlineStart: `${Math.min(depth, 24) * 12 + 8}px` }}
      >
        <span
          class="tree-fold"
          aria-hidden="true"
          onClick={(event) => {
            event.stopPropagation();
            props.open.setFold(at, !isFolded);
          }}
        >
          {hasChildren ? (isFolded ? '▸' : '▾') : ''}
        </span>
        <span class="tree-kind" data-kind={span.type}>
          {span.type}
        </span>
        <span class="tree-text">
          <RecordedWord text={spanTitle(span)} />
        </span>
        {row.isError && <span class="bad">⚠ {span.status_code}</span>}
        {isFolded && <span class="note">{end - at - 1}</span>}
      </div>
      <div role="gridcell" class="tree-bars">
        <Bar row={row} view={props.axis} isCritical={critical?.has(at) ?? false} />
      </div>
      <div role="gridcell" class="tree-duration note">
        {durationText(row)}
      </div>
    </div>
  );
};

/** Name of a span, else its model. */
const spanTitle = ({ name, model }: OutlineSpan): string => (name === '' ? (model ?? '') : name);

const durationText = ({ durationNs }: SpanRow<OutlineSpan>): string =>
  durationNs === null ? '' : printDuration(durationNs);

/** Room for the bars in units of the view; they scale with the column. */
const Bar = (props: {
  readonly row: SpanRow<OutlineSpan>;
  readonly view: WaterfallView;
  readonly isCritical: boolean;
}) => {
  const { row, view } = props;
  const bar = waterfallBar(row, view);
  if (bar === null) return null;
  const share = (pixels: number): string => `${(pixels / view.pixels) * 100}%`;
  return (
    <span
      class="tree-bar"
      data-kind={row.span.type}
      data-length={bar.length}
      data-error={row.isError}
      data-critical={props.isCritical}
      style={{ left: share(bar.left), width: share(bar.width) }}
    >
      {bar.notch !== null && (
        <span
          class="tree-notch"
          style={{ left: `${((bar.notch - bar.left) / bar.width) * 100}%` }}
        />
      )}
    </span>
  );
};
