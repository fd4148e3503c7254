import { useRef, useState } from 'preact/hooks';
import { withErrors, type FilterTree } from '../language/filter-tree.js';
import type { TimeRange } from '../parts/address.js';
import type { Population } from '../../kernel/records/record.js';
import { kindOf } from '../client/filter-context.js';
import { stripBuckets, stripInterval, type StripBucket } from './model.js';
import { useBounds, useCounts, withFilter, type RecordQuestion } from './questions.js';

type Bounds = { readonly fromMs: number; readonly toMs: number };

/** Records and failures by time; a drag, or Enter on buckets, narrows the range. */
export const VolumeStrip = (props: {
  readonly population: Population;
  readonly question: RecordQuestion;
  readonly tree: FilterTree | null;
  readonly isReady: boolean;
  readonly onRange: (range: TimeRange) => void;
}) => {
  const { population, question, tree } = props;
  const { start_time: start, end_time: end } = question;
  const isBounded = start !== undefined && end !== undefined;
  const found = useBounds(population, question, { isEnabled: !isBounded && props.isReady });
  const bounds: Bounds | null = isBounded
    ? { fromMs: Date.parse(start), toMs: Date.parse(end) }
    : (found.value ?? null);
  const minutes = bounds === null ? 60 : stripInterval(bounds.fromMs, bounds.toMs);
  const isEnabled = bounds !== null && props.isReady;
  const all = useCounts(population, withFilter(question, tree), {
    name: 'strip',
    minutes,
    isEnabled,
  });
  const errors = useCounts(population, withFilter(question, withErrors(tree)), {
    name: 'strip of errors',
    minutes,
    isEnabled: isEnabled && all.value !== undefined,
  });
  if (all.value === undefined || bounds === null) return <div class="strip" />;
  const buckets = stripBuckets(all.value, errors.value, minutes, bounds);
  return (
    <Bars
      buckets={buckets}
      kind={kindOf[population]}
      isStale={all.isPrevious}
      onSelect={(first, last) => {
        const [from, to] = [buckets[first], buckets[last]];
        if (from !== undefined && to !== undefined) props.onRange(rangeOf(from, to));
      }}
    />
  );
};

/** Whole buckets: the last microsecond of the last one is included. */
const rangeOf = (first: StripBucket, last: StripBucket): TimeRange => ({
  from: new Date(first.startMs).toISOString().replace('Z', '000Z'),
  to: new Date(last.endMs - 1).toISOString().replace('Z', '999Z'),
});

const height = 40;

const Bars = (props: {
  readonly buckets: readonly StripBucket[];
  readonly kind: string;
  readonly isStale: boolean;
  readonly onSelect: (first: number, last: number) => void;
}) => {
  const { buckets } = props;
  const [from, setFrom] = useState<number | null>(null);
  const [at, setAt] = useState<number | null>(null);
  const figure = useRef<SVGSVGElement>(null);
  const greatest = Math.max(1, ...buckets.map(({ count }) => count));
  const sum = buckets.reduce((total, { count }) => total + count, 0);
  const failed = buckets.reduce((total, { errors }) => total + errors, 0);
  const indexAt = (event: PointerEvent): number => {
    const { left, width } = figure.current?.getBoundingClientRect() ?? { left: 0, width: 1 };
    const index = Math.floor(((event.clientX - left) / width) * buckets.length);
    return Math.max(0, Math.min(index, buckets.length - 1));
  };
  const select = (first: number, last: number): void => {
    setFrom(null);
    props.onSelect(Math.min(first, last), Math.max(first, last));
  };
  const chosen = at === null ? undefined : buckets[at];
  return (
    <div class="strip" aria-busy={props.isStale}>
      <svg
        ref={figure}
        viewBox={`0 0 ${buckets.length} ${height}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`${sum} ${props.kind} over time, ${failed} of them failed`}
        onPointerDown={(event) => {
          event.currentTarget.setPointerCapture(event.pointerId);
          setFrom(indexAt(event));
        }}
        onPointerMove={(event) => setAt(indexAt(event))}
        onPointerLeave={() => setAt(null)}
        onPointerUp={(event) => from !== null && select(from, indexAt(event))}
      >
        {from !== null && at !== null && (
          <rect
            class="strip-brush"
            x={Math.min(from, at)}
            y={0}
            width={Math.abs(at - from) + 1}
            height={height}
          />
        )}
        {buckets.map(({ count, errors, startMs }, index) => (
          <g key={startMs}>
            {count > 0 && <Bar index={index} from={0} to={count} of={greatest} look="all" />}
            {errors > 0 && <Bar index={index} from={0} to={errors} of={greatest} look="failed" />}
          </g>
        ))}
      </svg>
      <span class="note strip-note">{chosen === undefined ? '' : bucketText(chosen)}</span>
    </div>
  );
};

const Bar = (props: {
  readonly index: number;
  readonly from: number;
  readonly to: number;
  readonly of: number;
  readonly look: 'all' | 'failed';
}) => {
  const tall = Math.max(2, (props.to / props.of) * (height - 2));
  return (
    <rect
      class={`strip-${props.look}`}
      x={props.index + 0.1}
      y={height - tall}
      width={0.8}
      height={tall}
    />
  );
};

const timeForm = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
});

const bucketText = ({ startMs, endMs, count, errors }: StripBucket): string =>
  `${timeForm.formatRange(startMs, endMs)}: ${count.toLocaleString('en')}` +
  (errors > 0 ? `, ${errors.toLocaleString('en')} failed` : '');
