import type { AnswerMemory } from '../../contract/answer-memory.js';
import { asOfComplaints, parseAsOf, type AsOf } from '../../contract/as-of.js';
import type { ExperimentFacts, ExperimentTag } from '../../contract/experiment-record.js';
import { experimentLists, getExperiment } from '../../contract/experiments.js';
import { getRankingCriteria } from '../../contract/experiment-ranking.js';
import { listExperimentTags } from '../../contract/experiment-tags.js';
import { readRoute, type Route } from '../../contract/operation.js';
import type { Principal } from '../../contract/roles.js';
import { byCodePoint } from '../../kernel/code-points.js';
import { Fault } from '../../kernel/fault.js';
import type { Position } from '../../kernel/ports.js';
import type { RecordQueries } from '../../kernel/records/record-queries.js';
import type { Json, JsonObject, ProjectId } from '../../kernel/schema-types.js';
import { experimentList } from '../../projections/experiment-list.js';
import { experimentColumns, planListing } from '../listings.js';
import { comparisonRoute, type ComparisonNeeds } from './comparison-route.js';
import { criteriaCollections, criteriaAnswer, type CriteriaScope } from './criteria.js';
import { computedSort, leaderboardPage } from './leaderboard.js';
import {
  experimentCollections,
  experimentAnswers,
  experimentRows,
  type ExperimentAnswersNeeds,
} from './experiment-answers.js';

type ShownNeeds = ExperimentAnswersNeeds & {
  readonly records: Pick<RecordQueries, 'aggregate' | 'metricTypes' | 'runAverages'>;
};
export type ExperimentReadNeeds = ShownNeeds &
  ComparisonNeeds & {
    /**
     * Time travel: the project's experiments as of a past position or time, and that position.
     * Throws Fault `invalid` for a position after the head and for too many events to fold.
     */
    readonly projectAt: (
      place: CriteriaScope,
      asOf: AsOf,
      asked: { readonly signal: AbortSignal; readonly memory: AnswerMemory },
    ) => Promise<{ readonly needs: ShownNeeds; readonly position: Position }>;
  };
type Needs = ExperimentReadNeeds;

/** Reads of experiments (contract 4.6 and 5.5). */
export const experimentReads = (needs: Needs): readonly Route[] => [
  experimentRows.listing(needs),
  experimentRows.paging(needs),
  searching(needs),
  showing(needs),
  tags(needs),
  criteria(needs),
  comparisonRoute(needs),
];

const { collection } = experimentList;
const reads = experimentCollections;

const searching = (needs: Needs): Route =>
  readRoute(
    experimentLists.search,
    reads,
    async (request) => {
      const { body, principal } = request;
      const { filters, sort } = planListing(withDocumentSort(body), experimentColumns);
      const search = { ...body, filters, sort };
      const column = computedSort(body.sort ?? null);
      const { at, place, past } = await needsAt(needs, request);
      const { project } = place;
      if (column !== null && sort !== null) {
        const page = await leaderboardPage(at, place, search, { ...sort, column });
        const viewer = { principal, project, isCounted: body.include_counts === true };
        const experiments = await experimentAnswers(at, page.facts, viewer);
        const notes = { 'X-Unknown-Columns': page.unknown };
        return { body: { ...page.measure, experiments }, notes, ...past };
      }
      return { body: await experimentRows.page(at, { principal, project }, search), ...past };
    },
    ({ query, body }) => [
      ...asOfComplaints(query),
      ...planListing(withDocumentSort(body), experimentColumns).complaints,
    ],
  );

/**
 * Replaces a computed sort column by a document column, so that its other members can be validated.
 */
const withDocumentSort = <B extends { readonly filters?: Json; readonly sort?: Json }>(
  body: B,
): B =>
  computedSort(body.sort ?? null) === null
    ? body
    : { ...body, sort: { ...(body.sort as JsonObject), name: 'created_at' } };

type AsOfRequest = {
  readonly principal: Principal;
  readonly signal: AbortSignal;
  readonly memory: AnswerMemory;
  readonly params: { readonly project_id: ProjectId };
  readonly query: { readonly as_of?: string };
};

/**
 * Read models for the request: now or, with `as_of`, then; `past` holds the members that a response
 * about the past adds.
 */
const needsAt = async (needs: Needs, { params, query, principal, signal, memory }: AsOfRequest) => {
  const place = { organization: principal.organizationId, project: params.project_id };
  const asOf = query.as_of === undefined ? null : parseAsOf(query.as_of);
  if (asOf === null) return { at: needs, place, past: {} };
  const then = await needs.projectAt(place, asOf, { signal, memory });
  return { at: then.needs, place, past: { position: then.position } };
};

const showing = (needs: Needs): Route =>
  readRoute(
    getExperiment,
    reads,
    async (request) => {
      const { params, principal } = request;
      const { project_id: project, experiment_id: id } = params;
      const { at, past } = await needsAt(needs, request);
      const viewer = { principal, project, isCounted: true };
      return { body: await experimentRows.find(at, viewer, id), ...past };
    },
    ({ query }) => asOfComplaints(query),
  );

const tags = ({ documents }: Needs): Route =>
  readRoute(listExperimentTags, [collection], async ({ params }) => {
    const { project_id: project, experiment_id: id } = params;
    const found = await documents.get<ExperimentFacts>(collection, id);
    if (found?.scope !== project) throw new Fault('not-found', 'Experiment not found');
    return { body: found.body.tags.toSorted(newestFirst) };
  });

const criteria = (needs: Needs): Route =>
  readRoute(getRankingCriteria, criteriaCollections, async ({ params, principal }) => ({
    body: await criteriaAnswer(needs, {
      organization: principal.organizationId,
      project: params.project_id,
    }),
  }));

/** Default order of lists (contract 5). */
const newestFirst = (one: ExperimentTag, other: ExperimentTag): number =>
  byCodePoint(other.created_at, one.created_at) || byCodePoint(other.id, one.id);
