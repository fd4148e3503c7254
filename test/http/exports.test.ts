import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { expect } from 'chai';
import { sharedApp, type App } from '../support/app.js';
import { formRequest } from '../support/multipart-forms.js';
import { create, like, ratedProject, type RatedProject } from '../support/rated-project.js';

type Made = { readonly id: string };
type Page = { readonly records: readonly object[] };

/** The client makes null of an empty body. */
const linesOf = (text: string | null): readonly unknown[] =>
  (text ?? '')
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as unknown);

describe('exports of records over HTTP', () => {
  let app: App;
  let project: RatedProject;
  const ask = async (kind: string, what: string, body: object) =>
    app.client.send<string>('POST', project.at(`/${kind}/${what}`), { body });
  const exported = async (kind: string, body: object): Promise<string> => {
    const { status, body: text } = await ask(kind, 'export', body);
    expect(status, text).to.equal(200);
    return text;
  };
  before(async () => {
    app = await sharedApp();
    project = await ratedProject(app.client);
    const session_id = randomUUID();
    const traces = Array.from({ length: 7 }, (_, at) => ({
      id: randomUUID(),
      name: `t${at}`,
      session_id,
      input: at === 3 ? '=HYPERLINK("http://x")' : `in, ${at}`,
      output: at % 2 === 0 ? 'out' : undefined,
      tags: ['one', 'two'],
      user_metadata: { who: `u${at}` },
      metrics: at > 0 ? { reward: at / 10 } : {},
      spans: [{ type: 'llm', input: `q${at}`, output: 'a', metrics: { cost: 0.5 } }],
    }));
    const body = { log_stream_id: project.run, traces };
    await app.client.call('POST', project.at('/traces'), { body });
    const rated = traces.slice(0, 1).map(({ id }) => id);
    await project.bulk(
      [create(await project.template({ annotation_type: 'like_dislike' }), like)],
      rated,
    );
  });

  it('have the records of a search in its order, one a line', async () => {
    const selections = [
      {},
      { sort: { column_id: 'metrics/reward', ascending: true }, include_counts: true },
      { filters: [{ type: 'text', name: 'name', operator: 'one_of', value: ['t1', 't5'] }] },
      { log_stream_id: project.run, truncate_fields: true, end_time: '2000-01-01' },
    ];
    for (const kind of ['traces', 'spans', 'sessions']) {
      for (const selection of selections) {
        const found = (await ask(kind, 'search', selection)).body as unknown as Page;
        expect(linesOf(await exported(kind, selection)), kind).to.deep.equal(found.records);
      }
    }
    const { headers } = await ask('traces', 'export', {});
    expect(headers['content-type']).to.equal('application/x-ndjson; charset=utf-8');
    expect(headers['content-length']).to.equal(undefined);
    expect(headers['x-projection-position']).to.be.a('string');
  });

  it('have a CSV column for each member, metric and key of metadata', async () => {
    const body = { format: 'csv', sort: { column_id: 'name', ascending: true } };
    const { headers, body: text } = await ask('traces', 'export', body);
    expect(headers['content-type']).to.equal('text/csv; charset=utf-8');
    const lines = text.split('\r\n');
    expect(lines).to.have.lengthOf(9);
    const names = lines[0]?.split(',') ?? [];
    expect(names.slice(0, 3)).to.deep.equal(['type', 'id', 'project_id']);
    expect(names.slice(-3)).to.deep.equal(['metrics/cost', 'metrics/reward', 'user_metadata/who']);
    expect(names).to.include.members(['input', 'annotations', 'fully_annotated']);
    expect(names).not.to.include('metric_info');
    expect(lines[1]?.split(',').slice(-3)).to.deep.equal(['0.5', '', 'u0']);
    expect(lines[2]?.split(',').slice(-3)).to.deep.equal(['0.5', '0.1', 'u1']);
    expect(lines[1]).to.include('"in, 0"');
    expect(lines[4]).to.include(`"'=HYPERLINK(""http://x"")"`);
    expect(lines[1]).to.include('"[""one"",""two""]"');
    expect(await exported('traces', { ...body, formulas: 'keep' })).to.include(
      ',"=HYPERLINK(""http://x"")"',
    );
  });

  it('have a header and nothing else where nothing is found', async () => {
    const body = { format: 'csv', end_time: '2000-01-01' };
    const lines = (await exported('spans', body)).split('\r\n');
    expect(lines).to.have.lengthOf(2);
    expect(lines[0]).to.match(/,selector_path$/);
    expect(await exported('spans', { end_time: '2000-01-01' })).to.equal(null);
  });

  it('are refused before they begin, as a search is', async () => {
    const sort = { column_id: 'nothing' };
    const filters = [{ type: 'text', name: 'metrics/reward', operator: 'eq', value: 'x' }];
    for (const [status, body] of [
      [422, { sort }],
      [422, { filters }],
      [422, { format: 'xml' }],
      [422, { formulas: 'run' }],
      [404, { experiment_id: randomUUID() }],
    ] as const) {
      for (const format of ['jsonl', 'csv']) {
        expect((await ask('traces', 'export', { format, ...body })).status).to.equal(status);
      }
    }
    const nowhere = `/v2/projects/${randomUUID()}/traces/export`;
    expect((await app.client.send('POST', nowhere, { body: {} })).status).to.equal(404);
  });

  it('end visibly incomplete when their project is deleted meanwhile', async () => {
    const doomed = await ratedProject(app.client);
    const input = 'x'.repeat(900_000);
    for (let times = 0; times < 4; times += 1) {
      const traces = Array.from({ length: 8 }, () => ({ input }));
      const body = { log_stream_id: doomed.run, traces };
      await app.client.call('POST', doomed.at('/traces'), { body });
    }
    const asked = request(`${app.url}${doomed.at('/traces/export')}`, {
      method: 'POST',
      headers: { 'Service-API-Key': app.apiKey },
      agent: false,
    });
    asked.end();
    const [answer] = (await once(asked, 'response')) as [IncomingMessage];
    expect(answer.statusCode).to.equal(200);
    // Nothing is read yet, and no more is made than fits into the buffers of both ends.
    await app.client.call('DELETE', doomed.at(''));
    let bytes = 0;
    let end = '';
    answer.on('data', (part: Buffer) => {
      bytes += part.length;
      end = `${end}${String(part)}`.slice(-500);
    });
    const [error] = (await once(answer, 'error')) as [Error];
    expect(error.message).to.equal('aborted');
    expect(answer.complete).to.equal(false);
    expect(bytes).to.be.lessThan(32 * input.length);
    const last = end.trimEnd().split('\n').at(-1) ?? '';
    expect(last).to.match(/^\{"ended_early":\{"code":"not_found","detail":"Project not found"/);
  });

  it('require the permission `export_data`', async () => {
    const { body } = await app.client.call<{ permissions: { action: string; allowed: boolean }[] }>(
      'GET',
      project.at(''),
    );
    const promised = body.permissions.find(({ action }) => action === 'export_data');
    expect(promised?.allowed).to.equal(true);
  });
});

describe('exports of datasets over HTTP', () => {
  let app: App;
  before(async () => {
    app = await sharedApp();
  });
  const upload = async (fileName: string, content: string): Promise<string> => {
    const parts = [
      { name: 'name', content: `export ${randomUUID()}` },
      { name: 'file', content, fileName },
    ];
    return (await app.client.call<Made>('POST', '/v2/datasets', formRequest(parts))).body.id;
  };
  const file = async (id: string, query = ''): Promise<string> =>
    (await app.client.call<string>('GET', `/v2/datasets/${id}/content/export${query}`)).body;

  it('return what was uploaded, as CSV and JSON Lines', async () => {
    const jsonl =
      '{"b":"x, \\"y\\"","c":1.5,"a":{"k":"v","n":null}}\n{"b":null,"c":-3,"a":"=1+1"}\n';
    const id = await upload('rows.jsonl', jsonl);
    expect(await file(id)).to.equal(jsonl);
    expect(await file(id, '?format=csv')).to.equal(
      'b,c,a\r\n"x, ""y""",1.5,"{""k"":""v"",""n"":null}"\r\n,-3,\'=1+1\r\n',
    );
    const kept = await file(id, '?format=csv&formulas=keep');
    expect(kept).to.match(/,-3,=1\+1\r\n$/);
    const csv = 'q,a\r\n-5,two words\r\n"1,5",=x\r\n';
    expect(await file(await upload('rows.csv', csv), '?format=csv&formulas=keep')).to.equal(csv);
  });

  it('have any version, many rows, and require a reader of the dataset', async () => {
    const many = Array.from({ length: 1_500 }, (_, at) => `{"n":${at}}\n`).join('');
    const id = await upload('many.jsonl', many);
    expect(await file(id)).to.equal(many);
    await app.client.call('PATCH', `/v2/datasets/${id}/content`, {
      body: { edits: [{ edit_type: 'append_row', values: { n: 'last' } }] },
    });
    expect(await file(id)).to.equal(`${many}{"n":"last"}\n`);
    expect(await file(id, '?version_index=1')).to.equal(many);
    const status = async (path: string): Promise<number> =>
      (await app.client.send('GET', path)).status;
    expect(await status(`/v2/datasets/${id}/content/export?version_index=9`)).to.equal(404);
    expect(await status(`/v2/datasets/${id}/content/export?version_index=0`)).to.equal(422);
    expect(await status(`/v2/datasets/${randomUUID()}/content/export`)).to.equal(404);
  });
});
