import { moreRowsHeader, plainListMax } from '../../contract/envelope.js';
import { readRoute, type Route } from '../../contract/operation.js';
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
import type { Filter, FilterCondition } from '../../kernel/filter.js';
import type { Documents } from '../../kernel/documents.js';
import type { ProjectId } from '../../kernel/schema-types.js';
import { experimentList } from '../../projections/experiment-list.js';
import { metricsTestingRunList } from '../../projections/metrics-testing-run-list.js';
import { logStreamList } from '../../projections/log-stream-list.js';
import { projectList, type ListedProject } from '../../projections/project-list.js';
import { userList } from '../../projections/user-list.js';
import {
  allOf,
  namedResourceColumns,
  pageParameters,
  readListingPage,
  planListing,
} from '../listings.js';
import { readUserBlocks } from '../user-blocks.js';
import {
  projectVisibility,
  visibilityCollections,
  type ProjectVisibility,
  type VisibilityNeeds,
} from '../project-visibility.js';

/** Reads of projects (contract 5.4). Lists hold exactly the visible projects. */
export const projectReads = (needs: VisibilityNeeds): readonly Route[] => [
  listing(needs),
  listingAll(needs),
  paging(needs),
  showing(needs),
];

const { collection } = projectList;

const listing = (needs: VisibilityNeeds): Route =>
  readRoute(listProjects, projectCollections(), async ({ query, principal }) =>
    projectsAnswer(needs, principal, [
      ...equal('name', query.project_name),
      ...equal('type', query.type),
    ]),
  );

const listingAll = (needs: VisibilityNeeds): Route =>
  readRoute(listAllProjects, projectCollections(), async ({ query, principal }) =>
    projectsAnswer(needs, principal, equal('type', query.type)),
  );

const paging = (needs: VisibilityNeeds): Route =>
  readRoute(
    pageProjects,
    projectCollections(),
    async ({ body, query, principal }) => {
      const visibility = await projectVisibility(needs, principal);
      const { filters, sort } = planListing(body, namedResourceColumns);
      const { rows, measure } = await readListingPage<ListedProject>(
        needs.documents,
        collection,
        principal.organizationId,
        { ...pageParameters(query, body), filters: [...filters, ...visibility.filters], sort },
      );
      const found = rows.map((row) => row.body);
      const projects = await projectAnswers(needs, found, principal, visibility);
      return { body: { ...measure, projects } };
    },
    ({ body }) => planListing(body, namedResourceColumns).complaints,
  );

const showing = (needs: VisibilityNeeds): Route =>
  readRoute(getProject, projectCollections(), async ({ params, principal }) => {
    const [found, visibility] = await Promise.all([
      needs.documents.get<ListedProject>(collection, params.project_id),
      projectVisibility(needs, principal),
    ]);
    const own = found?.scope === principal.organizationId ? [found.body] : [];
    const [shown] = await projectAnswers(needs, own, principal, visibility);
    if (shown === undefined) throw new Fault('not-found', 'Project not found');
    return { body: shown };
  });

const projectsAnswer = async (
  needs: VisibilityNeeds,
  principal: Principal,
  filters: readonly Filter[],
) => {
  const visibility = await projectVisibility(needs, principal);
  const { documents: found, more } = await needs.documents.find<ListedProject>(collection, {
    scope: principal.organizationId,
    filter: allOf([...filters, ...visibility.filters]),
    limit: plainListMax,
  });
  const rows = found.map(({ body }) => body);
  return {
    body: await projectAnswers(needs, rows, principal, visibility),
    notes: moreRowsHeader(more),
  };
};

/** Responses for the projects that the caller sees; others are left out. */
export const projectAnswers = async (
  { documents }: VisibilityNeeds,
  found: readonly ListedProject[],
  principal: Principal,
  { roleIn }: ProjectVisibility,
) => {
  const seen = found.flatMap((one) => {
    const role = roleIn(one);
    return role === null ? [] : [{ facts: one.facts, role }];
  });
  const creators = seen.map(({ facts }) => facts.created_by);
  const [people, runs] = await Promise.all([
    readUserBlocks(documents, principal.organizationId, creators),
    Promise.all(seen.map(({ facts }) => newestRuns(documents, facts.id))),
  ]);
  return seen.map(({ facts, role }, at) =>
    projectAnswer(facts, people.get(facts.created_by) ?? null, runs[at] ?? [], role),
  );
};
/** Read models behind these responses. */
export const projectCollections = () => [
  ...visibilityCollections,
  ...runLists.map((list) => list.collection),
  userList.collection,
];

/**
 * The newest runs of a project, newest first (contract 5.4); callers must check that the project is
 * visible.
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

const equal = (column: string, value: string | undefined): readonly FilterCondition[] =>
  value === undefined
    ? []
    : [{ kind: 'text', column, operator: 'eq', values: [value], caseSensitive: true }];
