import type { RefObject } from 'preact';
import { useRef, useState } from 'preact/hooks';
import {
  bucketsBetween,
  nearestSeries,
  runsOfValues,
  verticalRange,
  type ChartBucket,
  type ChartSeries,
  type ChartThreshold,
} from './chart-scale.js';

type Props = {
  /** Names the chart, and begins the sentence that is read aloud. */
  readonly label: string;
  readonly buckets: readonly ChartBucket[];
  readonly series: readonly ChartSeries[];
  readonly kind: 'lines' | 'bars';
  /** Values that part the levels of a metric, the lowest first. */
  readonly thresholds: readonly ChartThreshold[];
  readonly format: (value: number) => string;
  readonly formatTime: (instant: string) => string;
  /** The bucket under the pointer in any chart of the page; null: none. */
  readonly cursor: number | null;
  readonly onCursor: (bucket: number | null) => void;
  /** Selects the time from the first to the last of these buckets. */
  readonly onSelect: (first: number, last: number) => void;
  /** Moves the time by that share of its length. */
  readonly onPan: (share: number) => void;
  /** Opens the records behind a point. */
  readonly onOpen: (bucket: number, series: number) => void;
  /** True where each series is below the next, as percentiles are: often they are equal. */
  readonly isNested: boolean;
  /** True where the last bucket is still filling. */
  readonly isRunning: boolean;
};

const width = 320;
const height = 96;
const foot = 4;

type Scale = (value: number) => number;

/** A chart of up to 120 buckets and eight series as SVG; a drag selects or, with Shift, moves. */
export const TimeChart = (props: Props) => {
  const { series, thresholds } = props;
  const figure = useRef<SVGSVGElement>(null);
  const { low, high } = verticalRange(series, thresholds);
  const count = Math.max(props.buckets.length, 1);
  const y: Scale = (value) => height - foot - ((value - low) / (high - low)) * (height - 2 * foot);
  const drag = useDrag(figure, props, y);
  const brush = drag.brush === null ? null : bucketsBetween(...drag.brush, count);
  return (
    <>
      <div class="chart-frame">
        <div class="chart-values note" aria-hidden="true">
          <span>{props.format(high)}</span>
          <span>{props.format(low)}</span>
        </div>
        <div class="chart-plot">
          <svg
            ref={figure}
            class="time-chart"
            viewBox={`0 0 ${width} ${height}`}
            preserveAspectRatio="none"
            role="img"
            aria-label={sentenceOf(props)}
            {...drag.handlers}
          >
            {[low, (low + high) / 2, high].map((value) => (
              <line key={value} class="chart-line" x1={0} x2={width} y1={y(value)} y2={y(value)} />
            ))}
            {brush !== null && (
              <Band {...brush} count={count} look={drag.isPanning ? 'chart-pan' : 'chart-brush'} />
            )}
            {props.cursor !== null && (
              <Band first={props.cursor} last={props.cursor} count={count} look="chart-cursor" />
            )}
            <SeriesShapes {...props} y={y} />
            {thresholds.map(({ value }) => (
              <line
                key={value}
                class="chart-threshold"
                x1={0}
                x2={width}
                y1={y(value)}
                y2={y(value)}
              />
            ))}
          </svg>
          {thresholds.map(({ value, word }) => (
            <span
              key={value}
              class="chart-threshold-word note"
              aria-hidden="true"
              style={{ top: `${(y(value) / height) * 100}%` }}
            >
              {props.format(value)} {word}
            </span>
          ))}
        </div>
      </div>
      <ChartTimes {...props} />
      <ChartNote {...props} />
    </>
  );
};

/** The first is drawn last; nested ones below it are wider, so that equal lines show both. */
const SeriesShapes = (props: Props & { readonly y: Scale }) => {
  const { series, y, isRunning } = props;
  const isBars = props.kind === 'bars' && series.length === 1;
  const shapes = series.map((one, index) => {
    const drawn = { series: one, index, y, isRunning };
    return isBars ? (
      <Bars key={one.label} {...drawn} />
    ) : (
      <Lines key={one.label} {...drawn} isWide={props.isNested} />
    );
  });
  return <>{shapes.toReversed()}</>;
};

/** A drag selects buckets; with Shift it moves the time; a click opens the point. */
const useDrag = (figure: RefObject<SVGSVGElement | null>, props: Props, y: Scale) => {
  const [start, setStart] = useState<{ readonly at: number; readonly isPan: boolean } | null>(null);
  const [end, setEnd] = useState(0);
  const count = Math.max(props.buckets.length, 1);
  const shareOf = (event: PointerEvent): number => {
    const box = figure.current?.getBoundingClientRect();
    return box === undefined || box.width === 0 ? 0 : (event.clientX - box.left) / box.width;
  };
  const heightOf = (event: PointerEvent): number => {
    const box = figure.current?.getBoundingClientRect();
    return box === undefined ? 0 : ((event.clientY - box.top) / box.height) * height;
  };
  const onPointerUp = (event: PointerEvent): void => {
    if (start === null) return;
    const share = shareOf(event);
    const { first, last } = bucketsBetween(start.at, share, count);
    setStart(null);
    if (Math.abs(share - start.at) * width <= 3) {
      props.onOpen(first, nearestSeries(props.series, first, heightOf(event), y));
    } else if (start.isPan) props.onPan(start.at - share);
    else props.onSelect(first, last);
  };
  return {
    brush: start === null ? null : ([start.at, end] as const),
    isPanning: start?.isPan === true,
    handlers: {
      onPointerDown: (event: PointerEvent) => {
        if (event.button !== 0) return;
        figure.current?.setPointerCapture(event.pointerId);
        setStart({ at: shareOf(event), isPan: event.shiftKey });
        setEnd(shareOf(event));
      },
      onPointerMove: (event: PointerEvent) => {
        const share = shareOf(event);
        setEnd(share);
        props.onCursor(bucketsBetween(share, share, count).first);
      },
      onPointerUp,
      onPointerCancel: () => setStart(null),
      onPointerLeave: () => props.onCursor(null),
    },
  };
};

const Band = (props: {
  readonly first: number;
  readonly last: number;
  readonly count: number;
  readonly look: string;
}) => (
  <rect
    class={props.look}
    x={(props.first / props.count) * width}
    y={0}
    width={((props.last - props.first + 1) / props.count) * width}
    height={height}
  />
);

type SeriesProps = {
  readonly series: ChartSeries;
  readonly index: number;
  readonly y: Scale;
  readonly isRunning: boolean;
};

const colorOf = (index: number): string => `var(--series-${index + 1})`;

/** Bars from 0; that of the running bucket has a dotted edge. */
const Bars = ({ series, index, y, isRunning }: SeriesProps) => {
  const step = width / Math.max(series.values.length, 1);
  const last = series.values.length - 1;
  return (
    <>
      {series.values.map((value, bucket) =>
        value === null || value === 0 ? null : (
          <rect
            key={bucket}
            {...(isRunning &&
              bucket === last && { class: 'chart-running-bar', stroke: colorOf(index) })}
            x={bucket * step}
            y={Math.min(y(value), y(0) - 1)}
            width={Math.max(step * 0.85, 0.5)}
            height={Math.max(y(0) - y(value), 1)}
            fill={colorOf(index)}
          />
        ),
      )}
    </>
  );
};

/** Lines through the middle of buckets, faint over gaps; the running bucket is dotted. */
const Lines = (props: SeriesProps & { readonly isWide: boolean }) => {
  const { series, index, y, isRunning } = props;
  const { values } = series;
  const step = width / Math.max(values.length, 1);
  const last = values.length - 1;
  const runs = runsOfValues(values);
  const pointsOf = (buckets: readonly number[]): string =>
    buckets.map((bucket) => `${(bucket + 0.5) * step},${y(values[bucket] ?? 0)}`).join(' ');
  return (
    <g class={`chart-series${props.isWide ? ` chart-layer-${index}` : ''}`} stroke={colorOf(index)}>
      {runs.length > 1 && <polyline class="chart-gap" points={pointsOf(runs.flat())} />}
      {runs.map((run) => {
        const [first = 0] = run;
        if (run.length === 1) {
          return <polyline key={first} class="chart-dot" points={pointsOf([first, first])} />;
        }
        const isLast = isRunning && run.includes(last);
        return (
          <g key={first}>
            <polyline points={pointsOf(isLast ? run.slice(0, -1) : run)} />
            {isLast && <polyline class="chart-running" points={pointsOf([last - 1, last])} />}
          </g>
        );
      })}
    </g>
  );
};

/** Begin and end of the time axis; the sentence of the chart has them, too. */
const ChartTimes = ({ buckets, formatTime }: Props) => {
  const [first, last] = [buckets[0], buckets.at(-1)];
  if (first === undefined || last === undefined) return null;
  return (
    <div class="chart-times note" aria-hidden="true">
      <span>{formatTime(first.start)}</span>
      <span>{formatTime(last.end)}</span>
    </div>
  );
};

/** The values at the cursor, else the last ones, with the colours of their lines. */
const ChartNote = (props: Props) => {
  const hasValue = (index: number): boolean =>
    props.series.some(({ values }) => (values[index] ?? null) !== null);
  const indexes = props.buckets.map((_bucket, index) => index);
  const at = props.cursor ?? indexes.findLast(hasValue) ?? props.buckets.length - 1;
  const bucket = props.buckets[at];
  return (
    <div class="chart-note note">
      <span>
        {props.cursor === null ? 'Last, ' : 'At '}
        {bucket === undefined ? '' : props.formatTime(bucket.start)}:
      </span>
      {props.series.map(({ label, values }, index) => (
        <span key={label} class="chart-value">
          {props.series.length > 1 && (
            <svg class="chart-swatch" viewBox="0 0 8 8" aria-hidden="true">
              <rect width={8} height={8} fill={colorOf(index)} />
            </svg>
          )}
          {props.series.length > 1 && `${label} `}
          {textOf(values[at], props.format)}
        </span>
      ))}
    </div>
  );
};

const textOf = (value: number | null | undefined, format: (value: number) => string): string =>
  value === null || value === undefined ? '–' : format(value);

/** The chart as a sentence: last and greatest value of each series, and the thresholds. */
const sentenceOf = (props: Props): string => {
  const { label, series, buckets, thresholds, format, formatTime } = props;
  const [from, to] = [buckets[0]?.start, buckets.at(-1)?.end];
  const window =
    from === undefined || to === undefined ? '' : ` from ${formatTime(from)} to ${formatTime(to)}`;
  const texts = series.map((one) => {
    const values = one.values.filter((value) => value !== null);
    if (values.length === 0) return `${one.label}: no values`;
    const last = values.at(-1) ?? 0;
    return `${one.label}: last ${format(last)}, greatest ${format(Math.max(...values))}`;
  });
  const levels = thresholds.map(({ value, word }) => `${word} from ${format(value)}`);
  return `${label}${window}. ${[...texts, ...levels].join('. ')}`;
};
