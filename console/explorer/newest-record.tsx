import { Button } from '../parts/button.js';
import type { TimeRange } from '../parts/address.js';
import { instantFigure } from '../parts/instants.js';
import { dayUpTo } from './model.js';
import { useInstantScale } from './record-columns.js';

/** When the newest record was made that an empty range leaves out, and the way to its day. */
export const NewestRecord = (props: {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly onRange: (range: TimeRange) => void;
}) => {
  const scale = useInstantScale();
  const instant = new Date(props.at).toISOString();
  return (
    <>
      <p>The newest record is of {instantFigure(instant, scale)?.text ?? instant}.</p>
      <Button onClick={() => props.onRange(dayUpTo(props.at))}>Show the day up to it</Button>
    </>
  );
};
