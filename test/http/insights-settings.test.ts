import { expect } from 'chai';
import { randomUUID } from 'node:crypto';
import { sharedApp, type App } from '../support/app.js';
import type { Client } from '../support/client.js';
import { expectInvalid, expectRefused, keyRing, type KeyRing } from '../support/key-ring.js';

type Settings = {
  readonly run_id: string;
  readonly insights: {
    readonly logstream: { readonly enabled: boolean; readonly start_time: string | null };
  };
};

describe('insights settings over HTTP', () => {
  let app: App;
  let keys: KeyRing;
  let project: string;
  let run: string;
  before(async () => {
    app = await sharedApp();
    keys = keyRing(app);
    project = await keys.project(`insights ${randomUUID()}`);
  });
  beforeEach(async () => {
    run = await make('log_streams');
  });
  after(async () => {
    keys.close();
    const [verified] = await app.projector.verify('insights_settings');
    expect(verified).to.include({ difference: null });
  });

  const make = async (kind: string): Promise<string> => {
    const body = { name: randomUUID() };
    const made = await app.client.call<{ id: string }>('POST', `/v2/projects/${project}/${kind}`, {
      body,
    });
    return made.body.id;
  };
  const path = (of = run) => `/v2/projects/${project}/runs/${of}/insights-settings`;
  const turn = (enabled: unknown, headers: Record<string, string> = {}, by = app.client) =>
    by.send<Settings>('PATCH', path(), { body: { insights: { logstream: { enabled } } }, headers });
  const get = (by: Client = app.client) => by.send<Settings>('GET', path());
  const answer = (enabled: boolean, start_time: string | null) => ({
    run_id: run,
    insights: { logstream: { enabled, start_time } },
  });

  it('are off at first, switched on with the time, and off again without losing it', async () => {
    expect((await get()).body).to.deep.equal(answer(false, null));
    const on = await turn(true);
    const since = on.body.insights.logstream.start_time;
    expect(since).to.match(/^\d{4}-.*Z$/);
    expect(on.body).to.deep.equal(answer(true, since));
    expect((await get()).body).to.deep.equal(on.body);
    const off = await turn(false);
    expect(off.body).to.deep.equal(answer(false, since));
    expect((await get()).body).to.deep.equal(off.body);
    const again = (await turn(true)).body.insights.logstream.start_time;
    expect(String(again) > String(since)).to.equal(true);
  });

  it('have a position no earlier than the run, even where nothing was ever written', async () => {
    const made = await app.client.call<{ id: string }>(
      'POST',
      `/v2/projects/${project}/log_streams`,
      { body: { name: randomUUID() } },
    );
    const reply = await app.client.send('PATCH', path(made.body.id), { body: { insights: {} } });
    expect(reply.position).to.equal(made.position);
  });

  it('write nothing for the present value, an absent one, or members of others', async () => {
    const first = await turn(true);
    const same = await turn(true);
    expect(same).to.deep.include({ status: 200, body: first.body, position: first.position });
    for (const insights of [
      {},
      { other: 1 },
      { logstream: { enabled: true, start_time: '2001' } },
    ]) {
      const reply = await app.client.send('PATCH', path(), { body: { insights } });
      expect(reply).to.deep.include({ status: 200, body: first.body, position: first.position });
    }
  });

  it('belong to a run of any kind', async () => {
    run = await make('experiments');
    expect((await turn(true)).status).to.equal(200);
    expect((await get()).body.insights.logstream.enabled).to.equal(true);
  });

  it('have an entity tag, and a change under an old one does not happen', async () => {
    const { headers: before } = await get();
    const on = await turn(true, { 'If-Match': String(before.etag) });
    expect(on.status).to.equal(200);
    expect(on.headers.etag).to.not.equal(before.etag);
    expect((await get()).headers.etag).to.equal(on.headers.etag);
    expectRefused(
      await turn(false, { 'If-Match': String(before.etag) }),
      412,
      'precondition_failed',
    );
    expectRefused(await turn(false, { 'If-Match': 'W/"1"' }), 412, 'precondition_failed');
    expectRefused(await turn(false, { 'If-Match': 'no tag' }), 400, 'malformed_request');
    expect((await get()).body).to.deep.equal(on.body);
    expect((await turn(false, { 'If-Match': '*' })).status).to.equal(200);
  });

  it('have one winner among many who saw the same, and without If-Match all succeed', async () => {
    const etag = String((await get()).headers.etag);
    const races = await Promise.all(
      Array.from({ length: 8 }, () => turn(true, { 'If-Match': etag })),
    );
    const statuses = races.map(({ status }) => status).sort((one, other) => one - other);
    expect(statuses).to.deep.equal([200, ...Array<number>(7).fill(412)]);
    const free = await Promise.all(Array.from({ length: 8 }, (_, at) => turn(at % 2 === 0)));
    for (const { status } of free) expect(status).to.equal(200);
  });

  it('answer 422 to a malformed body', async () => {
    const place = ['body', 'insights'];
    const send = (body: object) => app.client.send('PATCH', path(), { body });
    expectInvalid(await send({}), place, 'missing');
    expectInvalid(await send({ insights: null }), place, 'dict_type');
    expectInvalid(
      await send({ insights: { logstream: {} } }),
      [...place, 'logstream', 'enabled'],
      'missing',
    );
    expectInvalid(await turn('yes'), [...place, 'logstream', 'enabled'], 'bool_type');
    expectInvalid(await app.client.send('GET', path('x')), ['path', 'run_id'], 'uuid_parsing');
  });

  it('answer 404 for a run unknown, deleted or of another project, 403 to a viewer', async () => {
    const body = { insights: {} };
    const both = async (at: string) => {
      expectRefused(await app.client.send('GET', at), 404, 'not_found');
      expectRefused(await app.client.send('PATCH', at, { body }), 404, 'not_found');
    };
    await both(path(randomUUID()));
    const elsewhere = await keys.project(`elsewhere ${randomUUID()}`);
    await both(`/v2/projects/${elsewhere}/runs/${run}/insights-settings`);
    await both(`/v2/projects/${randomUUID()}/runs/${run}/insights-settings`);
    const { as } = await keys.make({ project_id: project, project_role: 'viewer' });
    expect((await get(as)).status).to.equal(200);
    expectRefused(await turn(true, {}, as), 403, 'forbidden');
    await app.client.call('DELETE', `/v2/projects/${project}/log_streams/${run}`);
    await both(path());
  });
});
