import { printCount, printScore } from '../parts/numbers.js';
import { RecordedWord } from '../parts/recorded-text.js';
import { binText, type ScoreBin, type ScoreSummary } from './score-summary.js';

type Figures = NonNullable<ScoreSummary['figures']>;

/** How the scores are spread: a histogram of numbers, counts of other values. */
export const ScoreChart = ({ summary }: { readonly summary: ScoreSummary }) => {
  const { figures } = summary;
  if (figures === null) return null;
  return figures.kind === 'numbers' ? (
    <Histogram figures={figures} />
  ) : (
    <ValueCounts figures={figures} />
  );
};

const width = 320;
const height = 72;

const Histogram = ({ figures }: { readonly figures: Extract<Figures, { kind: 'numbers' }> }) => {
  const { bins, least, greatest } = figures;
  const most = bins.reduce((count, bin) => Math.max(count, bin.count), 1);
  const step = width / bins.length;
  return (
    <figure class="score-chart">
      <svg
        viewBox={`0 0 ${width} ${height}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={sentenceOf(figures)}
      >
        {bins.map((bin, index) => (
          <rect
            key={index}
            x={index * step}
            y={height - barHeight(bin, most)}
            width={Math.max(step - 1, 1)}
            height={barHeight(bin, most)}
          >
            <title>{`${binText(bin)}: ${printCount(bin.count)}`}</title>
          </rect>
        ))}
      </svg>
      <figcaption class="spread note">
        <span>{printScore(least)}</span>
        <span>{printScore(greatest)}</span>
      </figcaption>
    </figure>
  );
};

/** A bin with one score is seen beside a bin with a thousand. */
const barHeight = ({ count }: ScoreBin, most: number): number =>
  count === 0 ? 0 : Math.max((count / most) * (height - 2), 2);

const sentenceOf = ({ bins, least, greatest, mean }: Extract<Figures, { kind: 'numbers' }>) => {
  const fullest = bins.reduce((one, other) => (other.count > one.count ? other : one));
  return (
    `Scores from ${printScore(least)} to ${printScore(greatest)}, mean ${printScore(mean)}; ` +
    `most, ${printCount(fullest.count)}, at ${binText(fullest)}`
  );
};

const ValueCounts = ({ figures }: { readonly figures: Extract<Figures, { kind: 'values' }> }) => {
  const most = figures.values[0]?.count ?? 1;
  return (
    <ul class="score-values" aria-label="Scores by how often they come">
      {figures.values.map(({ text, count }) => (
        <li key={text}>
          <span class="score-value">
            <RecordedWord text={text} />
          </span>
          <span class="score-bar" style={{ width: `${(count / most) * 40}%` }} />
          <span>{printCount(count)}</span>
        </li>
      ))}
      {figures.others > 0 && <li class="muted">{printCount(figures.others)} further values</li>}
    </ul>
  );
};
