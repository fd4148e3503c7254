import { useEffect } from 'preact/hooks';
import { useSurroundings } from '../client/context.js';
import { Instant } from '../client/instants.js';
import { FaultNotice } from '../parts/notice.js';
import { RecordedWord } from '../parts/recorded-text.js';
import { ContentView, Disclosure } from './content-view.js';
import { RatingPanel } from './rating-panel.js';
import { errorMessage, recordFigures, type TraceRecord } from './record-facts.js';
import { useTurnTexts, type SessionIds } from './session-questions.js';
import type { Turn } from './session-turns.js';
import { TraceSteps } from './trace-steps.js';

/** Pixels that stand for a turn until its texts are there. */
const turnPixels = 96;

/** A page of turns; its texts are asked for once it was in sight. */
export const TurnPage = (props: {
  readonly ids: SessionIds;
  readonly page: number;
  readonly turns: readonly Turn[];
  readonly selected: number;
  readonly isSeen: boolean;
  readonly onSelect: (index: number) => void;
  readonly onShown: () => void;
}) => {
  const { ids, page, turns } = props;
  const version = `${turns.length} ${turns.at(-1)?.id ?? ''}`;
  const texts = useTurnTexts(ids, page, props.isSeen, version);
  const isShown = texts.value !== undefined;
  useEffect(() => {
    if (isShown) props.onShown();
  }, [isShown]);
  const height = isShown ? undefined : `${turns.length * turnPixels}px`;
  return (
    <div data-page={page} style={{ minHeight: height }}>
      <FaultNotice fault={texts.fault} onRetry={texts.refetch} />
      {turns.map((turn) => (
        <TurnView
          key={turn.id}
          projectId={ids.projectId}
          turn={turn}
          trace={texts.value?.get(turn.id) ?? null}
          isSelected={turn.index === props.selected}
          onSelect={() => props.onSelect(turn.index)}
        />
      ))}
    </div>
  );
};

const TurnView = (props: {
  readonly projectId: string;
  readonly turn: Turn;
  readonly trace: TraceRecord | null;
  readonly isSelected: boolean;
  readonly onSelect: () => void;
}) => {
  const { turn, trace, projectId } = props;
  const { navigation } = useSurroundings();
  if (trace === null) return <div class="turn" data-turn={turn.index} />;
  const error = errorMessage(trace);
  return (
    <article
      class="turn"
      data-turn={turn.index}
      aria-label={`Turn ${turn.index + 1}`}
      aria-current={props.isSelected ? 'true' : undefined}
      onClick={props.onSelect}
    >
      <div class="turn-head note">
        <span>{turn.index + 1}</span>
        <Instant at={turn.createdAt} />
        <span>{recordFigures(trace).join(' · ')}</span>
        {error !== null && (
          <span class="bad">
            ⚠ <RecordedWord text={error} />
          </span>
        )}
        <a href={navigation.href(`/p/${projectId}/traces/${turn.id}`)}>Open the trace</a>
      </div>
      <ContentView label="user" value={trace.input} />
      <ContentView label="assistant" value={trace.output} />
      <div class="turn-foot">
        <Disclosure title="Steps">
          <TraceSteps projectId={projectId} traceId={turn.id} />
        </Disclosure>
        {props.isSelected && (
          <Disclosure title="Rate">
            <RatingPanel projectId={projectId} trace={trace} />
          </Disclosure>
        )}
      </div>
    </article>
  );
};
