import { plainListMax } from '../../contract/envelope.js';
import type { Gate } from '../../contract/gate.js';
import { reading, type Route } from '../../contract/operation.js';
import {
  getProject,
  listAllProjects,
  listProjects,
  pageProjects,
  projectAnswer,
  shownRunsMax,
  type ProjectFacts,
  type RunSummary,
} from '../../contract/projects.js';
import { roleInProject, type Principal } from '../../contract/roles.js';
import { byCodePoint } from '../../kernel/code-points.js';
import { Fault } from '../../kernel/fault.js';
import type { Filter, Leaf } from '../../kernel/filter.js';
import type { Documents } from '../../kernel/ports.js';
import type { ProjectId } from '../../kernel/shapes.js';
import { experimentList } from '../../projections/experiment-list.js';
import { logStreamList } from '../../projections/log-stream-list.js';
import { projectList } from '../../projections/project-list.js';
import { userList } from '../../projections/user-list.js';
import { every, namedThings, pageOf, planListing } from '../listings.js';
import { peopleOf } from '../people.js';

export type ProjectReadNeeds = {
  readonly documents: Documents;
  /** Who the caller is in the organisation, whatever their key allows. */
  readonly gate: Pick<Gate, 'userInSight'>;
};
type UserRole = Parameters<typeof roleInProject>[0];

/**
 * The reads of contract 5.4 without collaborators. Lists hold the projects in sight and no others.
 */
export const projectReads = ({ documents, gate }: ProjectReadNeeds): readonly Route[] => {
  const { collection } = projectList;
  const reads = [collection, ...runLists.map((list) => list.collection), userList.collection];

  const roleOf = async (principal: Principal): Promise<UserRole> =>
    (await gate.userInSight(principal, principal.userId))?.role ?? principal.organizationRole;
  const answers = async (
    facts: readonly ProjectFacts[],
    principal: Principal,
    userRole: UserRole,
  ) => {
    const ids = facts.map((one) => one.created_by);
    const people = await peopleOf(documents, principal.organizationId, ids);
    return Promise.all(
      facts.flatMap((one) => {
        const role = roleInProject(userRole, principal, { id: one.id, createdBy: one.created_by });
        if (role === null) return [];
        const user = people.get(one.created_by) ?? null;
        return [newestRuns(documents, one.id).then((runs) => projectAnswer(one, user, runs, role))];
      }),
    );
  };
  const listed = async (principal: Principal, filters: readonly Filter[]) => {
    const userRole = await roleOf(principal);
    const { documents: found } = await documents.find<ProjectFacts>(collection, {
      scope: principal.organizationId,
      filter: every([...filters, ...sightOf(userRole, principal)]),
      limit: plainListMax,
    });
    return answers(
      found.map(({ body }) => body),
      principal,
      userRole,
    );
  };

  return [
    reading(listProjects, reads, async ({ query, principal }) => ({
      body: await listed(principal, [
        ...equal('text', 'name', query.project_name),
        ...equal('text', 'type', query.type),
      ]),
    })),

    reading(listAllProjects, reads, async ({ query, principal }) => ({
      body: await listed(principal, equal('text', 'type', query.type)),
    })),

    reading(
      pageProjects,
      reads,
      async ({ body, principal }) => {
        const userRole = await roleOf(principal);
        const { filters, sort } = planListing(body, namedThings);
        const { rows, measure } = await pageOf<ProjectFacts>(
          documents,
          collection,
          principal.organizationId,
          { ...body, filters: [...filters, ...sightOf(userRole, principal)], sort },
        );
        const facts = rows.map((row) => row.body);
        return { body: { ...measure, projects: await answers(facts, principal, userRole) } };
      },
      ({ body }) => planListing(body, namedThings).complaints,
    ),

    reading(getProject, reads, async ({ params, principal }) => {
      const found = await documents.get<ProjectFacts>(collection, params.project_id);
      const facts = found?.scope === principal.organizationId ? [found.body] : [];
      const [shown] = await answers(facts, principal, await roleOf(principal));
      if (shown === undefined) throw new Fault('not-found', 'Project not found');
      return { body: shown };
    }),
  ];
};

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
] as const;
type RunFacts = Omit<RunSummary, 'kind'>;

const newestFirst = (one: RunSummary, other: RunSummary): number =>
  byCodePoint(other.created_at, one.created_at) || byCodePoint(other.id, one.id);

const equal = (kind: 'text' | 'id', column: string, value: string | undefined): readonly Leaf[] =>
  value === undefined
    ? []
    : [{ kind, column, operator: 'eq', values: [value], caseSensitive: true }];

/** `roleInProject` as a filter: what it answers null for is left out. */
const sightOf = (userRole: UserRole, { userId, key }: Principal): readonly Leaf[] => [
  ...(userRole === 'admin' || userRole === 'auditor' ? [] : equal('id', 'created_by', userId)),
  ...equal('id', 'id', key?.projectId ?? undefined),
];
