import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { RatingOperation } from '../../clients/typescript/src/generated/annotations-types.js';
import { useSurroundings } from '../client/context.js';
import { useWriteQueue } from '../client/queries.js';
import { faultText } from '../parts/faults.js';
import {
  ratingBatches,
  refusedOperations,
  undoOperations,
  type RatingDraft,
  type RefusedOperation,
} from './draft.js';
import {
  emptySession,
  withDraft,
  withFailedTrace,
  withFailure,
  withNewQueue,
  withoutFailure,
  withoutSkips,
  withStep,
  withUndo,
  type FailedSave,
  type RateSession,
  type RatingStep,
} from './session.js';

/** Sessions of this tab by person and project: skips and undo outlast a visit of another page. */
const sessions = new Map<string, RateSession>();

/** A session of an earlier visit: the records that are asked for have its saves. */
const resumedSession = (key: string): RateSession => ({
  ...withNewQueue(sessions.get(key) ?? emptySession),
  given: new Map(),
});

export type RateActions = {
  readonly session: RateSession;
  /** Milliseconds since 1970 of the last save that the service has; null before one. */
  readonly savedAt: number | null;
  readonly isSaving: boolean;
  readonly edit: (traceId: string, draft: RatingDraft) => void;
  /** Leaves a trace behind, saved by its operations or skipped without any. */
  readonly leave: (step: RatingStep) => void;
  readonly undo: () => void;
  readonly reopen: (failure: FailedSave) => void;
  readonly dismiss: (failure: FailedSave) => void;
  /** Before the queue is asked for anew. */
  readonly restart: () => void;
  readonly showSkipped: () => void;
};

/** Rating in this tab: shows the next trace at once, saves behind it in the order of the steps. */
export const useRateSession = (projectId: string, callerId: string): RateActions => {
  const { clock, queries } = useSurroundings();
  const key = `${callerId} ${projectId}`;
  const [session, setSession] = useState(() => resumedSession(key));
  const [savedAt, setSavedAt] = useState<number | null>(null);
  const writes = useWriteQueue(['rating-progress']);
  const refusals = useMemo(() => new Map<RatingStep, readonly RefusedOperation[]>(), []);
  const current = useRef(session);
  const change = (next: (session: RateSession) => RateSession): void => {
    current.current = next(current.current);
    sessions.set(key, current.current);
    setSession(current.current);
  };
  // Lists and traces show ratings, too; they are asked for again when they are next shown.
  useEffect(
    () => () => {
      for (const noun of ['traces', 'sessions', 'templates', 'annotations']) {
        void queries.invalidateQueries({ queryKey: [noun] });
      }
    },
    [],
  );
  const send = (step: RatingStep, operationsOf: () => readonly RatingOperation[]): void => {
    const outcome = writes.add(async (operations, options) => {
      const refused: RefusedOperation[] = [];
      for (const [index, batch] of ratingBatches(operationsOf()).entries()) {
        const results = await operations.annotations.rateTraces(
          {
            project_id: projectId,
            operations: batch,
            selector: { selector_type: 'traces', traces: [step.traceId] },
          },
          { ...options, idempotencyKey: `${options.idempotencyKey ?? ''}-${index}` },
        );
        refused.push(...refusedOperations(batch, results));
      }
      refusals.set(step, refused);
      return refused;
    });
    void outcome.then((end) => {
      const refused = 'value' in end ? end.value : [];
      const reason = 'fault' in end ? faultText(end.fault).title : null;
      if (reason === null) setSavedAt(clock.now());
      if (reason !== null || refused.length > 0) {
        change((latest) => withFailure(latest, { step, refused, reason }));
      }
    });
  };
  return {
    session,
    savedAt,
    isSaving: writes.waiting > 0,
    edit: (traceId, draft) => change((latest) => withDraft(latest, traceId, draft)),
    leave: (step) => {
      change((latest) => withStep(latest, step));
      if (step.operations.length > 0) send(step, () => step.operations);
    },
    undo: () => {
      const [step] = current.current.steps;
      if (step === undefined) return;
      change(withUndo);
      if (step.operations.length > 0) send(step, () => takenBack(step, refusals.get(step)));
    },
    reopen: (failure) => change((latest) => withFailedTrace(latest, failure)),
    dismiss: (failure) => change((latest) => withoutFailure(latest, failure)),
    restart: () => change(withNewQueue),
    showSkipped: () => change(withoutSkips),
  };
};

/** Operations that put back what the step changed; what was refused changed nothing. */
const takenBack = (
  { before, operations }: RatingStep,
  refused: readonly RefusedOperation[] = [],
): readonly RatingOperation[] => {
  const names = new Set(refused.map(({ templateId }) => templateId));
  return undoOperations(
    before,
    operations.filter(({ annotation_template_id: id }) => !names.has(id)),
  );
};
