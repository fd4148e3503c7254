import { expect } from 'chai';
import { randomUUID } from 'node:crypto';
import { appPassword, expectReplayEqual } from '../support/app.js';
import { filesContaining } from '../support/files-containing.js';
import { startTwoOrganizations, type TwoOrganizations } from '../support/two-organizations.js';
import { clientOf, type Client, type Reply } from '../support/client.js';
import { expectInvalid, expectRefused } from '../support/key-ring.js';
import { adminEmail, basic } from '../support/logins.js';
import { pollUntil } from '../support/poll-until.js';

type Job = {
  readonly status: string;
  readonly result: Readonly<Record<string, number>> | null;
  readonly request_data: Readonly<Record<string, unknown>>;
  readonly created_by: string | null;
  readonly [member: string]: unknown;
};

describe('deletion by metadata over HTTP', function () {
  let cast: TwoOrganizations;
  let admin: Client;
  let nobody: Client;
  before(async () => {
    cast = await startTwoOrganizations();
    admin = cast.ours.admin.as;
    nobody = clientOf({ url: cast.app.url, apiKey: null });
  });
  after(async () => {
    nobody.close();
    await expectReplayEqual(cast.app);
    await cast.close();
  });

  const ask = (
    metadata_value: string,
    as: Client = admin,
    query = '',
  ): Promise<Reply<{ readonly job_id: string; readonly message: string }>> =>
    as.send('POST', `/v2/org-jobs/delete-by-metadata${query}`, {
      body: { metadata_key: 'user', metadata_value },
    });
  const job = (id: string, as: Client = admin): Promise<Reply<Job>> =>
    as.send('GET', `/v2/org-jobs/${id}`);
  const finished = async (id: string): Promise<Job> => {
    await pollUntil('the job is over', 30_000, async () => {
      const { status } = (await job(id)).body;
      return status === 'completed' || status === 'failed';
    });
    return (await job(id)).body;
  };
  const project = async (as: Client): Promise<string> => {
    const { body } = await as.call<{ id: string }>('POST', '/v2/projects', {
      body: { name: randomUUID() },
    });
    return `/v2/projects/${body.id}`;
  };
  const log = async (root: string, traces: readonly object[], as: Client, more: object = {}) =>
    as.call('POST', `${root}/traces`, { body: { traces, ...more } });
  const count = async (root: string, kind: string, as: Client): Promise<number> => {
    const { body } = await as.call<{ total_count: number }>('POST', `${root}/${kind}/count`);
    return body.total_count;
  };
  const session = async (root: string, user: string, as: Client): Promise<string> => {
    const { body } = await as.call<{ session_id?: string; id?: string }>(
      'POST',
      `${root}/sessions`,
      { body: { name: 's', user_metadata: { user } } },
    );
    return body.session_id ?? body.id ?? '';
  };
  const spans = [
    { type: 'tool', name: 'one', input: 'x' },
    { type: 'tool', name: 'two', input: 'x' },
  ];

  it('says what would be deleted when the run is dry, and starts no job', async () => {
    const user = randomUUID();
    const [one, other] = [await project(admin), await project(cast.ours.user.as)];
    const theirs = await project(cast.theirs.admin.as);
    const talk = await session(one, user, admin);
    await log(one, [{ name: 'in it', spans }], admin, { session_id: talk });
    await log(one, [{ user_metadata: { user } }, { user_metadata: { user: 'x' } }], admin);
    await log(other, [{ user_metadata: { user }, spans }], cast.ours.user.as);
    await log(theirs, [{ user_metadata: { user } }], cast.theirs.admin.as);
    const { body } = await admin.call<Record<string, unknown> & { ids: string[] }>(
      'POST',
      '/v2/org-jobs/delete-by-metadata',
      { body: { metadata_key: 'user', metadata_value: user, dry_run: true } },
    );
    expect(body).to.deep.include({
      job_id: null,
      message: '1 session and 3 traces would be deleted.',
      matched: { projects: 2, sessions: 1, traces: 3, spans: 4 },
      matched_count: 4,
      more: false,
    });
    expect(body.ids).to.have.length(4);
    expect(body.ids[0]).to.equal(talk);
    expect(await count(one, 'traces', admin)).to.equal(3);
  });

  it('deletes what matches in every project of the organisation, and counts it', async () => {
    const user = randomUUID();
    const [one, other] = [await project(admin), await project(cast.ours.user.as)];
    const theirs = await project(cast.theirs.admin.as);
    const of = (name: string) => ({ name, user_metadata: { user: name }, spans });
    await log(one, [of(user), of('somebody else'), of(user)], admin);
    const talk = await session(other, user, admin);
    await log(other, [{ name: 'in the session', spans }], admin, { session_id: talk });
    await log(other, [{ name: 'elsewhere', user_metadata: { user, x: 'y' } }], admin);
    await log(other, [{ name: 'kept', user_metadata: { other: user } }], admin);
    await log(theirs, [of(user)], cast.theirs.admin.as);
    const asked = await ask(user);
    expect(asked.status).to.equal(200);
    const done = await finished(asked.body.job_id);
    expect(done).to.deep.include({
      id: asked.body.job_id,
      organization_id: cast.ours.admin.organizationId,
      job_name: 'delete_by_metadata',
      status: 'completed',
      request_data: { metadata_key: 'user', metadata_value: user, immediate: false },
      error_message: null,
      created_by: cast.ours.admin.id,
      result: { projects: 2, sessions: 1, traces: 4, spans: 6 },
    });
    expect(await count(one, 'traces', admin)).to.equal(1);
    expect(await count(other, 'traces', admin)).to.equal(1);
    expect(await count(other, 'sessions', admin)).to.equal(0);
    expect(await count(theirs, 'traces', cast.theirs.admin.as)).to.equal(1);
    const again = await finished((await ask(user, admin, '?immediate=true')).body.job_id);
    expect(again.result).to.deep.equal({ projects: 0, sessions: 0, traces: 0, spans: 0 });
    expect(again.request_data['immediate']).to.equal(true);
  });

  it('finds entries whose keys came after the first thousand of their project', async () => {
    const [root, user] = [await project(admin), randomUUID()];
    const keys = (from: number) =>
      Object.fromEntries(Array.from({ length: 200 }, (_, at) => [`key ${from + at}`, user]));
    const fill = [0, 200, 400, 600, 800].map((from) => ({ user_metadata: keys(from) }));
    await log(root, fill, admin);
    const odd = '1,001st. $key/"\'%\\ 🎉';
    await log(root, [{ user_metadata: { [odd]: user }, spans }, { name: 'kept' }], admin);
    await log(root, [{ user_metadata: { [odd]: user.toUpperCase() } }], admin);
    const asked = await admin.call<{ job_id: string }>('POST', '/v2/org-jobs/delete-by-metadata', {
      body: { metadata_key: odd, metadata_value: user },
    });
    const done = await finished(asked.body.job_id);
    expect(done.result).to.deep.equal({ projects: 1, sessions: 0, traces: 1, spans: 2 });
    expect(await count(root, 'traces', admin)).to.equal(7);
  });

  it('is requested by admins, readable in their organisation, and 404 in another', async () => {
    expectRefused(await ask('x', cast.ours.manager.as), 403, 'forbidden');
    const { job_id: id } = (await ask(randomUUID())).body;
    const seen = await job(id, cast.ours.read_only.as);
    expect(seen.body.request_data['metadata_value']).to.equal('[redacted]');
    expectRefused(await job(id, cast.theirs.admin.as), 404, 'not_found');
    expectRefused(await job(randomUUID()), 404, 'not_found');
    const headers = basic(adminEmail, appPassword);
    const byPassword = await nobody.send('GET', `/v2/org-jobs/${id}`, { headers });
    expectRefused(byPassword, 401, 'unauthenticated');
    await finished(id);
  });

  it('is read with a bound key by owners only', async () => {
    const { job_id: id } = (await ask(randomUUID())).body;
    const root = await project(admin);
    const statuses = [];
    for (const role of ['owner', 'editor']) {
      // Only a person makes keys that are owners (contract 2.4, rule 5).
      const { body } = await nobody.call<{ api_key: string }>('POST', '/v2/users/api_keys', {
        body: { description: 'b', project_id: root.split('/').at(-1), project_role: role },
        headers: basic(adminEmail, appPassword),
      });
      const headers = { 'Service-API-Key': body.api_key };
      const reply = await cast.app.client.send('GET', `/v2/org-jobs/${id}`, { headers });
      statuses.push(reply.status);
    }
    expect(statuses).to.deep.equal([200, 403]);
  });

  it('answers 422 for a key that is empty or too long', async () => {
    for (const [key, type] of [
      ['', 'string_too_short'],
      ['k'.repeat(257), 'string_too_long'],
    ] as const) {
      const reply = await admin.send('POST', '/v2/org-jobs/delete-by-metadata', {
        body: { metadata_key: key, metadata_value: '' },
      });
      expectInvalid(reply, ['body', 'metadata_key'], type);
    }
  });

  it('leaves not a byte of the content in any file', async () => {
    const [canary, kept, user] = ['canary', 'keeper', 'someone'].map(
      (word) => `${word}-${randomUUID()}`,
    );
    const root = await project(admin);
    const marked = (word = '') => ({
      name: word,
      input: `in ${word}`,
      output: `out ${word}`,
      tags: [word],
      user_metadata: { note: word, user: word === canary ? (user ?? '') : 'other' },
      spans: [{ type: 'llm', input: word, output: word, model: word }],
    });
    for (let times = 0; times < 3; times += 1) {
      const many = Array.from({ length: 40 }, () => marked(canary));
      await log(root, [...many, marked(kept)], admin);
    }
    await cast.app.untilCaughtUp();
    expect(await filesContaining(cast.app.dir, canary ?? '')).not.to.deep.equal([]);
    const done = await finished((await ask(user ?? '')).body.job_id);
    expect(done.result).to.deep.equal({ projects: 1, sessions: 0, traces: 120, spans: 120 });
    for (const word of [canary, user]) {
      await pollUntil('the bytes are gone', 60_000, async () => {
        const left = await filesContaining(cast.app.dir, word ?? '');
        return left.length === 0;
      });
    }
    expect(await filesContaining(cast.app.dir, kept ?? '')).not.to.deep.equal([]);
    expect(await count(root, 'traces', admin)).to.equal(3);
  });
});
