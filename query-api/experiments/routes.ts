import { asOfComplaints, readAsOf, type AsOf } from '../../contract/as-of.js';
import type { ExperimentFacts, ExperimentTag } from '../../contract/experiment-record.js';
import {
  getExperiment,
  listExperiments,
  pageExperiments,
  searchExperiments,
} from '../../contract/experiments.js';
import { getRankingCriteria } from '../../contract/experiment-ranking.js';
import { listExperimentTags } from '../../contract/experiment-tags.js';
import { moreRows, plainListMax } from '../../contract/envelope.js';
import { reading, type AnswerRoom, type Route } from '../../contract/operation.js';
import type { Principal } from '../../contract/roles.js';
import { byCodePoint } from '../../kernel/code-points.js';
import { Fault } from '../../kernel/fault.js';
import type { Position } from '../../kernel/ports.js';
import type { Records } from '../../kernel/records/records.js';
import type { Json, JsonObject, ProjectId } from '../../kernel/shapes.js';
import { experimentList } from '../../projections/experiment-list.js';
import { experimentColumns, pageOf, planListing, type ListingAsked } from '../listings.js';
import { comparing, type ComparingNeeds } from './comparing.js';
import { criteriaReadsFrom, shownCriteria, type CriteriaPlace } from './criteria.js';
import { computedSort, leaderboardPage } from './leaderboard.js';
import { experimentReadsFrom, shownExperiments, type ExperimentShowNeeds } from './show.js';

type ShownNeeds = ExperimentShowNeeds & {
  readonly records: Pick<Records, 'aggregate' | 'metricTypes' | 'runAverages'>;
};
export type ExperimentReadNeeds = ShownNeeds &
  ComparingNeeds & {
    /**
     * The project's experiments as they were, and the position that this is as of. Throws Fault
     * `invalid` for a position after the head and for too many events to fold.
     */
    readonly projectAt: (
      place: CriteriaPlace,
      asOf: AsOf,
      asked: { readonly signal: AbortSignal; readonly room: AnswerRoom },
    ) => Promise<{ readonly needs: ShownNeeds; readonly position: Position }>;
  };
type Needs = ExperimentReadNeeds;

/** The reads of contract 4.6 and 5.5 about experiments. */
export const experimentReads = (needs: Needs): readonly Route[] => [
  listing(needs),
  paging(needs),
  searching(needs),
  showing(needs),
  tags(needs),
  criteria(needs),
  comparing(needs),
];

const { collection } = experimentList;
const reads = experimentReadsFrom;

const listing = (needs: Needs): Route =>
  reading(listExperiments, reads, async ({ params, query, principal }) => {
    const project = params.project_id;
    const found = await needs.documents.find<ExperimentFacts>(collection, {
      scope: project,
      limit: plainListMax,
    });
    const facts = found.documents.map(({ body }) => body);
    const isCounted = query.include_counts === true;
    const body = await shownExperiments(needs, facts, { principal, project, isCounted });
    return { body, notes: moreRows(found.more) };
  });

const paging = (needs: Needs): Route =>
  reading(pageExperiments, reads, async ({ params, query, principal }) => ({
    body: await paged(needs, principal, params.project_id, query),
  }));

const searching = (needs: Needs): Route =>
  reading(
    searchExperiments,
    reads,
    async (request) => {
      const { body, principal } = request;
      const { filters, sort } = planListing(plain(body), experimentColumns);
      const asked = { ...body, filters, sort };
      const column = computedSort(body.sort ?? null);
      const { at, place, past } = await needsAt(needs, request);
      const { project } = place;
      if (column !== null && sort !== null) {
        const page = await leaderboardPage(at, place, asked, { ...sort, column });
        const viewer = { principal, project, isCounted: body.include_counts === true };
        const experiments = await shownExperiments(at, page.facts, viewer);
        const notes = { 'X-Unknown-Columns': page.unknown };
        return { body: { ...page.measure, experiments }, notes, ...past };
      }
      return { body: await paged(at, principal, project, asked), ...past };
    },
    ({ query, body }) => [
      ...asOfComplaints(query),
      ...planListing(plain(body), experimentColumns).complaints,
    ],
  );

/** With a column of documents in place of a computed one, which is judged by its other members. */
const plain = <B extends { readonly filters?: Json; readonly sort?: Json }>(body: B): B =>
  computedSort(body.sort ?? null) === null
    ? body
    : { ...body, sort: { ...(body.sort as JsonObject), name: 'created_at' } };

type AtRequest = {
  readonly principal: Principal;
  readonly signal: AbortSignal;
  readonly room: AnswerRoom;
  readonly params: { readonly project_id: ProjectId };
  readonly query: { readonly as_of?: string };
};

/** What answers: of now or, with `as_of`, of then; `past` is what an answer says of it. */
const needsAt = async (needs: Needs, { params, query, principal, signal, room }: AtRequest) => {
  const place = { organization: principal.organizationId, project: params.project_id };
  const asOf = query.as_of === undefined ? null : readAsOf(query.as_of);
  if (asOf === null) return { at: needs, place, past: {} };
  const then = await needs.projectAt(place, asOf, { signal, room });
  return { at: then.needs, place, past: { position: then.position } };
};

const paged = async (
  needs: ShownNeeds,
  principal: Principal,
  project: ProjectId,
  asked: ListingAsked & { readonly include_counts?: boolean | null },
) => {
  const page = await pageOf<ExperimentFacts>(needs.documents, collection, project, asked);
  const facts = page.rows.map(({ body }) => body);
  const isCounted = asked.include_counts === true;
  const experiments = await shownExperiments(needs, facts, { principal, project, isCounted });
  return { ...page.measure, experiments };
};

const showing = (needs: Needs): Route =>
  reading(
    getExperiment,
    reads,
    async (request) => {
      const { params, principal } = request;
      const { project_id: project, experiment_id: id } = params;
      const { at, past } = await needsAt(needs, request);
      const found = await at.documents.get<ExperimentFacts>(collection, id);
      const facts = found?.scope === project ? [found.body] : [];
      const asking = { principal, project, isCounted: true };
      const [shown] = await shownExperiments(at, facts, asking);
      if (shown === undefined) throw missing();
      return { body: shown, ...past };
    },
    ({ query }) => asOfComplaints(query),
  );

const tags = ({ documents }: Needs): Route =>
  reading(listExperimentTags, [collection], async ({ params }) => {
    const { project_id: project, experiment_id: id } = params;
    const found = await documents.get<ExperimentFacts>(collection, id);
    if (found?.scope !== project) throw missing();
    return { body: found.body.tags.toSorted(newestFirst) };
  });

const criteria = (needs: Needs): Route =>
  reading(getRankingCriteria, criteriaReadsFrom, async ({ params, principal }) => ({
    body: await shownCriteria(needs, {
      organization: principal.organizationId,
      project: params.project_id,
    }),
  }));

/** As lists are unless the contract says otherwise (contract 5). */
const newestFirst = (one: ExperimentTag, other: ExperimentTag): number =>
  byCodePoint(other.created_at, one.created_at) || byCodePoint(other.id, one.id);

const missing = (): Fault => new Fault('not-found', 'Experiment not found');
