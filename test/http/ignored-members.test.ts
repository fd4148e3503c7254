import { randomUUID as id } from 'node:crypto';
import { expect } from 'chai';
import { sharedApp, type App } from '../support/app.js';
import type { Reply } from '../support/client.js';
import { upload, type ContentPage } from '../support/datasets.js';
import { expectInvalid } from '../support/key-ring.js';

const strict = { Prefer: 'handling=strict' };
const ignoredOf = ({ headers }: Reply<unknown>): unknown => headers['x-ignored-members'];

describe('ignored parts of a request', () => {
  let app: App;
  let root: string;
  before(async () => {
    app = await sharedApp();
    const { body } = await app.client.call<{ readonly id: string }>('POST', '/v2/projects', {
      body: { name: `ignored ${id()}` },
    });
    root = `/v2/projects/${body.id}`;
  });
  const post = (path: string, body: unknown, headers: Readonly<Record<string, string>> = {}) =>
    app.client.send<Record<string, unknown>>('POST', `${root}${path}`, { body, headers });

  it('are listed in every answer', async () => {
    const search = await post('/traces/search?pages=5', { model_id: id() });
    expect([search.status, ignoredOf(search)]).to.deep.equal([200, '?pages, model_id']);
    const logged = await post('/traces', { traces: [{ input: 'a' }, { inptu: 'b' }] });
    expect([logged.status, ignoredOf(logged)]).to.deep.equal([200, 'traces/1/inptu']);
    const refused = await post('/log_streams', { nmae: 'a' });
    expect([refused.status, ignoredOf(refused)]).to.deep.equal([422, 'nmae']);
    const unseen = await post('/traces/search', { log_stream_id: id(), hint: 1 });
    expect([unseen.status, ignoredOf(unseen)]).to.deep.equal([404, 'hint']);
    expect(ignoredOf(await post('/traces/search', {}))).to.equal(undefined);
  });

  it('are rejected under strict handling', async () => {
    const reply = await post('/traces?x=1', { traces: [{ inptu: 'b' }], modle: 1 }, strict);
    expect(reply.status).to.equal(422);
    expect(reply.headers['preference-applied']).to.equal('handling=strict');
    expect(reply.body['detail']).to.deep.equal(
      [
        { loc: ['query', 'x'], hint: '' },
        { loc: ['body', 'traces', '0', 'inptu'], hint: ', did you mean `input`?' },
        { loc: ['body', 'modle'], hint: '' },
      ].map(({ loc, hint }) => ({
        loc,
        msg: `Extra inputs are not permitted${hint}`,
        type: 'extra_forbidden',
      })),
    );
    const fine = await post('/traces', { traces: [{ input: 'b' }] }, strict);
    expect([fine.status, fine.headers['preference-applied']]).to.deep.equal([
      200,
      'handling=strict',
    ]);
  });

  it('are reported beside other complaints', async () => {
    const reply = await post('/log_streams', { nmae: 'a' }, strict);
    const detail = reply.body['detail'] as readonly { readonly type: string }[];
    expect(detail.map(({ type }) => type)).to.deep.equal(['missing', 'extra_forbidden']);
  });

  it('obey the first preference of its name and no other', async () => {
    const status = async (Prefer: string) =>
      (await post('/traces/search', { x: 1 }, { Prefer })).status;
    for (const prefer of [
      'respond-async, Handling="strict"; a=b',
      'handling = strict,handling=x',
    ]) {
      expect(await status(prefer), prefer).to.equal(422);
    }
    for (const prefer of [
      'handling=lenient, handling=strict',
      'strict',
      'wait=10',
      'xhandling=strict',
    ]) {
      expect(await status(prefer), prefer).to.equal(200);
    }
  });

  it('fit into a header, whatever their number and names', async () => {
    const many = Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`x${at}`, at]));
    const listed = String(ignoredOf(await post('/traces/search', many))).split(', ');
    expect([listed.length, listed.at(-2), listed.at(-1)]).to.deep.equal([21, 'x19', '...']);
    const odd = { ['ä/\r\n, é\u{1f600}']: 1, ['é'.repeat(100_000)]: 1, __proto__x: 2 };
    const [first, second, third] = String(ignoredOf(await post('/traces/search', odd))).split(', ');
    expect(first).to.equal('%C3%A4%2F%0D%0A%2C%20%C3%A9%F0%9F%98%80');
    expect(second).to.equal(`${'%C3%A9'.repeat(64)}...`);
    expect(third).to.equal('__proto__x');
    const long = Object.fromEntries(
      Array.from({ length: 19 }, (_, at) => [`${at}${'é'.repeat(60)}`, 1]),
    );
    const shown = String(ignoredOf(await post('/traces/search', long)));
    expect(shown).to.have.length.within(1_500, 2_060);
    expect(shown).to.match(/, \.\.\.$/);
  });

  it('are found in forms, and in urlencoded bodies', async () => {
    const reply = await upload(app, {
      file: 'a\n1\n',
      parts: { name: `form ${id()}`, projekt_id: '1', column_mapping: '{"inptu":["a"]}' },
    });
    expect(reply.status).to.equal(200);
    expect(ignoredOf(reply)).to.equal('projekt_id, column_mapping/inptu');
    const login = await app.client.send('POST', '/v2/login', {
      body: 'username=nobody%40example.org&password=wrong-password&scope=x',
      headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
    });
    expect([login.status, ignoredOf(login)]).to.deep.equal([401, 'scope']);
  });

  it('are ignored in changes of traces and spans as well, whatever their value', async () => {
    const [trace, span] = [id(), id()];
    await post('/traces', { traces: [{ id: trace, spans: [{ type: 'tool', id: span }] }] });
    for (const path of [`traces/${trace}`, `spans/${span}`]) {
      const reply = await app.client.send('PATCH', `${root}/${path}`, {
        body: '{"otuput":1e999,"output":"b"}',
      });
      expect([reply.status, ignoredOf(reply)], path).to.deep.equal([200, 'otuput']);
    }
    const logged = await post('/traces', '{"traces":[{"x":1e999,"input":"a"}]}');
    expect(logged.status).to.equal(200);
  });

  it('include columns that a dataset edit creates, which are rejected when strict', async () => {
    const { body: dataset } = await upload(app, { file: 'a,b\n1,2\n', parts: { name: id() } });
    const path = `/v2/datasets/${dataset.id}/content`;
    const edit = (values: object, headers: Readonly<Record<string, string>> = {}) =>
      app.client.send('PATCH', path, {
        body: { edits: [{ edit_type: 'append_row', values }] },
        headers,
      });
    expectInvalid(
      await edit({ a: 1, 'b ö': 1 }, strict),
      ['body', 'edits', '0', 'values', 'b ö'],
      'extra_forbidden',
    );
    expect((await edit({ a: 1 }, strict)).status).to.equal(204);
    const made = await edit({ a: 2, 'b ö': 1, c: 1 });
    expect([made.status, made.headers['x-new-columns']]).to.deep.equal([204, 'b%20%C3%B6, c']);
    expect((await edit({ a: 3, c: 1 })).headers['x-new-columns']).to.equal(undefined);
    const { body } = await app.client.call<ContentPage>('GET', path);
    expect(body.column_names).to.deep.equal(['a', 'b', 'b ö', 'c']);
  });
});
