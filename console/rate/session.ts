import type { RatingOperation } from '../../clients/typescript/src/generated/annotations-types.js';
import { draftAfter, type RatingDraft, type RefusedOperation } from './draft.js';

/** One trace that was left behind, as undo needs it. */
export type RatingStep = {
  readonly traceId: string;
  /** Name of the trace, for messages. */
  readonly name: string;
  /** Ratings before it, and as they were edited. */
  readonly before: RatingDraft;
  readonly draft: RatingDraft;
  /** Empty of a skip. */
  readonly operations: readonly RatingOperation[];
};

/** A save of which something was not done. */
export type FailedSave = {
  readonly step: RatingStep;
  readonly refused: readonly RefusedOperation[];
  /** Sentence about the whole request; null where only some of its operations were refused. */
  readonly reason: string | null;
};

/** Work on a queue in this tab. */
export type RateSession = {
  readonly skipped: ReadonlySet<string>;
  readonly saved: ReadonlySet<string>;
  /** Traces that come first, because of an undo or a failed save. */
  readonly returned: readonly string[];
  /** Edited and not saved, by trace. */
  readonly drafts: ReadonlyMap<string, RatingDraft>;
  /** Ratings by trace as the last save or undo left them. */
  readonly given: ReadonlyMap<string, RatingDraft>;
  /** Steps that undo takes back, the last one first. */
  readonly steps: readonly RatingStep[];
  readonly failed: readonly FailedSave[];
};

/** Ratings that would be lost with the tab. */
export type UnsavedRatings = Pick<RateSession, 'drafts' | 'failed'>;

export const unsavedRatings = ({ drafts, failed }: RateSession): UnsavedRatings | null =>
  drafts.size === 0 && failed.length === 0 ? null : { drafts, failed };

export const emptySession: RateSession = {
  skipped: new Set(),
  saved: new Set(),
  returned: [],
  drafts: new Map(),
  given: new Map(),
  steps: [],
  failed: [],
};

const withKey = <V>(map: ReadonlyMap<string, V>, key: string, value: V): ReadonlyMap<string, V> =>
  new Map(map).set(key, value);
const withoutKey = <V>(map: ReadonlyMap<string, V>, key: string): ReadonlyMap<string, V> => {
  const next = new Map(map);
  next.delete(key);
  return next;
};
const without = (ids: ReadonlySet<string>, id: string): ReadonlySet<string> => {
  const next = new Set(ids);
  next.delete(id);
  return next;
};

export const withDraft = (
  session: RateSession,
  traceId: string,
  draft: RatingDraft,
): RateSession => ({ ...session, drafts: withKey(session.drafts, traceId, draft) });

/** The session behind a saved or skipped trace. */
export const withStep = (session: RateSession, step: RatingStep): RateSession => {
  const { traceId: id, operations } = step;
  const left = {
    ...session,
    returned: session.returned.filter((one) => one !== id),
    drafts: withoutKey(session.drafts, id),
    steps: [step, ...session.steps],
  };
  if (operations.length === 0) return { ...left, skipped: new Set([...session.skipped, id]) };
  return {
    ...left,
    saved: new Set([...session.saved, id]),
    given: withKey(session.given, id, draftAfter(step.before, operations)),
    failed: session.failed.filter((failure) => failure.step.traceId !== id),
  };
};

/** The trace of a step is shown again, edited as it was. */
const withReturn = (session: RateSession, { traceId: id, draft }: RatingStep): RateSession => ({
  ...session,
  skipped: without(session.skipped, id),
  saved: without(session.saved, id),
  returned: [id, ...session.returned.filter((one) => one !== id)],
  drafts: withKey(session.drafts, id, draft),
  failed: session.failed.filter((failure) => failure.step.traceId !== id),
});

/** The session before its last step. */
export const withUndo = (session: RateSession): RateSession => {
  const [step, ...steps] = session.steps;
  if (step === undefined) return session;
  const back = withReturn({ ...session, steps }, step);
  return { ...back, given: withKey(back.given, step.traceId, step.before) };
};

/** The session after a save failed: what is given is what the service did not refuse. */
export const withFailure = (session: RateSession, failure: FailedSave): RateSession => {
  const { step, refused, reason } = failure;
  const others = session.failed.filter((one) => one.step.traceId !== step.traceId);
  const isUndone = !session.steps.includes(step);
  const names = new Set(refused.map(({ templateId }) => templateId));
  const done = step.operations.filter(
    ({ annotation_template_id: id }) => reason === null && !names.has(id),
  );
  return {
    ...session,
    failed: isUndone ? others : [failure, ...others],
    given: isUndone
      ? session.given
      : withKey(session.given, step.traceId, draftAfter(step.before, done)),
  };
};

/** The trace of a failed save is shown again; undo does not take the failed save back. */
export const withFailedTrace = (session: RateSession, { step }: FailedSave): RateSession => {
  const back = withReturn(session, step);
  return { ...back, steps: back.steps.filter((one) => one !== step) };
};

export const withoutFailure = (session: RateSession, failure: FailedSave): RateSession => ({
  ...session,
  failed: session.failed.filter((one) => one !== failure),
});

/** The session as the queue is asked for anew: what was rated in part comes again. */
export const withNewQueue = (session: RateSession): RateSession => ({
  ...session,
  saved: new Set(),
  returned: [],
});

/** The session whose skipped traces are part of the queue again. */
export const withoutSkips = (session: RateSession): RateSession => ({
  ...withNewQueue(session),
  skipped: new Set(),
});
