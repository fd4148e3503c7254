import { expect } from 'chai';
import { randomUUID } from 'node:crypto';
import {
  startTwoOrganizations,
  type RoleUser,
  type TwoOrganizations,
} from '../support/two-organizations.js';
import { clientOf, type Client } from '../support/client.js';
import { createOneOfEach } from '../support/one-of-each-object.js';

/** Contract 2.6, the row of `audit-resource`, which depends on what the query names. */
describe('rights to the history of one resource', function () {
  let cast: TwoOrganizations;
  let project: string;
  let inProject: readonly string[];
  let inOrganization: readonly string[];
  const clients: Client[] = [];

  before(async () => {
    cast = await startTwoOrganizations();
    const { user: owner, manager } = cast.ours;
    const known = await createOneOfEach(owner.as, 'audited');
    project = String(known['project_id']);
    const id = (name: string) => String(known[name]);
    const of = `?project_id=${project}`;
    inProject = [
      `project/${project}`,
      `log_stream/${id('log_stream_id')}`,
      `experiment/${id('experiment_id')}`,
      `dataset/${id('dataset_id')}`,
      `trace/${id('trace_id')}${of}`,
      `session/${id('session_id')}${of}`,
      `annotation_template/${id('template_id')}${of}`,
    ];
    inOrganization = [
      `organization/${owner.organizationId}`,
      `group/${id('group_id')}`,
      `scorer/${id('scorer_id')}`,
      `api_key/${id('api_key_id')}`,
    ];
    await owner.as.call('POST', `/v2/projects/${project}/users`, {
      body: [{ user_id: manager.id, role: 'editor' }],
    });
  });
  after(async () => {
    for (const client of clients) client.close();
    await cast.close();
  });

  const statuses = async (client: Client, paths: readonly string[]) =>
    Promise.all(
      paths.map(async (path) => (await client.send('GET', `/v2/history/${path}`)).status),
    );
  const all = (paths: readonly string[], status: number) => paths.map(() => status);
  const keyOf = async (actor: RoleUser, body: object): Promise<Client> => {
    const made = await actor.as.call<{ api_key: string }>('POST', '/v2/users/api_keys', {
      body: { description: 'audit', ...body },
    });
    const client = clientOf({ url: cast.app.url, apiKey: made.body.api_key });
    clients.push(client);
    return client;
  };

  it('are given to auditors and admins for every resource', async () => {
    for (const { as } of [cast.ours.admin, cast.ours.auditor]) {
      expect(await statuses(as, inProject)).to.deep.equal(all(inProject, 200));
      expect(await statuses(as, inOrganization)).to.deep.equal(all(inOrganization, 200));
    }
  });

  it('are given to owners for resources of their project only', async () => {
    const { as } = cast.ours.user;
    expect(await statuses(as, inProject)).to.deep.equal(all(inProject, 200));
    expect(await statuses(as, inOrganization)).to.deep.equal(all(inOrganization, 404));
  });

  it('are 403 for a role that is too low, 404 where the resource is invisible', async () => {
    expect(await statuses(cast.ours.manager.as, inProject)).to.deep.equal(all(inProject, 403));
    expect(await statuses(cast.ours.read_only.as, inProject)).to.deep.equal(all(inProject, 404));
    for (const { as } of Object.values(cast.theirs)) {
      expect(await statuses(as, inProject)).to.deep.equal(all(inProject, 404));
      expect(await statuses(as, inOrganization)).to.deep.equal(all(inOrganization, 404));
    }
  });

  it('follow the role of a key', async () => {
    const editor = await keyOf(cast.ours.user, { project_id: project, project_role: 'editor' });
    expect(await statuses(editor, inProject)).to.deep.equal(all(inProject, 403));
    const limited = await keyOf(cast.ours.admin, { project_role: 'editor' });
    expect(await statuses(limited, inProject)).to.deep.equal(all(inProject, 403));
    expect(await statuses(limited, inOrganization)).to.deep.equal(all(inOrganization, 404));
    const auditors = await keyOf(cast.ours.auditor, { project_role: 'viewer' });
    expect((await auditors.send('GET', '/v2/history')).status).to.equal(403);
  });

  it('answer the same 404 for foreign and unknown resources', async () => {
    const answers = await Promise.all(
      [project, randomUUID()].map(async (id) => {
        const { status, body } = await cast.theirs.admin.as.send<{ detail: string }>(
          'GET',
          `/v2/history/project/${id}`,
        );
        return `${status} ${body.detail}`;
      }),
    );
    expect(new Set(answers).size).to.equal(1);
  });
});
