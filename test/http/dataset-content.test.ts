import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { sharedApp, type App } from '../support/app.js';
import type { Client } from '../support/client.js';
import { upload, valuesOf, type ContentPage, type DatasetRecord } from '../support/datasets.js';
import { expectInvalid, expectRefused, keyRing, type KeyRing } from '../support/key-ring.js';

const csv = 'question,answer\nq1,a1\nq2,a2\nq3,a3\n';
const unique = (name: string): string => `${name} ${randomUUID()}`;
type Version = {
  readonly version_index: number;
  readonly name: string;
  readonly [member: string]: unknown;
};

describe('dataset content over HTTP', () => {
  let app: App;
  let keys: KeyRing;
  before(async () => {
    app = await sharedApp();
    keys = keyRing(app);
  });
  after(() => keys.close());

  const at = (id: string, rest = '/content') => `/v2/datasets/${id}${rest}`;
  const made = async (file = csv, parts: Record<string, string> = {}): Promise<DatasetRecord> => {
    const reply = await upload(app, { file, parts: { name: unique('content'), ...parts } });
    expect(reply.status, JSON.stringify(reply.body)).to.equal(200);
    return reply.body;
  };
  const read = async (id: string, rest?: string): Promise<ContentPage> =>
    (await app.client.call<ContentPage>('GET', at(id, rest))).body;
  const values = async (id: string, rest?: string) => valuesOf(await read(id, rest));
  const edit = (
    id: string,
    edits: readonly object[],
    headers: Record<string, string> = {},
    as: Client = app.client,
  ) => as.send('PATCH', at(id), { body: { edits }, headers });
  const put = (id: string, body: object, headers: Record<string, string> = {}) =>
    app.client.send('PUT', at(id), { body, headers });
  const rowIds = async (id: string) => (await read(id)).rows.map(({ row_id }) => row_id);
  const record = async (id: string) =>
    (await app.client.call<DatasetRecord>('GET', at(id, ''))).body;

  describe('GET', () => {
    it('has rows in pages, each with its cells and its history', async () => {
      const { id } = await made();
      const page = await read(id, '/content?starting_token=1&limit=1');
      const { rows, ...rest } = page;
      expect(rest).to.deep.equal({
        starting_token: 1,
        limit: 1,
        paginated: true,
        next_starting_token: 2,
        column_names: ['question', 'answer'],
        warning_message: null,
      });
      const [{ row_id: row, metadata, ...cells }] = rows as [ContentPage['rows'][number]];
      expect(row).to.match(/^[0-9a-f-]{36}$/);
      expect(cells).to.deep.equal({
        index: 1,
        values: ['q2', 'a2'],
        values_dict: { question: 'q2', answer: 'a2' },
      });
      expect(metadata).to.deep.include({ created_in_version: 1, updated_in_version: 1 });
      expect(metadata['created_by_user']).to.deep.include({ email: 'admin@localhost' });
      expect(await values(id, '/content?starting_token=9')).to.deep.equal([]);
    });
  });

  describe('PATCH', () => {
    it('says what a cell may be when something else is sent', async () => {
      const { id } = await made();
      const place = ['body', 'edits', '0', 'values', 'a'];
      const cell =
        'Value error, a cell is a string, a finite number, null or a flat object of these';
      const member = 'Value error, inside a cell there are strings, finite numbers and null';
      for (const [sent, loc, msg] of [
        ['true', place, cell],
        ['[1]', place, cell],
        ['1e999', place, cell],
        ['{"b":false}', [...place, 'b'], member],
        ['{"b":{}}', [...place, 'b'], member],
        ['{"b":-1e999}', [...place, 'b'], member],
      ] as const) {
        const body = `{"edits":[{"edit_type":"append_row","values":{"a":${sent}}}]}`;
        const reply = await app.client.send('PATCH', at(id), { body });
        expectInvalid(reply, loc, 'value_error', msg);
      }
    });

    it('applies edits in order as one version', async () => {
      const { id } = await made();
      const [first = '', second = '', third = ''] = await rowIds(id);
      const mine = randomUUID();
      const reply = await edit(id, [
        { edit_type: 'append_row', values: { question: 'q4', note: { a: 1, b: null } } },
        { edit_type: 'prepend_row', values: { answer: 5 }, row_id: mine },
        { edit_type: 'update_row', row_id: first, values: { answer: 'A1' } },
        { edit_type: 'delete_row', row_id: second },
        { edit_type: 'rename_column', column_name: 'answer', new_column_name: 'reply' },
        { edit_type: 'update_row', row_id: mine, values: { reply: 6 } },
      ]);
      expect([reply.status, reply.body]).to.deep.equal([204, null]);
      const after = await app.client.call<ContentPage>('GET', at(id));
      expect(after.headers.etag).to.equal(reply.headers.etag);
      expect(after.body.column_names).to.deep.equal(['question', 'reply', 'note']);
      expect(valuesOf(after.body)).to.deep.equal([
        [null, 6, null],
        ['q1', 'A1', null],
        ['q3', 'a3', null],
        ['q4', null, { a: 1, b: null }],
      ]);
      expect((await rowIds(id)).slice(0, 3)).to.deep.equal([mine, first, third]);
      const history = after.body.rows.map(({ metadata }) => [
        metadata['created_in_version'],
        metadata['updated_in_version'],
      ]);
      expect(history).to.deep.equal([
        [2, 2],
        [1, 2],
        [1, 1],
        [2, 2],
      ]);
      expect(await record(id)).to.deep.include({
        num_rows: 4,
        current_version_index: 2,
        column_names: ['question', 'reply', 'note'],
      });
    });

    it('keeps only the rows it is given, and removes columns with their mapping', async () => {
      const mapping = { input: ['question'], output: ['answer'], mgt: { bleu: ['answer'] } };
      const { id } = await made(csv, { column_mapping: JSON.stringify(mapping) });
      const [, second = ''] = await rowIds(id);
      await edit(id, [
        { edit_type: 'filter_rows', row_ids: [second] },
        { edit_type: 'remove_column', column_name: 'answer' },
        { edit_type: 'rename_column', column_name: 'question', new_column_name: 'q' },
      ]);
      expect(await values(id)).to.deep.equal([['q2']]);
      expect((await record(id)).column_mapping).to.deep.equal({
        input: { columns: ['q'], flatten: false },
        output: null,
        generated_output: null,
        metadata: null,
        mgt: null,
      });
    });

    it('does all or nothing: unknown rows and columns are 422', async () => {
      const { id } = await made();
      const [first = ''] = await rowIds(id);
      const append = { edit_type: 'append_row', values: { question: 'x' } };
      for (const [bad, ...loc] of [
        [{ edit_type: 'delete_row', row_id: randomUUID() }, 'row_id'],
        [{ edit_type: 'update_row', row_id: randomUUID(), values: {} }, 'row_id'],
        [{ edit_type: 'filter_rows', row_ids: [first, randomUUID()] }, 'row_ids', '1'],
        [{ edit_type: 'remove_column', column_name: 'x' }, 'column_name'],
        [{ edit_type: 'rename_column', column_name: 'x', new_column_name: 'y' }, 'column_name'],
        [
          { edit_type: 'rename_column', column_name: 'answer', new_column_name: 'question' },
          'new_column_name',
        ],
        [{ ...append, row_id: first }, 'row_id'],
      ] as const) {
        const reply = await edit(id, [append, bad]);
        expectInvalid(reply, ['body', 'edits', '1', ...loc], 'value_error');
      }
      expect((await record(id)).current_version_index).to.equal(1);
      const deep = { ...append, values: { a: { b: {} } } };
      expect((await edit(id, [deep])).status).to.equal(422);
      expectInvalid(await edit(id, []), ['body', 'edits'], 'too_short');
      const many = Array.from({ length: 1_001 }, () => append);
      expectInvalid(await edit(id, many), ['body', 'edits'], 'too_long');
      expectInvalid(
        await edit(id, [{ edit_type: 'paint_row' }]),
        ['body', 'edits', '0'],
        'union_tag_invalid',
      );
    });

    it('makes no version when nothing changes', async () => {
      const { id } = await made();
      const [first = ''] = await rowIds(id);
      const same = [{ edit_type: 'update_row', row_id: first, values: { question: 'q1' } }];
      expect((await edit(id, same)).status).to.equal(204);
      expect((await record(id)).current_version_index).to.equal(1);
    });

    it('has one winner under If-Match, no lost edit without, one effect under a key', async () => {
      const { id } = await made();
      const { etag = '' } = (await app.client.call('GET', at(id))).headers;
      const append = (text: string) => [{ edit_type: 'append_row', values: { question: text } }];
      const races = await Promise.all(
        Array.from({ length: 6 }, (_, one) => edit(id, append(`if ${one}`), { 'If-Match': etag })),
      );
      const statuses = races.map(({ status }) => status).sort((one, other) => one - other);
      expect(statuses).to.deep.equal([204, ...Array<number>(5).fill(412)]);
      const many = Array.from({ length: 20 }, (_, one) => edit(id, append(`free ${one}`)));
      const free = await Promise.all(many);
      expect(free.map(({ status }) => status)).to.deep.equal(Array<number>(20).fill(204));
      expect((await read(id)).rows).to.have.length(24);
      const key = { 'Idempotency-Key': randomUUID() };
      for (let time = 0; time < 2; time += 1) await edit(id, append('keyed'), key);
      expect((await read(id)).rows).to.have.length(25);
    });

    it('answers 404 out of sight, 403 to a caller who can only read', async () => {
      const project = await keys.project(unique('content'));
      const { id } = await made(csv, { project_id: project });
      const edits = [{ edit_type: 'remove_column', column_name: 'answer' }];
      const viewer = await keys.make({ project_id: project, project_role: 'viewer' });
      expectRefused(await edit(id, edits, {}, viewer.as), 403, 'forbidden');
      const forbidden = await viewer.as.send('PUT', at(id), { body: { rollback_version: 1 } });
      expectRefused(forbidden, 403, 'forbidden');
      expectRefused(await edit(randomUUID(), edits), 404, 'not_found');
      for (const rest of ['/content', '/versions/1/content']) {
        expectRefused(await app.client.send('GET', at(randomUUID(), rest)), 404, 'not_found');
      }
    });
  });

  describe('versions', () => {
    const versions = async (id: string, query = '', body: object = {}) =>
      (
        await app.client.call<{ versions: readonly Version[]; next_starting_token: number | null }>(
          'POST',
          at(id, `/versions/query${query}`),
          { body },
        )
      ).body;

    it('stay readable, are listed newest first, and say what changed', async () => {
      const { id, name } = await made();
      const [first = '', second = ''] = await rowIds(id);
      await edit(id, [
        { edit_type: 'delete_row', row_id: first },
        { edit_type: 'update_row', row_id: second, values: { answer: 'x' } },
        { edit_type: 'append_row', values: { extra: 1 } },
        { edit_type: 'append_row', values: {} },
        { edit_type: 'remove_column', column_name: 'question' },
        { edit_type: 'rename_column', column_name: 'answer', new_column_name: 'reply' },
      ]);
      await app.client.call('PATCH', at(id, ''), { body: { name: unique('renamed') } });
      const listed = await versions(id);
      const [{ created_at: _at, created_by_user: user, ...newest } = {} as Version, oldest] =
        listed.versions;
      expect(user).to.deep.include({ email: 'admin@localhost' });
      expect(newest).to.deep.equal({
        version_index: 2,
        name,
        num_rows: 4,
        column_names: ['reply', 'extra'],
        rows_added: 2,
        rows_removed: 1,
        rows_edited: 1,
        columns_added: 1,
        columns_removed: 1,
        columns_renamed: 1,
      });
      expect(oldest).to.deep.include({ version_index: 1, rows_added: 3, columns_added: 2 });
      expect(await values(id, '/versions/1/content')).to.deep.equal([
        ['q1', 'a1'],
        ['q2', 'a2'],
        ['q3', 'a3'],
      ]);
      const [second2] = (await versions(id, '?limit=1', { starting_token: 1 })).versions;
      expect(second2?.version_index).to.equal(1);
      expectRefused(await app.client.send('GET', at(id, '/versions/3/content')), 404, 'not_found');
      const nowhere = at(randomUUID(), '/versions/query');
      expectRefused(await app.client.send('POST', nowhere), 404, 'not_found');
    });

    it('are read, like records, as of a position or a date-time', async () => {
      const { id, name, created_at: began } = await made();
      const [first = ''] = await rowIds(id);
      const edited = await edit(id, [{ edit_type: 'delete_row', row_id: first }]);
      const renamed = await app.client.call<DatasetRecord>('PATCH', at(id, ''), {
        body: { name: unique('later') },
      });
      const asOf = async <T>(when: string, rest: string) =>
        app.client.send<T>('GET', at(id, `${rest}?as_of=${encodeURIComponent(when)}`));
      const then = await asOf<DatasetRecord>(edited.position ?? '', '');
      expect(then.body).to.deep.include({ name, num_rows: 2, current_version_index: 2 });
      expect(then.position).to.equal(edited.position);
      const rows = await asOf<ContentPage>(began, '/content');
      expect(valuesOf(rows.body)).to.have.length(3);
      expect(String(rows.position) < String(edited.position)).to.equal(true);
      const now = await asOf<DatasetRecord>(renamed.body.updated_at, '');
      expect(now.body).to.deep.equal(renamed.body);
      for (const rest of ['', '/content']) {
        expectRefused(await asOf('0000000000000001', rest), 404, 'not_found');
        expectRefused(await asOf('2001-01-01', rest), 404, 'not_found');
        for (const when of ['ffffffffffffffff', 'yesterday', '']) {
          expectInvalid(await asOf(when, rest), ['query', 'as_of'], 'value_error');
        }
      }
    });

    it('are restored by PUT, which does nothing the second time', async () => {
      const { id } = await made();
      const [first = ''] = await rowIds(id);
      await edit(id, [
        { edit_type: 'delete_row', row_id: first },
        { edit_type: 'rename_column', column_name: 'answer', new_column_name: 'reply' },
      ]);
      const { etag = '' } = (await app.client.call('GET', at(id))).headers;
      const back = await put(id, { rollback_version: 1 }, { 'If-Match': etag });
      expect(back.status).to.equal(204);
      expect(await values(id)).to.deep.equal(await values(id, '/versions/1/content'));
      expect((await rowIds(id))[0]).to.equal(first);
      expect((await versions(id)).versions[0]).to.deep.include({
        version_index: 3,
        rows_added: 1,
        rows_removed: 0,
        columns_renamed: 1,
      });
      const again = await put(id, { rollback_version: 1 });
      expect(again.headers.etag).to.equal(back.headers.etag);
      expectRefused(
        await put(id, { rollback_version: 2 }, { 'If-Match': etag }),
        412,
        'precondition_failed',
      );
    });

    it('are copied by PUT from another dataset too', async () => {
      const { id } = await made();
      const other = await made('answer,more\nx,y\n');
      const wanted = { dataset_id: other.id, version_index: 1 };
      expect((await put(id, wanted)).status).to.equal(204);
      expect(await read(id)).to.deep.include({ column_names: ['answer', 'more'] });
      expect(await values(id)).to.deep.equal([['x', 'y']]);
      expect((await versions(id)).versions[0]).to.deep.include({
        rows_added: 1,
        rows_removed: 3,
        columns_added: 1,
        columns_removed: 1,
      });
      const { position } = await put(id, wanted);
      expect((await put(id, wanted)).position).to.equal(position);
    });

    it('answer 422 if unknown, 404 for an invisible dataset', async () => {
      const { id } = await made();
      for (const [body, loc, type] of [
        [{ rollback_version: 2 }, ['body', 'rollback_version'], 'value_error'],
        [{ rollback_version: -1 }, ['body', 'rollback_version'], 'value_error'],
        [{ dataset_id: id, version_index: 2 }, ['body', 'version_index'], 'value_error'],
        [{}, ['body', 'rollback_version'], 'missing'],
        [{ dataset_id: id }, ['body', 'version_index'], 'missing'],
        [{ rollback_version: 1, dataset_id: id }, ['body'], 'value_error'],
      ] as const) {
        expectInvalid(await put(id, body), loc, type);
      }
      const nowhere = { dataset_id: randomUUID(), version_index: 1 };
      expectRefused(await put(id, nowhere), 404, 'not_found');
      expectRefused(await put(randomUUID(), { rollback_version: 1 }), 404, 'not_found');
    });
  });
});
