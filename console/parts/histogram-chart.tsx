import { useState } from 'preact/hooks';
import { histogramSentence, rangeText, type ChartHistogram } from './histogram-scale.js';

type Props = {
  /** Names the chart, and begins the sentence that is read aloud. */
  readonly label: string;
  readonly histogram: ChartHistogram;
  readonly format: (value: number) => string;
  /** Opens the records whose values are in a bin. */
  readonly onOpen: (bin: number) => void;
};

const width = 320;
const height = 96;
const foot = 4;

/** A histogram as SVG: a bar for each bin, the bin under the pointer in words below. */
export const HistogramChart = (props: Props) => {
  const { histogram, format } = props;
  const { counts } = histogram;
  const [cursor, setCursor] = useState<number | null>(null);
  const greatest = Math.max(1, ...counts);
  const step = width / Math.max(counts.length, 1);
  const binAt = (event: PointerEvent | MouseEvent): number => {
    const box = (event.currentTarget as SVGSVGElement).getBoundingClientRect();
    const share = box.width === 0 ? 0 : (event.clientX - box.left) / box.width;
    return Math.min(counts.length - 1, Math.max(0, Math.floor(share * counts.length)));
  };
  return (
    <>
      <svg
        class="time-chart"
        viewBox={`0 0 ${width} ${height}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`${props.label}. ${histogramSentence(histogram, format)}`}
        onPointerMove={(event) => setCursor(binAt(event))}
        onPointerLeave={() => setCursor(null)}
        onClick={(event) => props.onOpen(binAt(event))}
      >
        <line class="chart-line" x1={0} x2={width} y1={height - foot} y2={height - foot} />
        {cursor !== null && (
          <rect class="chart-cursor" x={cursor * step} y={0} width={step} height={height} />
        )}
        {counts.map((count, bin) => {
          const size = (count / greatest) * (height - 2 * foot);
          return count === 0 ? null : (
            <rect
              key={bin}
              x={bin * step}
              y={height - foot - Math.max(size, 1)}
              width={Math.max(step * 0.9, 0.5)}
              height={Math.max(size, 1)}
              fill="var(--series-1)"
            />
          );
        })}
      </svg>
      <div class="chart-note note">
        {cursor === null ? (
          <span>{rangeText(histogram, 0, counts.length - 1, format)}</span>
        ) : (
          <span>
            {rangeText(histogram, cursor, cursor, format)}: {counts[cursor] ?? 0}
          </span>
        )}
      </div>
    </>
  );
};
