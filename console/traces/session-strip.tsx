import { stripBars, type Turn } from './session-turns.js';

const barsMax = 120;
/** Errors that have a button; `!` reaches the others. */
const errorsMax = 40;

/** Costs of the turns as bars, and the turns with errors as buttons that open them. */
export const SessionStrip = (props: {
  readonly turns: readonly Turn[];
  readonly selected: number;
  readonly onSelect: (index: number) => void;
}) => {
  const errors = props.turns.filter(({ isError }) => isError);
  return (
    <nav class="session-strip" aria-label="Turns">
      <Bars turns={props.turns} />
      {errors.slice(0, errorsMax).map(({ id, index }) => (
        <button
          key={id}
          type="button"
          class="button plain bad"
          aria-label={`Turn ${index + 1}, failed`}
          aria-current={index === props.selected ? 'true' : undefined}
          onClick={() => props.onSelect(index)}
        >
          ⚠ {index + 1}
        </button>
      ))}
      {errors.length > errorsMax && (
        <span class="note">{errors.length - errorsMax} more failed: press !</span>
      )}
      {errors.length === 0 && <span class="note">No turn failed</span>}
    </nav>
  );
};

const Bars = ({ turns }: { readonly turns: readonly Turn[] }) => {
  const bars = stripBars(turns, barsMax);
  const greatest = bars.reduce((most, { cost }) => Math.max(most, cost), 0);
  const width = 240 / Math.max(bars.length, 1);
  return (
    <svg class="strip-bars" viewBox="0 0 240 24" role="img" aria-label="Cost by turn">
      {bars.map(({ cost, hasError }, index) => {
        const height = greatest === 0 ? 2 : Math.max(2, (cost / greatest) * 24);
        return (
          <rect
            key={index}
            x={index * width}
            y={24 - height}
            width={Math.max(width - 1, 0.5)}
            height={height}
            fill={hasError ? 'var(--bad)' : 'var(--series-1)'}
          />
        );
      })}
    </svg>
  );
};
