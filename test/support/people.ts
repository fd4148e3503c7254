import { randomUUID } from 'node:crypto';
import type { OrganizationRole, ProjectRole } from '../../contract/roles.js';
import type { App } from './app.js';
import { clientOf } from './client.js';

/** A user of the organisation who can sign in. */
export type Person = { readonly id: string; readonly email: string; readonly password: string };

type Invited = {
  readonly invitations: readonly { readonly user_id: string; readonly invitation_token: string }[];
};

const password = 'a password of a person';

/** Invites a user, who accepts. The name becomes part of the e-mail address. */
export const invitePerson = async (
  app: App,
  name: string,
  role: OrganizationRole = 'user',
): Promise<Person> => {
  const email = `${name}.${randomUUID()}@example.org`;
  const { body } = await app.client.call<Invited>('POST', '/v2/invite_users', {
    body: { emails: [email], role },
  });
  const [invitation] = body.invitations;
  const anonymous = clientOf({ url: app.url, apiKey: null });
  await anonymous.call('POST', '/v2/invitations/accept', {
    body: { token: invitation?.invitation_token, password },
  });
  anonymous.close();
  return { id: invitation?.user_id ?? '', email, password };
};

/** Gives a user a role in a project. */
export const shareProject = async (
  app: App,
  projectId: string,
  { id }: Person,
  role: ProjectRole,
): Promise<void> => {
  const body = [{ user_id: id, role }];
  await app.client.call('POST', `/v2/projects/${projectId}/users`, { body });
};
