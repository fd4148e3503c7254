import { useState } from 'preact/hooks';
import type {
  Collaborator,
  GroupCollaborator,
} from '../../clients/typescript/src/generated/collaborators-types.js';
import type { Project } from '../../clients/typescript/src/generated/projects-types.js';
import { useAction, useQuery } from '../client/queries.js';
import { ActionsHead } from '../parts/actions-head.js';
import { Button } from '../parts/button.js';
import { CellSelect } from '../parts/cell-select.js';
import { BehindNotice, FaultNotice, Skeleton } from '../parts/notice.js';
import { projectPermit, projectRoles, shownPermit, type ProjectRole } from '../parts/permits.js';
import { personName } from '../people/model.js';
import { AddMember } from './add-member.js';
import { ownersOf } from './model.js';

const membersMax = 1_000;

/** The users and groups that a project is shared with, by one request for all parts that ask. */
export const useMembers = (projectId: string) =>
  useQuery({
    key: ['collaborators', projectId],
    ask: async (operations, signal) => {
      const input = { project_id: projectId, limit: membersMax };
      const [people, groups] = await Promise.all([
        operations.collaborators.list(input, { signal }),
        operations.collaborators.listGroups(input, { signal }),
      ]);
      return { people: people.collaborators, groups: groups.collaborators };
    },
  });

/** Users and groups that the project is shared with. */
export const Members = ({ project }: { readonly project: Project }) => {
  const [isAdding, setIsAdding] = useState(false);
  const share = projectPermit(project, 'owner');
  const members = useMembers(project.id);
  return (
    <section class="card stack" aria-labelledby="settings-members">
      <div class="spread">
        <h2 id="settings-members">Members</h2>
        <Button label="Add a member" permit={share} onClick={() => setIsAdding(true)}>
          Add
        </Button>
      </div>
      <FaultNotice fault={members.fault} onRetry={members.refetch} />
      <BehindNotice isBehind={members.isBehind} />
      {members.isLoading && <Skeleton rows={2} />}
      {members.value !== undefined && (
        <MemberTable
          project={project}
          people={members.value.people}
          groups={members.value.groups}
        />
      )}
      {members.value !== undefined && !share.isAllowed && (
        <p class="note">
          {share.reason}. Owners: {ownersOf(members.value.people)}
        </p>
      )}
      {isAdding && (
        <AddMember projectId={project.id} permit={share} onClose={() => setIsAdding(false)} />
      )}
    </section>
  );
};

const MemberTable = (props: {
  readonly project: Project;
  readonly people: readonly Collaborator[];
  readonly groups: readonly GroupCollaborator[];
}) => (
  <div class="scroll-x">
    <table class="grid-table">
      <thead>
        <tr>
          <th scope="col">Name</th>
          <th scope="col">Role</th>
          <ActionsHead />
        </tr>
      </thead>
      <tbody>
        {props.people.map((person) => (
          <MemberRow
            key={person.id}
            projectId={props.project.id}
            name={personName(person)}
            label={person.email}
            role={person.role}
            member={{ user_id: person.user_id }}
            permissions={person.permissions}
          />
        ))}
        {props.groups.map((group) => (
          <MemberRow
            key={group.id}
            projectId={props.project.id}
            name={`${group.group_name} (group)`}
            label={group.group_name}
            role={group.role}
            member={{ group_id: group.group_id }}
            permissions={group.permissions}
            warning={group.warning}
          />
        ))}
      </tbody>
    </table>
  </div>
);

type MemberId = { readonly user_id: string } | { readonly group_id: string };

const MemberRow = (props: {
  readonly projectId: string;
  readonly name: string;
  /** Tells the controls of members apart: names may be the same. */
  readonly label: string;
  readonly role: ProjectRole;
  readonly member: MemberId;
  readonly permissions: Collaborator['permissions'];
  readonly warning?: string | null;
}) => {
  const { member, permissions, projectId } = props;
  const change = useAction(
    shownPermit('owner', permissions, 'update_role'),
    (operations, role: ProjectRole, options) =>
      'user_id' in member
        ? operations.collaborators.change({ project_id: projectId, ...member, role }, options)
        : operations.collaborators.changeGroup({ project_id: projectId, ...member, role }, options),
    ['collaborators', 'projects'],
  );
  const remove = useAction(
    shownPermit('owner', permissions, 'delete'),
    (operations, _input, options) =>
      'user_id' in member
        ? operations.collaborators.remove({ project_id: projectId, ...member }, options)
        : operations.collaborators.removeGroup({ project_id: projectId, ...member }, options),
    ['collaborators', 'projects'],
  );
  const fault = change.fault ?? remove.fault;
  return (
    <tr>
      <td>
        {props.name}
        {'user_id' in member && props.name !== props.label && (
          <span class="muted"> {props.label}</span>
        )}
        {props.warning != null && <span class="note warn"> {props.warning}</span>}
        {fault !== null && (
          <span class="bad" role="alert">
            {' '}
            {fault.message}
          </span>
        )}
      </td>
      <td>
        <CellSelect
          label={`Role of ${props.label}`}
          value={props.role}
          choices={projectRoles}
          permit={change.permit}
          isDisabled={change.isRunning}
          onChange={change.run}
        />
      </td>
      <td class="number">
        <Button
          look="plain"
          label={`Remove ${props.label}`}
          permit={remove.permit}
          isDisabled={remove.isRunning}
          onClick={() => void remove.run()}
        >
          Remove
        </Button>
      </td>
    </tr>
  );
};
