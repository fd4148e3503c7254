import type { OrganizationRole, ProjectRole } from '../../contract/roles.js';
import type { App } from './app.js';
import { clientOf, type Client } from './client.js';
import { newProject } from './console-pages.js';
import { basic } from './logins.js';
import { createOneOfEach } from './one-of-each-object.js';
import { invitePerson, shareProject, type Person } from './people.js';

type Part = { readonly organizationRole: OrganizationRole; readonly role: ProjectRole | null };

/** Roles that pages are crawled in; `role` is that in the project, null without one. */
export const parts = {
  viewer: { organizationRole: 'user', role: 'viewer' },
  annotator: { organizationRole: 'user', role: 'annotator' },
  editor: { organizationRole: 'user', role: 'editor' },
  // Users are invited, changed and removed by managers.
  owner: { organizationRole: 'manager', role: 'owner' },
  auditor: { organizationRole: 'auditor', role: null },
} as const satisfies Readonly<Record<string, Part>>;
export type PartName = keyof typeof parts;
const partNames = Object.keys(parts) as readonly PartName[];

/** A person with objects of their own to crawl over. */
export type CastMember = {
  readonly name: PartName;
  readonly person: Person;
  /** Ids by the parameters of the pages' patterns. */
  readonly ids: Readonly<Record<string, unknown>>;
  /** A project without traces, for the page that waits for the first one. */
  readonly emptyProject: string;
};

/** One person of each role, each with a project of their own that the owner made. */
export const createCast = async (app: App): Promise<readonly CastMember[]> => {
  const people = await Promise.all(
    partNames.map((name) => invitePerson(app, name, parts[name].organizationRole)),
  );
  const ownerOf = people[partNames.indexOf('owner')];
  if (ownerOf === undefined) throw new Error('no owner');
  const owner = await clientWithKey(app, ownerOf);
  const members = await Promise.all(
    people.map((person, index) => createObjects(app, owner, person, index)),
  );
  owner.close();
  return members;
};

/** Client with an API key of that person, with all of their rights. */
const clientWithKey = async ({ url }: App, { email, password }: Person): Promise<Client> => {
  const anonymous = clientOf({ url, apiKey: null });
  const { body } = await anonymous.call<{ readonly api_key: string }>(
    'POST',
    '/v2/users/api_keys',
    { body: { description: 'crawled' }, headers: basic(email, password) },
  );
  anonymous.close();
  return clientOf({ url, apiKey: body.api_key });
};

const createObjects = async (
  app: App,
  owner: Client,
  person: Person,
  index: number,
): Promise<CastMember> => {
  const name = partNames[index] ?? 'owner';
  const { role } = parts[name];
  const asOwner = { ...app, client: owner };
  const made = await createOneOfEach(owner, `crawled ${index}`);
  const project = String(made['project_id']);
  const at = (rest: string): string => `/v2/projects/${project}${rest}`;
  const emptyProject = await newProject(asOwner, `crawled ${index}, empty`);
  if (role !== null && name !== 'owner') {
    for (const shared of [project, emptyProject]) {
      await shareProject(asOwner, shared, person, role);
    }
  }
  await owner.call('POST', at('/groups'), {
    body: [{ group_id: made['group_id'], role: 'viewer' }],
  });
  // One trace is rated below, the other waits to be.
  await owner.call('POST', at('/traces'), {
    body: { log_stream_id: made['log_stream_id'], traces: [{ input: 'in', output: 'out' }] },
  });
  // A second version, so that the first one can be rolled back to.
  await owner.call('PATCH', `/v2/datasets/${String(made['dataset_id'])}/content`, {
    body: { edits: [{ edit_type: 'append_row', values: { a: '2' } }] },
  });
  const template = await owner.call<{ readonly id: string }>('POST', at('/annotation/templates'), {
    body: { name: 'stars', constraints: { annotation_type: 'star' } },
  });
  if (role !== null && role !== 'viewer') {
    const self = await clientWithKey(app, person);
    const place = `${template.body.id}/traces/${String(made['trace_id'])}`;
    await self.call('PUT', at(`/annotation/templates/${place}/rating`), {
      body: { rating: { annotation_type: 'star', value: 1 } },
    });
    self.close();
  }
  const ids = { ...made, resource: 'dataset', id: made['dataset_id'] };
  return { name, person, ids, emptyProject };
};
