import { randomUUID as uuid } from 'node:crypto';
import { expect } from 'chai';
import { expectReplayEqual, sharedApp, type App } from '../support/app.js';
import { clientOf } from '../support/client.js';
import { expectRefused, keyRing, type KeyRing } from '../support/key-ring.js';
import { otelRequest, otelSpan } from '../support/otlp.js';
import { registeredScorer } from '../support/scorer-validations.js';

describe('hints in responses', function () {
  let app: App;
  let keys: KeyRing;
  let project: string;
  let root: string;
  before(async () => {
    app = await sharedApp('strict');
    keys = keyRing(app);
    project = await keys.project(uuid());
    root = `/v2/projects/${project}`;
  });
  after(async () => {
    keys.close();
    await app.untilCaughtUp();
    await expectReplayEqual(app);
  });
  const post = (path: string, body: object, headers = {}) =>
    app.client.send<Record<string, unknown>>('POST', path, { body, headers });

  it('name the scorers of a run that have no version, until they have one', async () => {
    const made = async (body: object) =>
      (await app.client.call<{ id: string }>('POST', '/v2/scorers', { body })).body.id;
    const without = `none ${uuid()}`;
    const empty = await made({ name: without, scorer_type: 'code' });
    const source = 'def scorer_fn(**k) -> int:\n    return 1';
    const whole = (await registeredScorer(app, { name: `one ${uuid()}` }, source)).id;
    const run = (await post(`${root}/log_streams`, { name: uuid() })).body['id'];
    const path = `${root}/runs/${String(run)}/scorer-settings`;
    const listed = (ids: readonly string[]) => ({
      scorers: ids.map((id) => ({ id, scorer_type: 'code' })),
    });
    const set = await post(path, listed([whole, empty]));
    expect(set.body['scorers_without_version']).to.deep.equal([encodeURIComponent(without)]);
    const { body, headers } = await app.client.call<Record<string, unknown>>('GET', path);
    expect(body['scorers_without_version']).to.deep.equal([encodeURIComponent(without)]);
    expect(headers['x-scorers-without-version']).to.equal(encodeURIComponent(without));
    const fine = await post(path, listed([whole]));
    expect(fine.body).not.to.have.property('scorers_without_version');
  });

  it('say in a 409 which traces were recorded', async () => {
    const taken = uuid();
    await post(`${root}/traces`, { traces: [{ id: taken, input: 'a' }] });
    const named = uuid();
    const spans = [{ type: 'tool' }];
    const traces = [{ name: 'o' }, { id: taken, input: 'b' }, { id: named, spans }];
    const first = await post(`${root}/traces`, { traces });
    expectRefused(first, 409, 'conflict');
    expect(first.body['new_records_count']).to.equal(3);
    const ids = first.body['new_trace_ids'] as readonly string[];
    expect(ids[1]).to.equal(named);
    const shown = await app.client.call<{ name: string }>('GET', `${root}/traces/${ids[0] ?? ''}`);
    expect(shown.body.name).to.equal('o');
    const again = await post(`${root}/traces`, { traces: [...traces, { input: 5 }] });
    expectRefused(again, 409, 'conflict');
    expect(again.body).to.deep.include({ new_records_count: 1 });
    expect(again.body['new_trace_ids']).to.have.length(1).and.not.to.include(ids[0]);
  });

  it('warn an exporter of a header that is nearly one that names its project', async () => {
    const span = otelSpan({ id: 1 });
    const sent = async (headers: Readonly<Record<string, string>>) =>
      (await post('/v1/traces', otelRequest([span]), headers)).body['partialSuccess'];
    expect(await sent({ projekt: 'airline', 'Log-Stream': 'one' })).to.deep.equal({
      rejectedSpans: '0',
      errorMessage:
        "unread headers: 'projekt' (did you mean 'project'?), " +
        "'log-stream' (did you mean 'logstream'?); the spans went to the project 'default'",
    });
    expect(await sent({ project: 'airline', 'X-Scope-OrgID': 'a' })).to.equal(undefined);
  });

  it('say where an API key goes that came as a bearer token, known or not', async () => {
    const anybody = clientOf({ url: app.url, apiKey: null });
    const made = (await keys.make()).api_key;
    for (const key of [made, 'asy_003aUlTJC7tjlCTQj2uNU3MFagCXG9LRKRcwGkBIDlf0osngO']) {
      const headers = { Authorization: `Bearer ${key}` };
      const reply = await anybody.send<{ detail: string }>('GET', '/v2/groups', { headers });
      expectRefused(reply, 401, 'invalid_credentials');
      expect(reply.body.detail).to.equal(
        'An API key goes into the header Service-API-Key, not into Authorization',
      );
      expect(reply.headers['www-authenticate']).to.contain('error="invalid_token"');
    }
    anybody.close();
  });

  it('name the limit of a body that is too large', async () => {
    const reply = await post('/v2/projects', { name: 'x'.repeat(1_048_576) });
    expectRefused(reply, 413, 'payload_too_large');
    expect(reply.body['detail']).to.equal(
      'The body is larger than the 1048576 bytes that this operation reads',
    );
  });

  it('say which role the history of a resource takes', async () => {
    const editor = await keys.make({ project_id: project, project_role: 'editor' });
    for (const path of [`project/${project}`]) {
      const reply = await editor.as.send<{ detail: string }>('GET', `/v2/history/${path}`);
      expectRefused(reply, 403, 'forbidden');
      expect(reply.body.detail).to.contain(
        'the role owner in the project, or auditor or admin in the organisation',
      );
    }
  });
});
