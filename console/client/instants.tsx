import { useEffect, useReducer, useState } from 'preact/hooks';
import { useSurroundings } from './context.js';
import { ageChangeMs, instantFigure, relativeInstant } from '../parts/instants.js';

/**
 * An instant in the chosen zone; `relative` shows how long ago it was within a day, as time goes
 * on. On hover whole, copied to the microsecond by a click or Enter; in a grid, which is one tab
 * stop, by a click. `–` for null.
 */
export const Instant = (props: {
  readonly at: string | null;
  readonly relative?: boolean;
  readonly isInGrid?: boolean;
}) => {
  const { appearance, clipboard } = useSurroundings();
  const [state, setState] = useState<'new' | 'copied' | 'refused'>('new');
  const nowMs = useNow(props.relative === true ? props.at : null);
  const scale = { nowMs, zone: appearance.zone.value };
  const figureOf = props.relative === true ? relativeInstant : instantFigure;
  const figure = props.at === null ? null : figureOf(props.at, scale);
  if (figure === null) return <span class="muted">–</span>;
  const copy = async (): Promise<void> =>
    setState((await clipboard.copy(figure.copied)) ? 'copied' : 'refused');
  return (
    <button
      type="button"
      class="instant"
      title={`${figure.title}, copied by a click`}
      tabIndex={props.isInGrid === true ? -1 : undefined}
      onClick={() => void copy()}
    >
      <time dateTime={figure.copied}>{state === 'refused' ? figure.copied : figure.text}</time>
      <span aria-live="polite">{state === 'copied' ? ' copied' : ''}</span>
    </button>
  );
};

/**
 * The time of the service at each rendering, which comes whenever the age of the instant has
 * another text.
 */
const useNow = (at: string | null): number => {
  const { clock, service } = useSurroundings();
  const [ticks, tick] = useReducer((count: number, _event: null) => count + 1, 0);
  useEffect(() => {
    const waitMs = at === null ? null : ageChangeMs(at, service.now());
    if (waitMs === null) return;
    const stop = new AbortController();
    void clock.wait(waitMs, stop.signal).then(() => {
      if (!stop.signal.aborted) tick(null);
    });
    return () => stop.abort();
  }, [at, ticks]);
  return service.now();
};
