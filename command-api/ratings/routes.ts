import { writeRoute, type Route } from '../../contract/operation.js';
import {
  complaintsAboutRatings,
  giveRating,
  rateTraces,
  typeOfOperation,
  withdrawRating,
  type Rating,
  type RatingResult,
} from '../../contract/ratings.js';
import type { RatingGiven } from '../../events/ratings.js';
import { unreachable } from '../../kernel/decision.js';
import { Fault, valueFault } from '../../kernel/fault.js';
import type { EventLog, Position } from '../../kernel/ports.js';
import type { ProjectId, TemplateId, TraceId, UserId } from '../../kernel/schema-types.js';
import { conflictFault, type Authorship } from '../../kernel/transact.js';
import {
  ratingBy,
  outcomeSentence,
  type RatingAction,
  type RatingOutcome,
  type RatingRefusal,
} from './ratings.js';
import * as write from './rate-traces.js';

type RatingNeeds = { readonly log: EventLog };

/** Write routes of ratings (contract 4.8, 5.8). */
export const ratingWrites = (given: RatingNeeds): readonly Route[] => {
  const needs: Needs = { ...given, ratedTraces: write.openRatedTraceCache(given.log) };
  return [rateTracesRoute(needs), giveRatingRoute(needs), withdrawRatingRoute(needs)];
};

type Needs = RatingNeeds & { readonly ratedTraces: write.RatedTraceLoader };

const rateTracesRoute = (needs: Needs): Route =>
  writeRoute(
    rateTraces,
    async ({ body, params: { project_id: projectId }, principal, cause }) => {
      const { operations, selector } = body;
      const requested = operations.map(actionOf);
      const repeats = new Map<TraceId, number>();
      for (const id of selector.traces) repeats.set(id, (repeats.get(id) ?? 0) + 1);
      const actions = new Map(
        [...repeats].map(([id, times]) => [
          id,
          requested.flatMap((action) => Array.from({ length: times }, () => action)),
        ]),
      );
      const { position, traces } = await write.rateTraces(
        needs,
        { projectId, userId: principal.userId, actions },
        cause,
      );
      const results: RatingResult[] = [];
      const taken = new Map<TraceId, number>();
      for (const [index, operation] of operations.entries()) {
        for (const trace of selector.traces) {
          const place = taken.get(trace) ?? 0;
          taken.set(trace, place + 1);
          const outcome = traces.get(trace)?.outcomes[place] ?? unknownTrace;
          results.push({
            operation: typeOfOperation(operation),
            success: outcome.success,
            message: outcomeSentence(outcome),
            selector: 'traces',
            index,
            trace,
          });
        }
      }
      return { position, body: results };
    },
    ({ body }) => complaintsAboutRatings(body),
  );

const giveRatingRoute = (needs: Needs): Route =>
  writeRoute(giveRating, async ({ body, params, principal, cause }) => {
    const { template_id: template } = params;
    const { rating, explanation = null } = body;
    const action: RatingAction = { kind: 'create', template, rating, explanation };
    const { outcome, given, position } = await rateOne(
      needs,
      { ...params, action },
      principal,
      cause,
    );
    if (!outcome.success) throw faultOf(outcome.message, outcomeSentence(outcome));
    if (given === null) throw faultOf('changed at the same time, try again');
    return { position, body: ownRating(given) };
  });

const withdrawRatingRoute = (needs: Needs): Route =>
  writeRoute(withdrawRating, async ({ params, principal, cause }) => {
    const action: RatingAction = { kind: 'delete', template: params.template_id };
    const { outcome, position } = await rateOne(needs, { ...params, action }, principal, cause);
    if (!outcome.success) throw faultOf(outcome.message, outcomeSentence(outcome));
    if (outcome.message === 'no rating to withdraw') {
      throw new Fault('not-found', 'You have not rated this trace by this template');
    }
    return { position, body: { message: 'The rating is withdrawn.' } };
  });

type Operations = Parameters<typeof complaintsAboutRatings>[0]['operations'];

const actionOf = (sent: Operations[number]): RatingAction => {
  const { annotation_template_id: template, rating, explanation } = sent;
  return typeOfOperation(sent) === 'delete' || rating == null
    ? { kind: 'delete', template }
    : { kind: 'create', template, rating, explanation: explanation ?? null };
};

const unknownTrace: RatingOutcome = { success: false, message: 'trace not found' };

type SingleRating = {
  readonly project_id: ProjectId;
  readonly template_id: TemplateId;
  readonly trace_id: TraceId;
  readonly action: RatingAction;
};

const rateOne = async (
  needs: Needs,
  { project_id: projectId, template_id: template, trace_id: id, action }: SingleRating,
  { userId }: { readonly userId: UserId },
  cause: Authorship,
): Promise<{
  readonly outcome: RatingOutcome;
  readonly given: RatingGiven | null;
  readonly position: Position;
}> => {
  const actions = new Map([[id, [action]]]);
  const rated = await write.rateTraces(needs, { projectId, userId, actions }, cause);
  const one = rated.traces.get(id);
  return {
    outcome: one?.outcomes[0] ?? unknownTrace,
    given: ratingBy(one?.trace ?? null, template, userId),
    position: rated.position,
  };
};

const faultOf = (refusal: RatingRefusal, sentence: string = refusal): Fault => {
  switch (refusal) {
    case 'trace not found':
      return new Fault('not-found', 'Trace not found');
    case 'annotation template not found':
      return new Fault('not-found', 'Annotation template not found');
    case 'annotation type does not match the template':
      return valueFault(['body', 'rating', 'annotation_type'], sentence);
    case 'changed at the same time, try again':
      return conflictFault();
    case 'score is outside the range of the template':
    case 'tag is not in the template':
    case 'choice is not in the template':
      return valueFault(['body', 'rating', 'value'], sentence);
    default:
      return unreachable(refusal);
  }
};

const ownRating = ({
  annotation_type,
  value,
  explanation,
  given_at: createdAt,
  user_id: createdBy,
}: RatingGiven) => ({
  rating: { annotation_type, value } as Rating,
  explanation,
  created_at: createdAt,
  created_by: createdBy,
});
