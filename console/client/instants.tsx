import { useSurroundings } from './context.js';
import { instantFigure, relativeInstant } from '../parts/instants.js';

/**
 * An instant in the chosen zone; `relative` shows how long ago it was within a day. On hover whole,
 * copied by a click to the microsecond. `–` for null.
 */
export const Instant = (props: { readonly at: string | null; readonly relative?: boolean }) => {
  const { appearance, clipboard, clock } = useSurroundings();
  const scale = { nowMs: clock.now(), zone: appearance.zone.value };
  const figureOf = props.relative === true ? relativeInstant : instantFigure;
  const figure = props.at === null ? null : figureOf(props.at, scale);
  if (figure === null) return <span class="muted">–</span>;
  return (
    <time
      dateTime={figure.copied}
      title={figure.title}
      onClick={() => void clipboard.copy(figure.copied)}
    >
      {figure.text}
    </time>
  );
};
