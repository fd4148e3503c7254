import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { RatingOperation } from '../../clients/typescript/src/generated/annotations-types.js';
import { useSurroundings } from '../client/context.js';
import { useWriteQueue } from '../client/queries.js';
import { useUnsaved } from '../client/unsaved.js';
import { faultText } from '../parts/faults.js';
import type { Permit } from '../parts/permits.js';
import {
  ratingBatches,
  refusedOperations,
  undoOperations,
  type RatingDraft,
  type RefusedOperation,
} from './draft.js';
import {
  emptySession,
  unsavedRatings,
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
  type UnsavedRatings,
} from './session.js';

/** Sessions of this tab by person and project: skips and undo outlast a visit of another page. */
const sessions = new Map<string, RateSession>();

/** The session that goes on; the records that are asked for have the saves of earlier visits. */
const resumedSession = (key: string, unsaved: UnsavedRatings | null): RateSession => ({
  ...withNewQueue(sessions.get(key) ?? emptySession),
  given: new Map(),
  drafts: unsaved?.drafts ?? emptySession.drafts,
  failed: unsaved?.failed ?? emptySession.failed,
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
export const useRateSession = (
  permit: Permit<'annotator'>,
  projectId: string,
  callerId: string,
): RateActions => {
  const key = `${callerId} ${projectId}`;
  const [unsaved, setUnsaved] = useUnsaved<UnsavedRatings>(`ratings ${key}`);
  const [session, setSession] = useState(() => resumedSession(key, unsaved));
  const current = useRef(session);
  const change = (next: (session: RateSession) => RateSession): void => {
    current.current = next(current.current);
    sessions.set(key, current.current);
    setUnsaved(unsavedRatings(current.current));
    setSession(current.current);
  };
  const place = { permit, projectId, name: `saves of ratings ${key}` };
  const saves = useSaves(place, (failure) => change((latest) => withFailure(latest, failure)));
  return {
    session,
    savedAt: saves.savedAt,
    isSaving: saves.isSaving,
    edit: (traceId, draft) => change((latest) => withDraft(latest, traceId, draft)),
    leave: (step) => {
      change((latest) => withStep(latest, step));
      if (step.operations.length > 0) saves.save(step);
    },
    undo: () => {
      const [step] = current.current.steps;
      if (step === undefined) return;
      change(withUndo);
      if (step.operations.length > 0) saves.takeBack(step);
    },
    reopen: (failure) => change((latest) => withFailedTrace(latest, failure)),
    dismiss: (failure) => change((latest) => withoutFailure(latest, failure)),
    restart: () => change(withNewQueue),
    showSkipped: () => change(withoutSkips),
  };
};

/** Sends the ratings of steps, one step after the other; `name`: of the saves under way. */
const useSaves = (
  {
    permit,
    projectId,
    name,
  }: { readonly permit: Permit<'annotator'>; readonly projectId: string; readonly name: string },
  onFailure: (failure: FailedSave) => void,
) => {
  const { clock, queries } = useSurroundings();
  const [savedAt, setSavedAt] = useState<number | null>(null);
  const [, setUnderWay] = useUnsaved<number>(name);
  const writes = useWriteQueue(permit, ['rating-progress']);
  const memory = useMemo(
    () => ({ refused: new Map<RatingStep, readonly RefusedOperation[]>(), underWay: 0 }),
    [],
  );
  // Lists and traces show ratings, too; they are asked for again when they are next shown.
  useEffect(
    () => () => {
      for (const noun of ['traces', 'sessions', 'templates', 'annotations']) {
        void queries.invalidateQueries({ queryKey: [noun] });
      }
    },
    [],
  );
  const count = (by: 1 | -1): void => {
    memory.underWay += by;
    setUnderWay(memory.underWay === 0 ? null : memory.underWay);
  };
  const send = (step: RatingStep, operationsOf: () => readonly RatingOperation[]): void => {
    count(1);
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
      memory.refused.set(step, refused);
      return refused;
    });
    void outcome.then((end) => {
      count(-1);
      const refused = 'value' in end ? end.value : [];
      const reason = 'fault' in end ? faultText(end.fault).title : null;
      if (reason === null) setSavedAt(clock.now());
      if (reason !== null || refused.length > 0) onFailure({ step, refused, reason });
    });
  };
  return {
    savedAt,
    isSaving: writes.waiting > 0,
    save: (step: RatingStep) => send(step, () => step.operations),
    takeBack: (step: RatingStep) => send(step, () => takenBack(step, memory.refused.get(step))),
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
