import { expect } from 'chai';
import { randomUUID } from 'node:crypto';
import type { HistoryEntry, HistoryPage, HistoryVerdict } from '../../contract/history.js';
import type { Json, JsonObject } from '../../kernel/schema-types.js';
import { startApp, type App } from '../support/app.js';
import { allEntries, allPages, hashOf, sha256Hex } from '../support/history.js';
import { mergePatched, withoutNulls } from '../support/merge-patch.js';
import { pollUntil } from '../support/poll-until.js';

type Made = { readonly id: string };
type OneResource = HistoryPage & { readonly state?: JsonObject | null };

const digestOf = (text: string) => ({ sha256: sha256Hex(text), bytes: Buffer.byteLength(text) });
const typesOf = (entries: readonly HistoryEntry[]) => entries.map((one) => one.event_type);

describe('history over HTTP', function () {
  let app: App;
  let project: string;
  let root: string;
  let traces: readonly string[];
  let logStream: string;
  let template: string;
  let me: { readonly id: string; readonly organization_id: string };

  before(async () => {
    app = await startApp();
    const call = <T>(method: string, path: string, body?: unknown) =>
      app.client.call<T>(method, path, body === undefined ? {} : { body });
    me = (await call<typeof me>('GET', '/v2/current_user')).body;
    project = (await call<Made>('POST', '/v2/projects', { name: 'airline' })).body.id;
    root = `/v2/projects/${project}`;
    const stream = await call<Made>('POST', `${root}/log_streams`, { name: 'production' });
    logStream = stream.body.id;
    await call('PUT', `${root}/log_streams/${logStream}`, { name: 'live' });
    const logged = await call<{ trace_ids: string[] }>('POST', `${root}/traces`, {
      log_stream_id: logStream,
      include_trace_ids: true,
      traces: ['a flight, please', 'a seat, please'].map((input) => ({
        input,
        output: 'booked',
        user_metadata: { customer: 'acme' },
        spans: [{ type: 'tool', id: randomUUID(), input: 'search', output: 'found' }],
      })),
    });
    traces = logged.body.trace_ids;
    const made = await call<Made>('POST', `${root}/annotation/templates`, {
      name: 'Helpful',
      constraints: { annotation_type: 'like_dislike' },
    });
    template = made.body.id;
    const rating = `${root}/annotation/templates/${template}/traces/${traces[0]}/rating`;
    for (const value of [false, true]) {
      await call('PUT', rating, {
        rating: { value, annotation_type: 'like_dislike' },
        explanation: value ? 'to the point' : 'beside the point',
      });
    }
  });
  after(() => app.close());

  const list = async (query = '', path = '/v2/history'): Promise<HistoryPage> =>
    (await app.client.call<HistoryPage>('GET', `${path}?${query}`)).body;

  it('lists what happened in a project, newest first', async () => {
    const page = await list('', `${root}/history`);
    const types = typesOf(page.entries).reverse();
    expect(types.slice(0, 3)).to.deep.equal([
      'ProjectCreated',
      'LogStreamCreated',
      'LogStreamRenamed',
    ]);
    expect(types).to.include.members(['TraceLogged', 'AnnotationTemplateCreated', 'RatingGiven']);
    expect(page.entries.every((one) => one.project_id === project)).to.equal(true);
    expect(page).to.include({ next_cursor: null, limit: 100 });
    expect(page.entries[0]).to.deep.include({
      actor: {
        type: 'api_key',
        id: page.entries[0]?.actor.id,
        email: 'admin@localhost',
        role: 'owner',
      },
    });
  });

  it('shows what a rating changed, with its text masked (contract 5.14)', async () => {
    const page = await list(`resource_id=${traces[0]}&event_type=RatingGiven`, `${root}/history`);
    const [newest, first] = page.entries;
    const of = (value: Json, text: string) => ({
      annotations: { [template]: { [me.id]: { value, explanation: digestOf(text) } } },
    });
    expect(newest?.resource).to.deep.equal({ type: 'trace', id: traces[0] });
    expect(newest?.before).to.deep.equal(of(false, 'beside the point'));
    expect(newest?.after).to.deep.equal(of(true, 'to the point'));
    expect(first?.before).to.deep.equal({ annotations: { [template]: null } });
    expect(JSON.stringify(page)).not.to.include('the point');
  });

  it('shows a trace as it came, its texts by their digests', async () => {
    const { entries } = await list(`project_id=${project}`, `/v2/history/trace/${traces[0]}`);
    const [logged] = entries;
    expect(logged).to.include({ event_type: 'TraceLogged', before: null, erased: false });
    const { after } = logged ?? {};
    expect(after?.['input']).to.deep.equal(digestOf('a flight, please'));
    expect(after?.['user_metadata']).to.deep.equal({ customer: digestOf('acme') });
    const [span] = Object.values((after?.['spans'] ?? {}) as JsonObject) as readonly JsonObject[];
    expect(span).to.deep.include({ type: 'tool', output: digestOf('found') });
  });

  it('chains each entry to the one before by hashes that callers can recompute', async () => {
    const entries = await allEntries(app.client, '/v2/history', 'technical=true&order=asc&limit=7');
    expect(entries.map(({ seq }) => seq)).to.deep.equal(entries.map((_, index) => index + 1));
    let previous = '0'.repeat(64);
    for (const entry of entries) {
      expect(entry.prev_hash).to.equal(previous);
      expect(hashOf(entry, me.organization_id), entry.event_type).to.equal(entry.hash);
      previous = entry.hash;
    }
    const { head } = await list('limit=1');
    expect(head).to.include({ seq: entries.length, hash: previous });
  });

  it('leaves out technical entries, with gaps, unless requested', async () => {
    const all = await allEntries(app.client, '/v2/history', 'technical=true');
    const usual = await allEntries(app.client, '/v2/history', '');
    expect(typesOf(all)).to.include('NameClaimed');
    expect(typesOf(usual)).not.to.include('NameClaimed');
    const listed = new Set(usual.map(({ seq }) => seq));
    expect(usual).to.deep.equal(all.filter(({ seq }) => listed.has(seq)));
  });

  it('takes filters: any of one name, all of different ones', async () => {
    const all = await allEntries(app.client, '/v2/history', '');
    const two = 'event_type=RatingGiven&event_type=ProjectCreated';
    const expected = all.filter(({ event_type }) =>
      ['RatingGiven', 'ProjectCreated'].includes(event_type),
    );
    expect((await list(two)).entries).to.deep.equal(expected);
    expect((await list(`${two}&resource_type=trace`)).entries).to.deep.equal(
      expected.filter(({ resource }) => resource.type === 'trace'),
    );
    const { actor, at } = expected[0] ?? { actor: null, at: '' };
    expect(
      (await list(`${two}&actor=${actor?.id}&start_time=${at}&end_time=${at}`)).entries,
    ).to.be.an('array').that.is.not.empty;
    expect((await list(`${two}&actor=${randomUUID()}`)).entries).to.deep.equal([]);
    expect((await list(`${two}&project_id=${project}`)).entries).to.deep.equal(
      expected.filter(({ project_id }) => project_id === project),
    );
  });

  it('refuses filters and cursors that are not of this list', async () => {
    const status = async (query: string, path = '/v2/history') =>
      (await app.client.send('GET', `${path}?${query}`)).status;
    const { next_cursor: cursor } = await list('limit=1');
    expect(await status(`limit=1&cursor=${cursor}`)).to.equal(200);
    expect(await status(`limit=9&cursor=${cursor}`)).to.equal(200);
    expect(await status(`order=asc&cursor=${cursor}`)).to.equal(422);
    expect(await status(`technical=true&cursor=${cursor}`)).to.equal(422);
    expect(await status(`cursor=${cursor}`, `${root}/history`)).to.equal(422);
    expect(await status('cursor=')).to.equal(422);
    expect(await status('cursor=AAAA')).to.equal(422);
    expect(await status(`cursor=${cursor?.slice(0, -2)}xx`)).to.equal(422);
    expect(await status('resource_type=airplane')).to.equal(422);
    expect(await status('start_time=2026-03-02&end_time=2026-03-01')).to.equal(422);
    expect(await status(Array.from({ length: 21 }, () => 'actor=x').join('&'))).to.equal(422);
    expect(await status('', '/v2/history/airplane/x')).to.equal(422);
    expect(await status('', `/v2/history/trace/${traces[0]}`)).to.equal(422);
    expect(await status('at=yesterday', `/v2/history/project/${project}`)).to.equal(422);
    expect(await status('at=ffffffffffffffff', `/v2/history/project/${project}`)).to.equal(422);
    expect(await status('', `/v2/history/project/${randomUUID()}`)).to.equal(404);
    expect(await status(`project_id=${randomUUID()}`, `/v2/history/trace/${traces[0]}`)).to.equal(
      404,
    );
  });

  it('pages down from the head that the first page named, whatever is written since', async () => {
    const query = 'limit=2';
    const first = await list(query);
    await app.client.call('POST', '/v2/projects', { body: { name: `later ${randomUUID()}` } });
    const from = first.next_cursor ?? '';
    const rest = await allEntries(app.client, '/v2/history', query, from);
    const seqs = [...first.entries, ...rest].map(({ seq }) => seq);
    expect(Math.max(...seqs)).to.be.at.most(first.head.seq);
    expect(new Set(seqs).size).to.equal(seqs.length);
    expect(seqs).to.deep.equal([...seqs].sort((one, other) => other - one));
  });

  it('shows one resource with its state at a position and a time', async () => {
    const path = `/v2/history/project/${project}`;
    const { entries, head } = await list('', path);
    const last = entries.at(-1);
    const { state } = await one(`at=${head.position}`, path);
    const made = entries.reduce<Json>((sofar, { after }) => mergePatched(sofar, after ?? {}), null);
    // Templates come and go by entries of their own; those of the project are about their order.
    const order = { annotation_templates: [] };
    expect({ ...(made as object), ...order }).to.deep.equal({
      ...(withoutNulls(state ?? null) as object),
      ...order,
    });
    expect(state).to.include({ id: project });
    const templates = await app.client.call<readonly { readonly id: string }[]>(
      'GET',
      `${root}/annotation/templates`,
    );
    expect((state as { annotation_templates?: unknown }).annotation_templates).to.deep.equal(
      templates.body.map(({ id }) => id),
    );
    const [created] = entries;
    expect((await one(`at=${created?.position}`, path)).state).to.include({ name: 'airline' });
    const then = (await one(`at=${last?.at}`, path)).state;
    expect({ ...(then as object), ...order }).to.deep.equal({ ...(state as object), ...order });
    expect((await one('at=2020-01-01', path)).state).to.equal(null);
    expect(await one('', path)).not.to.have.property('state');
  });
  const one = async (query: string, path: string): Promise<OneResource> =>
    (await app.client.call<OneResource>('GET', `${path}?${query}`)).body;

  it('keeps entries of what was deleted, without its content', async () => {
    const gone = traces[1];
    const filters = [{ type: 'id', name: 'id', operator: 'eq', value: gone }];
    const body = { log_stream_id: logStream, filters };
    await app.client.call('POST', `${root}/traces/delete`, { body });
    const path = `/v2/history/trace/${gone}`;
    await pollUntil('the content is erased', 20_000, async () =>
      (await list(`project_id=${project}`, path)).entries.every(({ erased }) => erased),
    );
    const { entries } = await list(`project_id=${project}`, path);
    expect(typesOf(entries)).to.include('TraceLogged');
    expect(entries.map(({ before, after }) => [before, after])).to.deep.equal(
      entries.map(() => [null, null]),
    );
    const verdict = await verified();
    expect(verdict).to.include({ status: 'intact', broken_at: null, next_seq: null });
    expect(verdict.erased).to.be.greaterThan(0);
  });

  const verified = async (query = ''): Promise<HistoryVerdict> =>
    (await app.client.call<HistoryVerdict>('GET', `/v2/history/verify?${query}`)).body;

  it('verifies itself, whole and in part', async () => {
    const whole = await verified();
    expect(whole).to.include({ status: 'intact', from_seq: 1, next_seq: null });
    expect(whole.checked).to.equal(whole.to_seq);
    const part = await verified('from_seq=3&to_seq=5');
    expect(part).to.include({ status: 'intact', checked: 3, from_seq: 3, to_seq: 5 });
    const asked = async (query: string) =>
      (await app.client.send('GET', `/v2/history/verify?${query}`)).status;
    expect(await asked('to_seq=1000000')).to.equal(404);
    expect(await asked('from_seq=1000000')).to.equal(404);
    expect(await asked('from_seq=5&to_seq=4')).to.equal(422);
  });

  it('shows no secret, neither in clear nor sealed nor hashed', async () => {
    const key = await app.client.call<{ api_key: string }>('POST', '/v2/users/api_keys', {
      body: { description: 'for history' },
    });
    await app.client.call('PUT', '/v2/integrations/openai', {
      body: { organization_id: randomUUID(), token: 'sk-canary-0123456789' },
    });
    await app.client.call('POST', '/v2/org-jobs/delete-by-metadata', {
      body: { metadata_key: 'customer', metadata_value: 'canary-value' },
    });
    const text = JSON.stringify(await allPages(app.client, '/v2/history', 'technical=true'));
    for (const secret of [key.body.api_key, 'sk-canary', 'canary-value', 'argon2', 'ciphertext']) {
      expect(text, secret).not.to.include(secret);
    }
    expect(text).to.include('"value_sealed":"[secret]"');
  });

  it('knows a deleted project in the history of the organisation only', async () => {
    await app.client.call('DELETE', root);
    expect((await app.client.send('GET', `${root}/history`)).status).to.equal(404);
    const { entries } = await list(`project_id=${project}`);
    expect(typesOf(entries)).to.include('ProjectCreated');
    const path = `/v2/history/trace/${traces[0]}`;
    await pollUntil('what was in it is erased', 20_000, async () =>
      (await list(`project_id=${project}`, path)).entries.every(({ erased }) => erased),
    );
    expect(await verified()).to.include({ status: 'intact', broken_at: null });
  });
});
