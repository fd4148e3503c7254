import type { CollaboratorEvent } from '../../events/collaborators.js';
import type { GroupEvent } from '../../events/groups.js';
import type { IntegrationEvent } from '../../events/integrations.js';
import type { ModelAccessEvent } from '../../events/model-access.js';
import type { UserEvent } from '../../events/users.js';
import type { ViewEvent } from '../../events/views.js';
import type { Decision } from '../../kernel/decision.js';
import type {
  Clock,
  EventLog,
  Files,
  Ids,
  Position,
  StoredEvent,
  StreamName,
} from '../../kernel/ports.js';
import type { GroupId, ProjectId, UserId } from '../../kernel/schema-types.js';
import { transact, type Authorship } from '../../kernel/transact.js';
import { openWorkerCursor } from '../work/worker-cursor.js';
import { projects, type Project } from '../facts/projects.js';
import { groups, type Group } from '../facts/groups.js';
import { modelAccesses, modelAccessPrefix } from '../facts/model-access.js';
import { savedViews, viewsNoun } from '../facts/views.js';
import { serviceAuthorship, reactionAuthorship } from '../work/service-authorship.js';
import { streamNames } from '../work/stream-names.js';
import { startWorker, type Worker } from '../work/polling-loop.js';

type OffboardingNeeds = {
  readonly log: EventLog;
  readonly clock: Clock;
  readonly ids: Pick<Ids, 'derive'>;
  readonly files: Files;
  /** Path of the stored cursor. */
  readonly path: string;
  /** Reports a failed step, which is retried. */
  readonly onError: (error: unknown) => void;
};
const removalTypes = ['UserRemoved', 'GroupDeleted', 'IntegrationDeleted'] as const;
type RemovalType = (typeof removalTypes)[number];
type Removal = StoredEvent<
  Extract<UserEvent | GroupEvent | IntegrationEvent, { readonly type: RemovalType }>
>;

const restMs = 500;
const scanEvents = 2_000;

/**
 * Starts the offboarding worker: removes removed users from groups and projects, deletes their
 * private views and ends their lendings of integrations, removes deleted groups from projects, and
 * ends lendings of deleted integrations. Their rights ended with the event itself; this corrects
 * lists and counts. Idempotent, also after a kill.
 */
export const startOffboardingWorker = (needs: OffboardingNeeds): Worker => {
  const cursor = openWorkerCursor(needs);
  let position: Position | null = null;
  return startWorker({ ...needs, restMs }, async (signal) => {
    const from = (position ??= await cursor.read());
    position = await offboardPage(needs, from, signal);
    await cursor.write(position, needs.clock.milliseconds());
    return position !== from;
  });
};

/** Processes one page of the log after `position`; returns the position it reached. */
export const offboardPage = async (
  needs: Pick<OffboardingNeeds, 'log' | 'ids'> & { readonly clock: Pick<Clock, 'now'> },
  position: Position,
  signal: AbortSignal = new AbortController().signal,
): Promise<Position> => {
  const { log } = needs;
  const page = await log.page(position, scanEvents, removalTypes);
  const removals = page.events as readonly Removal[];
  if (removals.length === 0) return page.through;
  const users = new Map<string, Removal>();
  const gone = new Map<string, Removal>();
  const integrations = new Map<string, Removal>();
  for (const event of removals) {
    if (event.type === 'UserRemoved') users.set(event.data.user_id, event);
    else if (event.type === 'GroupDeleted') gone.set(event.data.group_id, event);
    else integrations.set(event.data.integration_id, event);
  }
  // One scan serves every removal of the page.
  if (users.size + gone.size > 0) {
    await forEachStream(log, 'group-', signal, (name) => removeFromGroup(needs, name, users));
    await forEachStream(log, 'project-', signal, (name) =>
      removeFromProject(needs, name, users, gone),
    );
    await forEachStream(log, `${viewsNoun}-`, signal, (name) => deleteViews(needs, name, users));
  }
  await forEachStream(log, modelAccessPrefix, signal, (name) =>
    endLendings(needs, name, users, integrations),
  );
  return signal.aborted ? position : page.through;
};

const forEachStream = async (
  log: EventLog,
  prefix: string,
  signal: AbortSignal,
  act: (name: StreamName) => Promise<void>,
): Promise<void> => {
  for await (const name of streamNames(log, prefix)) {
    if (signal.aborted) return;
    await act(name);
  }
};

type Needs = Parameters<typeof offboardPage>[0];
type Removals = ReadonlyMap<string, Removal>;

const removeFromGroup = async (needs: Needs, name: StreamName, users: Removals): Promise<void> => {
  const removedMembers = (group: Group | null): readonly UserId[] =>
    [...(group?.members.keys() ?? [])].filter((user) => users.has(user));
  await transact(
    needs.log,
    name,
    groups,
    (group): Decision<GroupEvent> =>
      removedMembers(group).map((user_id) => ({
        type: 'GroupMemberRemoved',
        data: { group_id: group?.id as GroupId, user_id },
      })),
    authorOf(needs, users),
  );
};

const removeFromProject = async (
  needs: Needs,
  name: StreamName,
  users: Removals,
  gone: Removals,
): Promise<void> => {
  await transact(
    needs.log,
    name,
    projects,
    (project: Project | null): Decision<CollaboratorEvent> => {
      if (project === null || !project.live) return [];
      const project_id: ProjectId = project.id;
      return [
        ...[...project.users.keys()]
          .filter((user) => users.has(user))
          .map((user_id): CollaboratorEvent => ({
            type: 'CollaboratorRemoved',
            data: { project_id, user_id },
          })),
        ...[...project.groups.keys()]
          .filter((group) => gone.has(group))
          .map((group_id): CollaboratorEvent => ({
            type: 'GroupCollaboratorRemoved',
            data: { project_id, group_id },
          })),
      ];
    },
    authorOf(needs, users, gone),
  );
};

/** Deletes the private views of removed users (contract 5.16, rule 5). */
const deleteViews = async (needs: Needs, name: StreamName, users: Removals): Promise<void> => {
  const projectId = name.slice(viewsNoun.length + 1) as ProjectId;
  await transact(
    needs.log,
    name,
    savedViews,
    (views): Decision<ViewEvent> =>
      views
        .filter((view) => !view.is_shared && users.has(view.created_by))
        .map(({ id }) => ({
          type: 'ViewDeleted',
          data: { project_id: projectId, view_id: id },
        })),
    authorOf(needs, users),
  );
};

/** Ends lendings of removed users and of deleted integrations (contract 5.17, rule 3). */
const endLendings = async (
  needs: Needs,
  name: StreamName,
  users: Removals,
  integrations: Removals,
): Promise<void> => {
  const projectId = name.slice(modelAccessPrefix.length) as ProjectId;
  await transact(
    needs.log,
    name,
    modelAccesses,
    ({ lendings }): Decision<ModelAccessEvent> =>
      lendings
        .filter((one) => users.has(one.lent_by) || integrations.has(one.integration_id))
        .map(({ integration_id }) => ({
          type: 'IntegrationLendingEnded',
          data: { project_id: projectId, integration_id },
        })),
    authorOf(needs, users, integrations),
  );
};

const authorOf = (needs: Needs, ...causes: readonly Removals[]): Authorship => {
  const [cause] = causes.flatMap((one) => [...one.values()]);
  return cause === undefined
    ? serviceAuthorship(needs, undefined, 'departure', 'departure')
    : reactionAuthorship(needs, cause, 'departure');
};
