import { Type, type Static } from 'typebox';
import {
  id,
  instant,
  nullish,
  name,
  namedSchema,
  nullable,
  oneOf,
} from '../kernel/schema-types.js';
import { envelope, message, paged, plainListMax } from './envelope.js';
import { listingBody } from './listings.js';
import { operation } from './operation.js';
import { permission, userBlock } from './people.js';
import { projectPermissions } from './permissions.js';
import { projectRoles, type ProjectRole } from './roles.js';

const projectTypes = ['gen_ai', 'prompt_evaluation', 'llm_monitor', 'protect'] as const;
/** Newest runs shown with a project (contract 5.4). */
export const shownRunsMax = 100;

const runSummary = namedSchema(
  'RunSummary',
  Type.Object({
    id: id('RunId'),
    name: Type.String(),
    kind: oneOf(['log_stream', 'experiment', 'metrics_testing']),
    created_at: instant,
    updated_at: nullable(instant),
  }),
);
export type RunSummary = Static<typeof runSummary>;
export const project = namedSchema(
  'Project',
  Type.Object({
    id: id('ProjectId'),
    name: Type.String(),
    type: Type.String(),
    description: nullable(Type.String()),
    labels: Type.Array(Type.String()),
    created_by: id('UserId'),
    created_by_user: userBlock,
    created_at: instant,
    /** Time of the last change of the project itself; at first `created_at`. */
    updated_at: instant,
    bookmark: Type.Boolean(),
    runs: Type.Array(runSummary),
    /** Effective role of the caller (contract 2.6). */
    role: oneOf(projectRoles),
    permissions: Type.Array(permission),
  }),
);

const listed = Type.Array(project, { maxItems: plainListMax });

export const createProject = operation({
  operationId: 'createProject',
  summary: 'Create a project',
  description: 'The caller becomes its owner; names are unique in the organisation.',
  example: { name: 'airline', type: 'gen_ai' },
  section: '5.4',
  method: 'POST',
  path: '/v2/projects',
  requires: 'user',
  body: Type.Object({ name: name(), type: nullish(oneOf(projectTypes)) }),
  response: project,
  faults: ['already-exists'],
});

export const listProjects = operation({
  operationId: 'listProjects',
  summary: 'Visible projects',
  description: 'At most 1,000. `project_name` matches whole names.',
  section: '5.4',
  method: 'GET',
  path: '/v2/projects',
  requires: 'signed-in',
  query: Type.Object({
    project_name: Type.Optional(Type.String()),
    type: Type.Optional(oneOf(projectTypes)),
  }),
  response: listed,
});

export const listAllProjects = operation({
  operationId: 'listAllProjects',
  summary: 'All visible projects',
  description: 'At most 1,000.',
  section: '5.4',
  method: 'GET',
  path: '/v2/projects/all',
  requires: 'signed-in',
  query: Type.Object({ type: Type.Optional(oneOf(projectTypes)) }),
  response: listed,
});

export const pageProjects = operation({
  operationId: 'pageProjects',
  summary: 'Visible projects, filtered, sorted and paged',
  description: 'The newest first unless `sort` says otherwise.',
  example: {
    filters: [{ name: 'name', operator: 'contains', value: 'air' }],
    sort: { name: 'name', ascending: true },
  },
  section: '5.4',
  method: 'POST',
  path: '/v2/projects/paginated',
  kind: 'r',
  requires: 'signed-in',
  query: paged,
  body: listingBody,
  response: envelope('projects', project),
});

export const getProject = operation({
  operationId: 'getProject',
  summary: 'One project',
  description: 'With its newest 100 runs, and what the caller may do in it.',
  section: '5.4',
  method: 'GET',
  path: '/v2/projects/{project_id}',
  requires: 'viewer',
  response: project,
});

export const changeProject = operation({
  operationId: 'changeProject',
  summary: 'Rename a project or change its details',
  description:
    'Members that are left out stay as they are; a member that is not listed is refused.',
  example: { description: 'Bookings by chat', labels: ['production'] },
  section: '5.4',
  method: 'PUT',
  path: '/v2/projects/{project_id}',
  requires: 'owner',
  body: Type.Object(
    {
      name: nullish(name()),
      description: nullish(Type.String({ maxLength: 4_096 })),
      labels: nullish(Type.Array(name(), { maxItems: 100 })),
    },
    { additionalProperties: false },
  ),
  response: project,
  faults: ['already-exists'],
});

export const deleteProject = operation({
  operationId: 'deleteProject',
  summary: 'Delete a project with all in it',
  description:
    'All in it is not found at once; its contents are erased by a job. Datasets lose ' +
    'the link to it.',
  section: '5.4',
  method: 'DELETE',
  path: '/v2/projects/{project_id}',
  requires: 'owner',
  response: message,
});

export const projectOperations = [
  createProject,
  listProjects,
  listAllProjects,
  pageProjects,
  getProject,
  changeProject,
  deleteProject,
];

/** Project as folded from the log; the rest of the response depends on the caller. */
export type ProjectFacts = Omit<
  Static<typeof project>,
  'created_by_user' | 'bookmark' | 'runs' | 'role' | 'permissions'
>;

export const projectAnswer = (
  facts: ProjectFacts,
  created_by_user: Static<typeof userBlock>,
  runs: readonly Static<typeof runSummary>[],
  role: ProjectRole,
): Static<typeof project> => ({
  ...facts,
  labels: [...facts.labels],
  created_by_user,
  bookmark: false,
  runs: [...runs],
  role,
  permissions: [...projectPermissions(role)],
});
