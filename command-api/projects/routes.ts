import { writeRoute, type Route } from '../../contract/operation.js';
import {
  changeProject,
  createProject,
  deleteProject,
  projectAnswer,
  shownRunsMax,
  type ProjectFacts,
  type RunSummary,
} from '../../contract/projects.js';
import { roleInProject } from '../../contract/roles.js';
import { Fault } from '../../kernel/fault.js';
import type { EventLog, Ids } from '../../kernel/ports.js';
import type { Instant, ProjectId } from '../../kernel/schema-types.js';
import { projectNames, projects, type Project, projectStream } from '../facts/projects.js';
import { loadUserBlock } from '../facts/users.js';
import { change, create, remove } from './projects.js';

type ProjectNeeds = {
  readonly log: EventLog;
  readonly ids: Ids;
  /** Newest runs of a project: for the answer only, never for a decision. */
  readonly newestRuns: (project: ProjectId, limit: number) => Promise<readonly RunSummary[]>;
};

export const projectWrites = (needs: ProjectNeeds): readonly Route[] => [
  createProjectRoute(needs),
  changeProjectRoute(needs),
  deleteProjectRoute(needs),
];

const createProjectRoute = (needs: ProjectNeeds): Route =>
  writeRoute(createProject, async ({ body, principal, cause, mint }) => {
    const id = mint('ProjectId');
    const decide = create({
      project_id: id,
      organization_id: principal.organizationId,
      name: body.name,
      type: body.type ?? 'gen_ai',
      created_by: principal.userId,
      created_at: cause.at,
    });
    const { state, position } = await projectNames.transact(needs, id, projects, decide, cause);
    const made = requireProject(state);
    const user = await loadUserBlock(needs.log, principal.userId);
    // The creator is the owner; a limited key may still have a lower role in the project.
    const role =
      roleInProject(principal.organizationRole, principal.key, made.id, 'owner') ?? 'viewer';
    return { position, body: projectAnswer(factsOf(made, made.createdAt), user, [], role) };
  });

const changeProjectRoute = (needs: ProjectNeeds): Route =>
  writeRoute(changeProject, async ({ body, params, project, cause }) => {
    const id = params.project_id;
    const decide = change(id, body);
    const changed = await projectNames.transact(needs, id, projects, decide, cause);
    const state = requireProject(changed.state);
    const last = (await needs.log.read(projectStream(id))).findLast(({ type }) => isShown(type));
    const facts = factsOf(state, last?.metadata.at ?? state.createdAt);
    const user = await loadUserBlock(needs.log, state.createdBy);
    const runs = await needs.newestRuns(id, shownRunsMax);
    return {
      position: changed.position,
      body: projectAnswer(facts, user, runs, project?.role ?? 'owner'),
    };
  });

const deleteProjectRoute = (needs: ProjectNeeds): Route =>
  writeRoute(deleteProject, async ({ params, cause }) => {
    const id = params.project_id;
    const decide = remove(id);
    const { state, position } = await projectNames.transact(needs, id, projects, decide, cause);
    requireProject(state);
    return {
      position,
      body: { message: 'The project is deleted; its contents are being erased.' },
    };
  });

/** True if the event type changes `updated_at`: changes of collaborators do not. */
const isShown = (type: string): boolean =>
  type === 'ProjectRenamed' || type === 'ProjectDetailsChanged';

const requireProject = (project: Project | null): Project => {
  if (project === null) throw new Fault('not-found', 'Project not found');
  return project;
};

const factsOf = (project: Project, updatedAt: Instant): ProjectFacts => ({
  id: project.id,
  name: project.name,
  type: project.type,
  description: project.description,
  labels: [...project.labels],
  created_by: project.createdBy,
  created_at: project.createdAt,
  updated_at: updatedAt,
});
