import type { Canaries } from '../support/canaries.js';
import { scorerParts, validatePath, waitForTaskEnd } from '../support/scorer-validations.js';
import type { Client } from '../support/client.js';
import { mark, type Planter } from './canary-planter.js';
import { scorerSource, type ProjectFixture } from './project-fixture.js';

type Made = { readonly id: string };
type Place = { readonly client: Client; readonly planted: Canaries };

/** Every write that is in no project, each text of it a canary, and then every deletion. */
export const fillAndDelete = async (
  { send: sendTo }: Planter,
  { client, planted }: Place,
  world: ProjectFixture,
): Promise<void> => {
  const send = <T = Made>(operation: string, sent: Parameters<typeof sendTo>[2]): Promise<T> =>
    sendTo<T>('organisation', operation, sent);
  const project_id = world.project;
  const user_id = await person(send);
  const group_id = await groupOf(send, user_id, project_id);
  const params = { project_id, user_id };
  await send('addCollaborators', { params, body: [{ user_id, role: 'viewer' }] });
  await send('changeCollaborator', { params, body: { role: 'editor' } });
  await send('removeCollaborator', { params });
  const { id: api_key_id } = await send('createApiKey', {
    body: { description: mark, api_key: mark, project_id, project_role: 'editor' },
  });
  const dataset = { dataset_id: world.dataset, project_id: (await other(send)).id };
  await send('linkDataset', { params: dataset });
  await send('unlinkDataset', { params: dataset });
  const provider = { provider_segment: 'writer' };
  const body = { organization_id: mark, token: mark };
  const made = await send('configureIntegration', { params: provider, body });
  await send('selectIntegration', { params: { integration_id: made.id } });
  await send('disableIntegration', { body: { integration_name: 'writer', disabled: true } });
  const lending = { params: { project_id, integration_id: made.id } };
  await send('lendIntegration', lending);
  await send('endIntegrationLending', lending);
  // A disabled integration is not called.
  await send('testIntegration', { params: provider, body: { model: mark } });
  await send('deleteIntegration', { params: provider });
  const scorer_id = await scorerOf(send, client, planted);
  const past = { project_id, run_id: world.stream, scorer_id };
  const filters = [{ type: 'text', name: 'name', operator: 'eq', value: mark }];
  await send('scorePast', { params: past, body: { filters } });
  await send('cancelPastScoring', { params: past });
  await send('deleteScorer', { params: { scorer_id } });
  await send('revokeApiKey', { params: { api_key_id } });
  await send('deleteGroup', { params: { group_id } });
  await send('removeUser', { params: { user_id } });
};

type Send = <T = Made>(operation: string, sent: Parameters<Planter['send']>[2]) => Promise<T>;

const other = (send: Send): Promise<Made> => send('createProject', { body: { name: 'another' } });

const person = async (send: Send): Promise<string> => {
  type Invited = {
    readonly invitations: readonly { readonly user_id: string }[];
  };
  const { invitations } = await send<Invited>('inviteUsers', {
    body: { emails: [`${mark}@example.org`] },
  });
  const user_id = invitations[0]?.user_id ?? '';
  const { invitation_token: token } = await send<{ readonly invitation_token: string }>(
    'issueInvitation',
    { params: { user_id } },
  );
  const named = { first_name: mark, last_name: mark };
  await send('acceptInvitation', { body: { token, password: mark, ...named } });
  await send('changeUser', { params: { user_id }, body: named });
  return user_id;
};

const groupOf = async (send: Send, user_id: string, project_id: string): Promise<string> => {
  const body = { name: mark, description: mark };
  const { id: group_id } = await send('createGroup', { body });
  await send('changeGroup', { params: { group_id }, body });
  const member = { group_id, user_id };
  await send('addGroupMembers', { params: member, body: [{ user_id, role: 'member' }] });
  await send('changeGroupMember', { params: member, body: { role: 'maintainer' } });
  await send('removeGroupMember', { params: member });
  const shared = { params: { project_id, group_id } };
  await send('addGroupCollaborators', { ...shared, body: [{ group_id, role: 'viewer' }] });
  await send('changeGroupCollaborator', { ...shared, body: { role: 'editor' } });
  await send('removeGroupCollaborator', shared);
  return group_id;
};

const scorerOf = async (send: Send, client: Client, planted: Canaries): Promise<string> => {
  const details = { label: mark, description: mark, tags: [mark], output_type: 'boolean' };
  const threshold = { buckets: [1], display_value_levels: [mark, mark] };
  const body = { ...details, threshold };
  const { id: scorer_id } = await send('createScorer', {
    body: { name: mark, scorer_type: 'code', ...body },
  });
  await send('changeScorer', { params: { scorer_id }, body });
  // The same file both times, or the service would not know that it is valid.
  const source = scorerSource.replace(mark, planted.plant('organisation: addScorerVersion file'));
  const asked = await send<{ readonly task_id: string }>('validateScorer', {
    parts: [
      ...scorerParts(source),
      { name: 'test_input', content: mark },
      { name: 'test_output', content: mark },
    ],
  });
  const task = await client.call('GET', `${validatePath}/${asked.task_id}`);
  const { result } = await waitForTaskEnd(client, { ...task, body: asked as never });
  const parts = scorerParts(source, { validation_result: JSON.stringify(result) });
  await send('addScorerVersion', { params: { scorer_id }, parts });
  return scorer_id;
};

/** Every deletion of what is in a project that stays. */
export const deleteAll = async (
  { send: sendTo }: Planter,
  world: ProjectFixture,
): Promise<void> => {
  const { project: project_id, stream, experiment, dataset, session, traces, template } = world;
  const send = (operation: string, sent: Parameters<typeof sendTo>[2]): Promise<unknown> =>
    sendTo('kept', operation, sent);
  const one = (id: string) => ({
    filters: [{ type: 'id', name: 'id', operator: 'eq', value: id }],
  });
  const params = { project_id };
  await send('deleteTraces', { params, body: one(traces[0] ?? '') });
  await send('deleteSessions', { params, body: one(session) });
  await send('deleteLogStream', { params: { ...params, log_stream_id: stream } });
  await send('deleteExperiment', { params: { ...params, experiment_id: experiment } });
  await send('deleteAnnotationTemplate', { params: { ...params, template_id: template } });
  await send('deleteView', { params: { ...params, view_id: world.view } });
  await send('deleteDataset', { params: { dataset_id: dataset } });
};
