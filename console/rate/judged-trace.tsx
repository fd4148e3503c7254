import { useEffect, useRef } from 'preact/hooks';
import { useSurroundings } from '../client/context.js';
import { Instant } from '../client/instants.js';
import { RecordedWord } from '../parts/recorded-text.js';
import { Disclosure } from '../traces/content-view.js';
import { recordFigures, type TraceRecord } from '../traces/record-facts.js';
import { RecordReading } from '../traces/record-pane.js';
import { TraceSteps } from '../traces/trace-steps.js';

/** The trace that is judged, as its own page reads it. */
export const JudgedTrace = (props: {
  readonly projectId: string;
  readonly trace: TraceRecord;
  /** Scrolls to its begin: it came in place of another one. */
  readonly takesPlace: boolean;
}) => {
  const { trace } = props;
  const { navigation } = useSurroundings();
  const box = useRef<HTMLElement>(null);
  useEffect(() => {
    const isScrolled = (box.current?.getBoundingClientRect().top ?? 0) < 0;
    if (props.takesPlace && isScrolled) box.current?.scrollIntoView({ block: 'start' });
  }, [trace.id]);
  return (
    <section class="rate-trace" aria-label="Trace to judge" ref={box}>
      <div class="rate-trace-head">
        <h2>
          <RecordedWord text={trace.name === '' ? 'Trace' : trace.name} />
        </h2>
        <span class="note">
          <Instant at={trace.created_at} />
        </span>
        <span class="note">{recordFigures(trace).join(' · ')}</span>
        <a href={navigation.href(`/p/${props.projectId}/traces/${trace.id}`)}>Open the trace</a>
      </div>
      <RecordReading key={trace.id} record={trace}>
        <div>
          <Disclosure title="Steps">
            <TraceSteps projectId={props.projectId} traceId={trace.id} />
          </Disclosure>
        </div>
      </RecordReading>
    </section>
  );
};
