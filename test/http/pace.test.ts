import { expect } from 'chai';
import { startApp, type App } from '../support/app.js';

type Made = { readonly id: string };

describe('ingest backpressure of a project', () => {
  let app: App;
  beforeEach(async () => {
    app = await startApp();
  });
  afterEach(() => app.close());

  const newProject = async (name: string) => {
    const { client } = app;
    const made = await client.call<Made>('POST', '/v2/projects', { body: { name } });
    const root = `/v2/projects/${made.body.id}`;
    const run = await client.call<Made>('POST', `${root}/log_streams`, { body: { name } });
    const logs = (...inputs: readonly string[]) =>
      client.send('POST', `${root}/traces`, {
        body: { log_stream_id: run.body.id, traces: inputs.map((input) => ({ input })) },
      });
    return { root, run: run.body.id, logs };
  };

  const pauses = async (): Promise<number> => {
    const metrics = await (await fetch(`${app.opsUrl}/metrics`)).text();
    return Number(/^assay_pause_seconds_count (\d+)$/m.exec(metrics)?.[1] ?? 0);
  };

  it('keeps reads of other projects fast', async () => {
    const [heavy, small] = [await newProject('heavy'), await newProject('small')];
    await small.logs('to Oslo');
    await app.untilCaughtUp();
    await app.projector.pause('records');
    const logged = await heavy.logs('a', 'b');
    const headers = { 'X-Min-Position': logged.position ?? '' };
    expect(headers['X-Min-Position']).to.have.length(16);
    const body = { log_stream_id: small.run };
    const found = await app.client.send<{ records: readonly unknown[] }>(
      'POST',
      `${small.root}/traces/search`,
      { body, headers },
    );
    expect(found.status).to.equal(200);
    expect(found.body.records).to.have.length(1);
    const runs = await app.client.send('GET', `${small.root}/log_streams`, { headers });
    expect(runs.status).to.equal(200);
    const project = await app.client.send('GET', small.root, { headers });
    expect(project.status).to.equal(200);
    // Its own reads say that something is missing.
    const own = await app.client.send('POST', `${heavy.root}/traces/search`, {
      body: { log_stream_id: heavy.run },
      headers,
    });
    expect(own.status).to.equal(503);
  });

  it('delays the next request of this project and of no other', async () => {
    const [heavy, small] = [await newProject('heavy'), await newProject('small')];
    await small.logs('to Paris');
    await app.untilCaughtUp();
    await app.projector.pause('records');
    const text = 'x'.repeat(1_000_000);
    expect((await heavy.logs(...Array<string>(4).fill(text))).status).to.equal(200);
    const next = heavy.logs(text);
    expect((await small.logs('to Oslo')).status).to.equal(200);
    await app.projector.resume('records');
    expect((await next).status).to.equal(200);
    expect(await pauses()).to.equal(1);
    await app.untilCaughtUp();
  });

  it('delays sooner while a read of another project is late', async () => {
    const [heavy, small] = [await newProject('heavy'), await newProject('small')];
    await app.untilCaughtUp();
    await app.projector.pause('records');
    expect((await heavy.logs('x'.repeat(500_000), 'x'.repeat(500_000))).status).to.equal(200);
    await small.logs('to Oslo');
    const state = { isRead: false };
    const reading = app.client
      .send('POST', `${small.root}/traces/count`, { body: { log_stream_id: small.run } })
      .finally(() => {
        state.isRead = true;
      });
    // Far below 4 MiB together.
    while (!state.isRead && (await pauses()) === 0) await heavy.logs('x'.repeat(50_000));
    expect((await reading).status).to.equal(200);
    expect(await pauses()).to.be.greaterThan(0);
    await app.projector.resume('records');
    await app.untilCaughtUp();
  });
});
