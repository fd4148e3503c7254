import { expect } from 'chai';
import { operations } from '../../contract/all.js';
import { organizationRoles, projectRoles, roleInProject } from '../../contract/roles.js';
import type { PermittedOperations, Operations } from '../../console/client/operations.js';
import { datasetCreationPermit } from '../../console/datasets/model.js';
import {
  auditPermit,
  lenderPermit,
  organizationPermit,
  ownPermit,
  personPermit,
  projectAuditPermit,
  projectPermit,
  type Permit,
  type ProjectRole,
} from '../../console/parts/permits.js';
import { savingPermit } from '../../console/views/model.js';
import type { ProjectId } from '../../kernel/schema-types.js';
import { verdictOn, type Caller } from '../support/role-table.js';

const projectId = '00000000-0000-4000-8000-000000000001' as ProjectId;
/** Ways to sign in: as a person, or by a key that is bound to the project, or limited to a role. */
const keys = [
  { bound: null, limited: null },
  ...projectRoles.map((bound) => ({ bound, limited: null })),
  ...(['viewer', 'annotator', 'editor'] as const).map((limited) => ({ bound: null, limited })),
];

/** Callers with a role in the project, as the table of the contract and as pages know them. */
const callers = organizationRoles.flatMap((role) =>
  projectRoles.flatMap((granted) =>
    keys
      // Only owners bind keys, and a role of `read_only` makes no owner.
      .filter(({ bound }) => bound === null || (granted === 'owner' && role !== 'read_only'))
      .map(({ bound, limited }) => callerOf(role, granted, bound, limited)),
  ),
);

function callerOf(
  role: (typeof organizationRoles)[number],
  granted: ProjectRole,
  bound: ProjectRole | null,
  limited: ProjectRole | null,
) {
  const keyRole = bound ?? limited;
  const isLess = keyRole !== null && ['manager', 'admin'].includes(role);
  const organizationRole = isLess ? 'user' : role;
  const key = keyRole === null ? null : { projectId: bound && projectId, projectRole: keyRole };
  const own = roleInProject(organizationRole, key, projectId, granted) ?? 'viewer';
  const tabled: Caller = {
    name: `${role}, ${granted}, ${bound ?? '–'}, ${limited ?? '–'}`,
    organizationRole,
    role: granted,
    bound,
    limited,
    isCreator: false,
    isForeign: false,
  };
  const credential = {
    type: keyRole === null ? ('login' as const) : ('api_key' as const),
    id: null,
    project_id: bound && projectId,
    project_role: keyRole,
  };
  return { tabled, project: { role: own }, caller: { id: 'ada', role, credential } };
}

type Known = (typeof callers)[number];
/** Permits of pages, each with an operation that requires it. */
const permits: readonly (readonly [string, (known: Known) => Permit, isOwn?: boolean])[] = [
  ['searchTraces', ({ project }) => projectPermit(project, 'viewer')],
  ['giveRating', ({ project }) => projectPermit(project, 'annotator')],
  ['createLogStream', ({ project }) => projectPermit(project, 'editor')],
  ['changeProject', ({ project }) => projectPermit(project, 'owner')],
  ['lendIntegration', ({ caller, project }) => lenderPermit(caller, project)],
  ['createView', savingPermit],
  ['createProject', ({ caller }) => organizationPermit(caller, 'user')],
  ['inviteUsers', ({ caller }) => organizationPermit(caller, 'manager')],
  ['createScorer', ({ caller }) => organizationPermit(caller, 'creator')],
  ['createDataset', ({ caller }) => datasetCreationPermit(caller)],
  ['changeUser', ({ caller }) => ownPermit(caller, 'self'), true],
  ['changePassword', ({ caller }) => ownPermit(caller, 'person')],
  ['searchUsers', ({ caller }) => personPermit(caller, 'person')],
  ['verifyHistory', ({ caller }) => auditPermit(caller)],
  ['listProjectHistory', ({ caller, project }) => projectAuditPermit(caller, project)],
];

describe('the permits of pages', () => {
  for (const [operationId, permitOf, isOwn = false] of permits) {
    it(`agree with the contract for each caller: ${operationId}`, () => {
      const operation = operations.find((one) => one.operationId === operationId);
      if (operation === undefined) throw new Error(`no operation ${operationId}`);
      for (const known of callers) {
        const permit = permitOf(known);
        const verdict = verdictOn(operation, { ...known.tabled, isCreator: isOwn });
        expect(permit.isAllowed, known.tabled.name).to.equal(verdict === 'pass');
        expect(permit.requires).to.equal(operation.requires);
        // A refused control says why.
        expect(permit.reason === null, known.tabled.name).to.equal(permit.isAllowed);
      }
    });
  }

  it('cover the operations that require them, and no other', () => {
    const compiled = (
      reads: Operations,
      editing: PermittedOperations<'editor'>,
      either: PermittedOperations<'editor' | 'manager'>,
    ) => [
      reads.traces.search,
      editing.logStreams.create,
      editing.annotations.giveRating,
      // @ts-expect-error: a write
      reads.annotations.giveRating,
      // @ts-expect-error: for owners
      editing.projects.change,
      // @ts-expect-error: for managers
      editing.users.invite,
      // @ts-expect-error: not for an editor
      either.users.invite,
      // @ts-expect-error: for auditors
      reads.history.list,
      // @ts-expect-error: for people
      reads.users.search,
    ];
    expect(compiled).to.be.a('function');
  });
});
