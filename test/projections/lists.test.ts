import { expect } from 'chai';
import type {
  CollaboratorId,
  GroupId,
  IntegrationId,
  RunId,
  SealId,
} from '../../kernel/schema-types.js';
import type { Fingerprint } from '../../kernel/vault.js';
import { annotationTemplateList } from '../../projections/annotation-template-list.js';
import { apiKeyList } from '../../projections/api-key-list.js';
import { insightsSettings } from '../../projections/insights-settings.js';
import { integrationList } from '../../projections/integration-list.js';
import { logStreamList } from '../../projections/log-stream-list.js';
import { projectList } from '../../projections/project-list.js';
import { userList } from '../../projections/user-list.js';
import { viewList } from '../../projections/view-list.js';
import { documentsOf } from '../support/documents-of.js';
import { instantAfter } from '../support/test-log.js';
import {
  keyId,
  apiKeyCreated,
  organization,
  projectId,
  projectCreated,
  templateId,
  userId,
  userInvited,
  userCreated,
  viewId,
  viewSaved,
} from '../support/access-events.js';

const id = projectId(1);
const run = 'eeeeeeee-0000-4000-8000-000000000001' as RunId;
const logStreamMade = {
  type: 'LogStreamCreated',
  data: {
    run_id: run,
    project_id: id,
    organization_id: organization,
    name: 'stream',
    created_by: userId(1),
    created_at: instantAfter(0),
  },
} as const;

describe('list projections', () => {
  it('list projects by organisation, with their last change', () => {
    const [document, ...others] = documentsOf(
      projectList,
      projectCreated(1, userId(1)),
      { type: 'ProjectRenamed', data: { project_id: id, name: 'new' } },
      {
        type: 'ProjectDetailsChanged',
        data: { project_id: id, description: 'words', labels: ['a'] },
      },
    );
    expect(others).to.deep.equal([]);
    expect(document).to.include({ key: id, scope: organization });
    expect(document?.body.facts).to.deep.equal({
      id,
      name: 'new',
      type: 'gen_ai',
      description: 'words',
      labels: ['a'],
      created_by: userId(1),
      created_at: instantAfter(0),
      updated_at: instantAfter(2),
    });
    expect(document?.fields).to.include({ name: 'new', updated_at: instantAfter(2) });
  });

  it("list a project's collaborators, users and groups, and make them searchable", () => {
    const group_id = 'eeeeeeee-0000-4000-8000-00000000000a' as GroupId;
    const user_id = userId(2);
    const place = { project_id: id, collaborator_id: 'one' as CollaboratorId };
    const [document] = documentsOf(
      projectList,
      projectCreated(1, userId(1)),
      { type: 'CollaboratorAdded', data: { ...place, user_id, role: 'viewer' } },
      { type: 'CollaboratorRoleChanged', data: { project_id: id, user_id, role: 'editor' } },
      { type: 'GroupCollaboratorAdded', data: { ...place, group_id, role: 'viewer' } },
      { type: 'CollaboratorRemoved', data: { project_id: id, user_id: userId(1) } },
    );
    const one = { id: 'one', who: user_id, role: 'editor', created_at: instantAfter(1) };
    expect(document?.body.users).to.deep.equal([one]);
    expect(document?.body.groups).to.deep.equal([
      { id: 'one', who: group_id, role: 'viewer', created_at: instantAfter(3) },
    ]);
    expect(document?.fields['seen_by']).to.equal(`${user_id} ${group_id}`);
    expect(document?.body.facts.updated_at).to.equal(instantAfter(0));
  });

  it('drop a deleted project', () =>
    expect(
      documentsOf(projectList, projectCreated(1, userId(1)), projectCreated(2, userId(1)), {
        type: 'ProjectDeleted',
        data: { project_id: id },
      }).map(({ key }) => key),
    ).to.deep.equal([projectId(2)]));

  it('list log streams by project, unchanged ones with their creation time', () => {
    const [document] = documentsOf(logStreamList, logStreamMade);
    expect(document).to.include({ key: run, scope: id });
    expect(document?.body).to.include({ updated_at: instantAfter(0) });
    const [renamed] = documentsOf(logStreamList, logStreamMade, {
      type: 'LogStreamRenamed',
      data: { run_id: run, project_id: id, name: 'new' },
    });
    expect(renamed?.body).to.include({ name: 'new', updated_at: instantAfter(1) });
  });

  it('drop a deleted log stream', () =>
    expect(
      documentsOf(logStreamList, logStreamMade, {
        type: 'LogStreamDeleted',
        data: { run_id: run, project_id: id },
      }),
    ).to.deep.equal([]));

  it('keep revoked keys, marked, without hashes of values', () => {
    const [document] = documentsOf(
      apiKeyList,
      apiKeyCreated(1, { ancestors: [keyId(9)], project_id: id, project_role: 'editor' }),
      { type: 'ApiKeyRevoked', data: { api_key_id: keyId(1) } },
    );
    expect(document?.fields).to.include({ revoked: true, created_by: userId(1) });
    expect(document?.body.ancestors).to.deep.equal([keyId(9)]);
    expect(JSON.stringify(document)).not.to.include('hash-1');
  });

  it('list saved views as they were saved last, without deleted ones', () => {
    const documents = documentsOf(
      viewList,
      viewSaved(1, userId(1)),
      viewSaved(2, userId(2)),
      viewSaved(1, userId(1), { version: 2, is_shared: true, saved_at: instantAfter(9) }),
      { type: 'ViewDeleted', data: { project_id: id, view_id: viewId(2) } },
    );
    expect(documents.map(({ key, scope }) => [key, scope])).to.deep.equal([[viewId(1), id]]);
    expect(documents[0]?.fields).to.include({ is_shared: true, created_by: userId(1) });
    expect(documents[0]?.body).to.include({
      id: viewId(1),
      version: 2,
      created_at: instantAfter(0),
      updated_at: instantAfter(9),
    });
  });

  it('list the live annotation templates of a project in their order', () => {
    const made = (number: number, name: string) =>
      ({
        type: 'AnnotationTemplateCreated',
        data: {
          project_id: id,
          organization_id: organization,
          template_id: templateId(number),
          name,
          include_explanation: false,
          criteria: null,
          constraints: { annotation_type: 'star' },
          created_by: userId(1),
          created_at: instantAfter(0),
        },
      }) as const;
    const of = (number: number) => ({ project_id: id, template_id: templateId(number) });
    const ordering = [templateId(3), templateId(1)];
    const [document] = documentsOf(
      annotationTemplateList,
      made(1, 'one'),
      made(2, 'two'),
      made(3, 'three'),
      { type: 'AnnotationTemplateDeleted' as const, data: of(2) },
      { type: 'AnnotationTemplatesReordered' as const, data: { project_id: id, ordering } },
      {
        type: 'AnnotationTemplateChanged' as const,
        data: { ...of(1), name: 'new', criteria: 'words' },
      },
    );
    expect(document).to.include({ key: id, scope: id });
    const names = document?.body.templates.map((one) => [one.id, one.name, one.criteria]);
    expect(names).to.deep.equal([
      [templateId(3), 'three', null],
      [templateId(1), 'new', 'words'],
    ]);
    expect(document?.body.templates[0]).to.have.all.keys(
      'id',
      'name',
      'include_explanation',
      'criteria',
      'constraints',
      'created_by',
      'created_at',
    );
  });

  it('list the insights settings of runs, with the number of their changes', () => {
    const changed = (enabled: boolean) =>
      ({
        type: 'InsightsSettingsChanged',
        data: { project_id: id, run_id: run, enabled, start_time: instantAfter(0) },
      }) as const;
    expect(documentsOf(insightsSettings, changed(true), changed(false))).to.deep.equal([
      {
        key: run,
        scope: id,
        fields: {},
        body: { enabled: false, startTime: instantAfter(0), changes: 2 },
      },
    ]);
  });

  it('list live integrations by user and provider, without their configuration', () => {
    const place = {
      integration_id: 'dddddddd-0000-4000-8000-000000000001' as IntegrationId,
      organization_id: organization,
      user_id: userId(1),
      provider: 'writer' as const,
    };
    const configured = (at: number) =>
      ({
        type: 'IntegrationConfigured' as const,
        data: {
          ...place,
          at: instantAfter(at),
          seal_id: 'dddddddd-0000-4000-8000-000000000002' as SealId,
          seal_version: 1,
          name: 'writer',
          settings: { organization_id: 'account' },
          fingerprint: 'print' as Fingerprint,
        },
      }) as const;
    const disabled = {
      type: 'IntegrationDisabled' as const,
      data: { ...place, at: instantAfter(5) },
    };
    const [document] = documentsOf(integrationList, configured(1), disabled, configured(6));
    expect(document).to.include({ key: `${userId(1)}/writer`, scope: organization });
    expect(document?.body).to.deep.equal({
      tag: '3',
      facts: {
        id: place.integration_id,
        provider: 'writer',
        created_at: instantAfter(1),
        updated_at: instantAfter(6),
        created_by: userId(1),
        is_selected: true,
        is_disabled: true,
      },
    });
    const gone = { type: 'IntegrationDeleted' as const, data: place };
    expect(documentsOf(integrationList, configured(1), gone)).to.deep.equal([]);
  });

  it('list users by organisation, with their last change', () => {
    const [document] = documentsOf(
      userList,
      userCreated(1, 'admin'),
      { type: 'UserRoleChanged', data: { user_id: userId(1), role: 'user' } },
      {
        type: 'UserDetailsChanged',
        data: { user_id: userId(1), first_name: 'Grace', last_name: 'H' },
      },
    );
    expect(document).to.include({ key: userId(1), scope: organization });
    expect(document?.body).to.deep.equal({
      id: userId(1),
      email: 'user-1@example.org',
      first_name: 'Grace',
      last_name: 'H',
      role: 'user',
      auth_method: 'email',
      email_is_verified: false,
      organization_id: organization,
      created_at: instantAfter(0),
      updated_at: instantAfter(2),
    });
  });

  it('list invited users, who join with the name they give, without tokens', () => {
    const [document] = documentsOf(userList, userInvited(2, 'manager'), {
      type: 'InvitationAccepted',
      data: { user_id: userId(2), auth_method: 'email', first_name: 'Ada', last_name: null },
    });
    expect(document?.body).to.include({ first_name: 'Ada', last_name: '', auth_method: 'email' });
    expect(JSON.stringify(document)).not.to.include('hash-of-token');
  });

  it('drop a removed user', () =>
    expect(
      documentsOf(userList, userCreated(1, 'admin'), {
        type: 'UserRemoved',
        data: { user_id: userId(1), organization_id: organization },
      }),
    ).to.deep.equal([]));
});
