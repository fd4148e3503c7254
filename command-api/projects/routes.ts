import { route, type Route } from '../../contract/operation.js';
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
import type { EventLog, Ids, StreamName } from '../../kernel/ports.js';
import { claim, release, type Standing } from '../../kernel/reservation.js';
import type { Instant, OrganizationId, ProjectId } from '../../kernel/shapes.js';
import { load, transact, type Authorship } from '../../kernel/transact.js';
import { projects, type Project, projectStream } from '../facts/projects.js';
import { userBlockOf } from '../facts/users.js';
import { reservationStream } from '../facts/reservations.js';
import { change, create, remove } from './projects.js';

export type ProjectNeeds = {
  readonly log: EventLog;
  readonly ids: Ids;
  /** Newest runs of a project, for the answer only: nothing is decided from it. */
  readonly newestRuns: (project: ProjectId, limit: number) => Promise<readonly RunSummary[]>;
};

export const projectWrites = ({ log, ids, newestRuns }: ProjectNeeds): readonly Route[] => {
  const nameStream = (organization: OrganizationId, name: string): StreamName =>
    reservationStream('project', ids.derive('Reservation', organization, name));
  /** Whether that project lives and still has the name. */
  const standing =
    (name: string) =>
    async (holder: string): Promise<Standing> => {
      const { state } = await load(log, projectStream(holder), projects);
      if (state !== null && !state.live) return 'gone';
      return state?.name === name ? 'has it' : 'may come';
    };
  const take = async (
    organization: OrganizationId,
    name: string,
    holder: string,
    cause: Authorship,
  ): Promise<void> => {
    if (!(await claim(log, nameStream(organization, name), holder, standing(name), cause))) {
      throw new Fault('already-exists', `A project named '${name}' exists already`);
    }
  };

  return [
    route(createProject, async ({ body, principal, cause, mint }) => {
      const id = mint('ProjectId');
      await take(principal.organizationId, body.name, id, cause);
      const { state, position } = await transact(
        log,
        projectStream(id),
        projects,
        create({
          id,
          organizationId: principal.organizationId,
          name: body.name,
          type: body.type ?? 'gen_ai',
          createdBy: principal.userId,
          createdAt: cause.at,
        }),
        cause,
      );
      const made = present(state);
      const user = await userBlockOf(log, principal.userId);
      // Whose key is limited creates a project as its owner and may still do less in it with that
      // key.
      const role =
        roleInProject(principal.organizationRole, principal.key, made.id, 'owner') ?? 'viewer';
      return { position, body: projectAnswer(factsOf(made, made.createdAt), user, [], role) };
    }),

    route(changeProject, async ({ body, params, principal, project, cause }) => {
      const id = params.project_id;
      const before = await load(log, projectStream(id), projects);
      const renamed = body.name != null && body.name !== before.state?.name ? body.name : null;
      if (renamed !== null) await take(principal.organizationId, renamed, id, cause);
      const changed = await transact(log, projectStream(id), projects, change(id, body), cause);
      const state = present(changed.state);
      if (renamed !== null && before.state !== null) {
        await release(log, nameStream(state.organizationId, before.state.name), id, cause);
      }
      const last = (await log.read(projectStream(id))).findLast(({ type }) => isShown(type));
      const facts = factsOf(state, last?.metadata.at ?? state.createdAt);
      const user = await userBlockOf(log, state.createdBy);
      const runs = await newestRuns(id, shownRunsMax);
      return {
        position: changed.position,
        body: projectAnswer(facts, user, runs, project?.role ?? 'owner'),
      };
    }),

    route(deleteProject, async ({ params, cause }) => {
      const id = params.project_id;
      const { state, position } = await transact(
        log,
        projectStream(id),
        projects,
        remove(id),
        cause,
      );
      const { organizationId, name } = present(state);
      await release(log, nameStream(organizationId, name), id, cause);
      return {
        position,
        body: { message: 'The project is deleted; its contents are being erased.' },
      };
    }),
  ];
};

/** What `updated_at` tells of: who works on a project is not part of it. */
const isShown = (type: string): boolean =>
  type === 'ProjectRenamed' || type === 'ProjectDetailsChanged';

const present = (project: Project | null): Project => {
  if (project === null) throw new Fault('not-found', 'Project not found');
  return project;
};

const factsOf = (project: Project, updatedAt: Instant): ProjectFacts => ({
  id: project.id,
  name: project.name,
  type: project.type,
  description: project.description,
  labels: project.labels,
  created_by: project.createdBy,
  created_at: project.createdAt,
  updated_at: updatedAt,
});
