import { useRef } from 'preact/hooks';
import { Instant } from '../client/instants.js';
import { useKeys } from '../client/keys.js';
import { Button } from '../parts/button.js';
import { BehindNotice, EmptyNotice, FaultNotice, Skeleton } from '../parts/notice.js';
import type { Permit } from '../parts/permits.js';
import type { TraceRecord } from '../traces/record-facts.js';
import { ownRatings } from './draft.js';
import { EmptyQueue } from './empty-queue.js';
import { FailedSaves } from './failed-saves.js';
import { JudgedTrace } from './judged-trace.js';
import { useQueueCounts, useQueuedTrace, useRatingQueue, type QueueQuestion } from './questions.js';
import { progressText } from './queue.js';
import { RatingForm } from './rating-form.js';
import type { RateView } from './state.js';
import { useRateSession, type RateActions } from './use-session.js';
import type { RatingTemplate } from '../templates/model.js';

type Props = {
  readonly projectId: string;
  readonly templates: readonly RatingTemplate[];
  readonly permit: Permit<'annotator'>;
  readonly view: RateView;
  readonly queue: QueueQuestion;
  readonly onChange: (change: Partial<RateView>) => void;
  readonly onAskAgain: () => void;
};

/** The next trace of the queue beside the fields to rate it by, and what is left. */
export const RatingQueueView = (props: Props) => {
  const { permit, projectId, queue } = props;
  const actions = useRateSession(permit, projectId, queue.callerId);
  const { session } = actions;
  const counts = useQueueCounts(queue);
  const traces = useRatingQueue(queue, counts.left, session);
  const [shownId, nextId, laterId] = traces.open;
  const shown = useQueuedTrace(projectId, shownId);
  useQueuedTrace(projectId, nextId);
  useQueuedTrace(projectId, laterId);
  const motion = useMotion();
  const undo = session.steps.length === 0 ? null : motion.of(actions.undo);
  const askAgain = (): void => {
    actions.restart();
    props.onAskAgain();
  };
  useKeys(
    [
      { keys: 'u', what: 'Undo the last step', run: () => undo?.() },
      { keys: '.', what: 'Ask now', run: askAgain },
    ],
    [],
  );
  return (
    <>
      <Progress {...props} counts={counts} actions={actions} />
      {permit.reason !== null && (
        <p class="notice" role="note">
          You can read the queue, and not rate: {permit.reason}
        </p>
      )}
      <FailedSaves
        projectId={projectId}
        templates={props.templates}
        failed={session.failed}
        onOpen={motion.of(actions.reopen)}
        onDismiss={actions.dismiss}
      />
      <FaultNotice fault={counts.fault ?? traces.fault ?? shown.fault} onRetry={askAgain} />
      <BehindNotice isBehind={counts.isBehind} />
      {shownId === undefined && traces.isWhole && (
        <EmptyQueue
          {...props}
          left={counts.left}
          all={counts.all}
          skipped={session.skipped.size}
          onShowSkipped={() => {
            actions.showSkipped();
            props.onAskAgain();
          }}
          onAskAgain={askAgain}
          onUndo={undo}
        />
      )}
      {shownId === undefined && !traces.isWhole && traces.fault === null && <Skeleton />}
      {shownId !== undefined && shown.value === undefined && shown.fault === null && <Skeleton />}
      {shown.value === null && (
        <GoneTrace onSkip={() => actions.leave({ ...emptyStep, traceId: shownId ?? '' })} />
      )}
      {shown.value != null && (
        <Workplace {...props} trace={shown.value} actions={actions} motion={motion} undo={undo} />
      )}
    </>
  );
};

/** Whether the caller has moved in the queue: the focus follows that, and not the first trace. */
const useMotion = () => {
  const hasMoved = useRef(false);
  return {
    hasMoved: hasMoved.current,
    of:
      <A extends readonly unknown[]>(act: (...input: A) => void) =>
      (...input: A): void => {
        hasMoved.current = true;
        act(...input);
      },
  };
};

const emptyStep = { name: '', before: {}, draft: {}, operations: [] };

const GoneTrace = ({ onSkip }: { readonly onSkip: () => void }) => (
  <EmptyNotice title="This trace is not there any more">
    <Button onClick={onSkip}>Next</Button>
  </EmptyNotice>
);

const Workplace = (
  props: Props & {
    readonly trace: TraceRecord;
    readonly actions: RateActions;
    readonly motion: ReturnType<typeof useMotion>;
    readonly undo: (() => void) | null;
  },
) => {
  const { trace, actions, motion } = props;
  const { session } = actions;
  const before = session.given.get(trace.id) ?? ownRatings(trace.annotations, props.queue.callerId);
  return (
    <div class="rate-view">
      <JudgedTrace projectId={props.projectId} trace={trace} takesPlace={motion.hasMoved} />
      <RatingForm
        key={`${trace.id} ${session.steps.length}`}
        trace={trace}
        templates={props.templates}
        before={before}
        draft={session.drafts.get(trace.id) ?? before}
        permit={props.permit}
        takesFocus={motion.hasMoved}
        onEdit={(draft) => actions.edit(trace.id, draft)}
        onLeave={motion.of(actions.leave)}
        onUndo={props.undo}
      />
    </div>
  );
};

const orders = [
  { order: 'newest', text: 'Newest', title: 'The latest traces first' },
  { order: 'mine', text: 'Random', title: 'It begins elsewhere for each person' },
] as const;

/** How many traces are left, their order, and when the service had the last save. */
const Progress = (
  props: Props & {
    readonly counts: ReturnType<typeof useQueueCounts>;
    readonly actions: RateActions;
  },
) => {
  const { left, all } = props.counts;
  const { savedAt, isSaving } = props.actions;
  const isCounted = left !== undefined && all !== undefined;
  return (
    <div class="rate-progress">
      <strong role="status">{progressText(left, all)}</strong>
      <progress
        aria-label="Rated"
        max={Math.max(1, all ?? 1)}
        value={isCounted ? Math.max(0, all - left) : 0}
      />
      <span class="inline" role="group" aria-label="Order">
        {orders.map(({ order, text, title }) => (
          <Button
            key={order}
            isPressed={props.view.order === order}
            title={title}
            onClick={() => props.onChange({ order })}
          >
            {text}
          </Button>
        ))}
      </span>
      <span class="note" aria-live="polite">
        {isSaving && 'Saving …'}
        {!isSaving && savedAt !== null && (
          <>
            Saved <Instant at={new Date(savedAt).toISOString()} />
          </>
        )}
      </span>
    </div>
  );
};
