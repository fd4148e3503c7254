import { moreRows, plainListMax } from '../../contract/envelope.js';
import { reading, type Route } from '../../contract/operation.js';
import {
  getProject,
  listAllProjects,
  listProjects,
  pageProjects,
  projectAnswer,
  shownRunsMax,
  type RunSummary,
} from '../../contract/projects.js';
import type { Principal } from '../../contract/roles.js';
import { byCodePoint } from '../../kernel/code-points.js';
import { Fault } from '../../kernel/fault.js';
import type { Filter, Leaf } from '../../kernel/filter.js';
import type { Documents } from '../../kernel/documents.js';
import type { ProjectId } from '../../kernel/shapes.js';
import { experimentList } from '../../projections/experiment-list.js';
import { metricsTestingRunList } from '../../projections/metrics-testing-run-list.js';
import { logStreamList } from '../../projections/log-stream-list.js';
import { projectList, type ListedProject } from '../../projections/project-list.js';
import { userList } from '../../projections/user-list.js';
import { every, namedThings, pageAsked, pageOf, planListing } from '../listings.js';
import { peopleOf } from '../people.js';
import { sightOf, sightReads, type ProjectSight, type SightNeeds } from '../sight.js';

/**
 * The reads of contract 5.4 about projects. Lists hold the projects in sight and no others.
 */
export const projectReads = (needs: SightNeeds): readonly Route[] => [
  listing(needs),
  listingAll(needs),
  paging(needs),
  showing(needs),
];

const { collection } = projectList;

const listing = (needs: SightNeeds): Route =>
  reading(listProjects, projectReadings(), async ({ query, principal }) =>
    listed(needs, principal, [...equal('name', query.project_name), ...equal('type', query.type)]),
  );

const listingAll = (needs: SightNeeds): Route =>
  reading(listAllProjects, projectReadings(), async ({ query, principal }) =>
    listed(needs, principal, equal('type', query.type)),
  );

const paging = (needs: SightNeeds): Route =>
  reading(
    pageProjects,
    projectReadings(),
    async ({ body, query, principal }) => {
      const sight = await sightOf(needs, principal);
      const { filters, sort } = planListing(body, namedThings);
      const { rows, measure } = await pageOf<ListedProject>(
        needs.documents,
        collection,
        principal.organizationId,
        { ...pageAsked(query, body), filters: [...filters, ...sight.filters], sort },
      );
      const found = rows.map((row) => row.body);
      const projects = await projectAnswers(needs, found, principal, sight);
      return { body: { ...measure, projects } };
    },
    ({ body }) => planListing(body, namedThings).complaints,
  );

const showing = (needs: SightNeeds): Route =>
  reading(getProject, projectReadings(), async ({ params, principal }) => {
    const [found, sight] = await Promise.all([
      needs.documents.get<ListedProject>(collection, params.project_id),
      sightOf(needs, principal),
    ]);
    const own = found?.scope === principal.organizationId ? [found.body] : [];
    const [shown] = await projectAnswers(needs, own, principal, sight);
    if (shown === undefined) throw new Fault('not-found', 'Project not found');
    return { body: shown };
  });

const listed = async (needs: SightNeeds, principal: Principal, filters: readonly Filter[]) => {
  const sight = await sightOf(needs, principal);
  const { documents: found, more } = await needs.documents.find<ListedProject>(collection, {
    scope: principal.organizationId,
    filter: every([...filters, ...sight.filters]),
    limit: plainListMax,
  });
  const rows = found.map(({ body }) => body);
  return { body: await projectAnswers(needs, rows, principal, sight), notes: moreRows(more) };
};

/** The projects as the caller sees them; those out of sight are left out. */
export const projectAnswers = async (
  { documents }: SightNeeds,
  found: readonly ListedProject[],
  principal: Principal,
  { roleIn }: ProjectSight,
) => {
  const seen = found.flatMap((one) => {
    const role = roleIn(one);
    return role === null ? [] : [{ facts: one.facts, role }];
  });
  const creators = seen.map(({ facts }) => facts.created_by);
  const [people, runs] = await Promise.all([
    peopleOf(documents, principal.organizationId, creators),
    Promise.all(seen.map(({ facts }) => newestRuns(documents, facts.id))),
  ]);
  return seen.map(({ facts, role }, at) =>
    projectAnswer(facts, people.get(facts.created_by) ?? null, runs[at] ?? [], role),
  );
};
/** The collections that the answers are made of. */
export const projectReadings = () => [
  ...sightReads,
  ...runLists.map((list) => list.collection),
  userList.collection,
];

/**
 * The newest runs of a project, the newest first (contract 5.4); a project out of sight must not
 * get here.
 */
export const newestRuns = async (
  documents: Documents,
  project: ProjectId,
  limit: number = shownRunsMax,
): Promise<readonly RunSummary[]> => {
  const kinds = await Promise.all(
    runLists.map(async ({ kind, collection }) => {
      const found = await documents.find<RunFacts>(collection, { scope: project, limit });
      return found.documents.map(({ body: { id, name, created_at, updated_at } }) => ({
        id,
        name,
        kind,
        created_at,
        updated_at,
      }));
    }),
  );
  return kinds.flat().sort(newestFirst).slice(0, limit);
};

const runLists = [
  { kind: 'log_stream', collection: logStreamList.collection },
  { kind: 'experiment', collection: experimentList.collection },
  { kind: 'metrics_testing', collection: metricsTestingRunList.collection },
] as const;
type RunFacts = Omit<RunSummary, 'kind'>;

const newestFirst = (one: RunSummary, other: RunSummary): number =>
  byCodePoint(other.created_at, one.created_at) || byCodePoint(other.id, one.id);

const equal = (column: string, value: string | undefined): readonly Leaf[] =>
  value === undefined
    ? []
    : [{ kind: 'text', column, operator: 'eq', values: [value], caseSensitive: true }];
