import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { sharedApp, type App } from '../support/app.js';
import { upload, valuesOf, type ContentPage, type DatasetRecord } from '../support/datasets.js';
import type { Client } from '../support/client.js';
import { pollUntil } from '../support/poll-until.js';
import { expectInvalid, expectRefused, keyRing, type KeyRing } from '../support/key-ring.js';

const csv = 'question,answer,tox\nq1,a1,0.1\nq2,"a\n2",0.2\n';
const unique = (name: string): string => `${name} ${randomUUID()}`;

describe('making datasets over HTTP', () => {
  let app: App;
  let keys: KeyRing;
  let project: string;
  before(async () => {
    app = await sharedApp();
    keys = keyRing(app);
    project = await keys.project(unique('datasets'));
  });
  after(() => keys.close());

  const at = (id: string, rest = '') => `/v2/datasets/${id}${rest}`;
  const made = async (): Promise<DatasetRecord> =>
    (await upload(app, { file: csv, parts: { name: unique('made') } })).body;
  const content = async (id: string) =>
    (await app.client.call<ContentPage>('GET', at(id, '/content'))).body;
  const get = (id: string, as: Client = app.client) => as.send<DatasetRecord>('GET', at(id));
  const bound = (role: string) => keys.make({ project_id: project, project_role: role });

  describe('POST', () => {
    it('answers the record as it is read afterwards', async () => {
      const name = unique('of a file');
      const reply = await upload(app, {
        file: csv,
        parts: { name, draft: 'true', project_id: project },
      });
      const { id, created_at: time, updated_at, created_by_user: user, ...rest } = reply.body;
      expect(rest).to.deep.equal({
        name,
        project_count: 1,
        num_rows: 2,
        column_names: ['question', 'answer', 'tox'],
        current_version_index: 1,
        draft: true,
        permissions: ['update', 'delete', 'share', 'export', 'rename'].map((action) => ({
          action,
          allowed: true,
          message: null,
        })),
        column_mapping: null,
      });
      expect(updated_at).to.equal(time);
      expect(user).to.deep.include({ email: 'admin@localhost' });
      const read = await get(id);
      expect(read.body).to.deep.equal(reply.body);
      expect(read.headers.etag).to.match(/^"[^"]+"$/);
    });

    it('detects CSV, JSON Lines and JSON by parameter, file ending or content', async () => {
      const json = '[{"a":1,"b":{"c":true,"d":[1]}},\n{"b":null,"e":[1,{"f":2}]}]';
      const rows = [
        [1, { c: 'true', d: '[1]' }, null],
        [null, null, '[1,{"f":2}]'],
      ];
      const jsonl = `${json.slice(1, -1).replace('},\n{"b"', '}\n\n{"b"')}\n`;
      for (const [file, fileName, query] of [
        [json, 'x.json', ''],
        [json, 'x', ''],
        [json, 'x.csv', '?format=json'],
        [jsonl, 'x.jsonl', ''],
        [`\ufeff${jsonl}`, 'x', ''],
        [jsonl, 'x.json', '?format=jsonl'],
      ] as const) {
        const { body } = await upload(app, { file, fileName, query, parts: { name: unique('f') } });
        expect(body.column_names, `${fileName}${query}`).to.deep.equal(['a', 'b', 'e']);
        expect(valuesOf(await content(body.id))).to.deep.equal(rows);
      }
      const { body } = await upload(app, {
        file: '\ufeffa,b\r\n"x, ""y""",\r\n1\r\n',
        parts: { name: unique('f') },
      });
      expect(valuesOf(await content(body.id))).to.deep.equal([
        ['x, "y"', ''],
        ['1', null],
      ]);
    });

    it('is named after the file by default, with a suffix when the name is taken', async () => {
      const base = unique('file');
      const names = [];
      for (let time = 0; time < 3; time += 1) {
        const { body } = await upload(app, {
          file: csv,
          fileName: `${base}.csv`,
          parts: { append_suffix_if_duplicate: 'true' },
        });
        names.push(body.name);
      }
      expect(names).to.deep.equal([base, `${base} (1)`, `${base} (2)`]);
      expectRefused(
        await upload(app, { file: csv, fileName: `${base}.csv` }),
        409,
        'already_exists',
      );
      expectInvalid(await upload(app), ['body', 'name'], 'missing');
    });

    it('refuses a bad row with its line, and stores nothing', async () => {
      for (const [file, fileName, sentence] of [
        ['a,b\n1,2\n1,2,3\n', 'x.csv', 'line 3 has 3 cells, but there are 2 columns'],
        ['a,a\n', 'x.csv', "line 1 names the column 'a' twice"],
        ['a,\n1,2', 'x.csv', 'line 1 has a column without a name'],
        ['a\n"1\n', 'x.csv', undefined],
        ['a\nb "c"\n', 'x.csv', 'line 2 is not CSV: its quotes do not match'],
        ['{"a":1}\n{"a":\n', 'x.jsonl', 'line 2 is not JSON'],
        ['{"a":1}\n\n7\n', 'x.jsonl', 'line 3 is not an object'],
        ['[{"a":1},\n\n 7]', 'x.json', 'line 3 is not an object'],
        ['[{"a":1},\n\n', 'x.json', undefined],
        ['{"a":1}\n{"a":-1e999}\n', 'x.jsonl', 'line 2 has a number that is too large'],
        ['[{"a":1},\n{"a":{"b":1e999}}]', 'x.json', 'line 2 has a number that is too large'],
        ['{"a":{"b":[{"c":1e999}]}}', 'x.jsonl', 'line 1 has a number that is too large'],
        ['{"":1}', 'x.jsonl', 'line 1 has a column without a name'],
        [Buffer.from([0x61, 0x0a, 0xff]), 'x.csv', 'line 2 is not UTF-8'],
      ] as const) {
        const name = unique('bad');
        const reply = await upload(app, { file, fileName, parts: { name } });
        const msg = sentence && `Value error, ${sentence}`;
        expectInvalid(reply, ['body', 'file'], 'value_error', msg);
        const again = await upload(app, { file: csv, parts: { name } });
        expect(again.status).to.equal(200);
      }
    });

    it('refuses adversarial files without delaying other requests', async () => {
      const many = 3_000_000;
      for (const [file, fileName, sentence] of [
        [
          ','.repeat(many),
          'x.csv',
          'line 1 has more cells than the 500 columns that a dataset may have',
        ],
        [
          `a\n${','.repeat(many)}`,
          'x.csv',
          'line 2 has more cells than the 500 columns that a dataset may have',
        ],
        [`[{"a":${'['.repeat(many)}`, 'x.json', 'line 1 is nested deeper than 128 levels'],
        [
          `{"a":1}\n{"a":${'['.repeat(200)}${']'.repeat(200)}}`,
          'x.jsonl',
          'line 2 is nested deeper than 128 levels',
        ],
        ['-'.repeat(many), 'x.csv', 'line 1 has a column name of more than 255 characters'],
        [`[${'{},'.repeat(many / 3)}{}]`, 'x.json', 'a dataset has at most 100000 rows'],
      ] as const) {
        const [reply, other] = await Promise.all([
          upload(app, { file, fileName, parts: { name: unique('hard') } }),
          app.client.send('GET', '/v2/healthcheck'),
        ]);
        expectInvalid(reply, ['body', 'file'], 'value_error', `Value error, ${sentence}`);
        expect(other.status).to.equal(200);
      }
    });

    it('copies a version of another dataset, or makes an empty one', async () => {
      const { id } = await made();
      const copy = await upload(app, { parts: { name: unique('copy'), copy_from_dataset_id: id } });
      expect(valuesOf(await content(copy.body.id))).to.deep.equal(valuesOf(await content(id)));
      expectInvalid(
        await upload(app, {
          parts: {
            name: unique('copy'),
            copy_from_dataset_id: id,
            copy_from_dataset_version_index: '2',
          },
        }),
        ['body', 'copy_from_dataset_version_index'],
        'value_error',
      );
      const from = { name: unique('copy'), copy_from_dataset_id: randomUUID() };
      expectRefused(await upload(app, { parts: from }), 404, 'not_found');
      const empty = await upload(app, { parts: { name: unique('empty') } });
      expect(empty.body).to.deep.include({ num_rows: 0, column_names: [] });
      expect((await content(empty.body.id)).rows).to.deep.equal([]);
    });

    it('has one effect under one key, rows included', async () => {
      const headers = { 'Idempotency-Key': randomUUID() };
      const asked = { file: csv, headers, parts: { name: unique('keyed') } };
      const [first, again] = [await upload(app, asked), await upload(app, asked)];
      expect(again.body).to.deep.equal(first.body);
      expect(again.headers['idempotency-replayed']).to.equal('true');
      const other = await upload(app, { ...asked, file: `${csv}x,y,z\n` });
      expectInvalid(other, ['header', 'Idempotency-Key'], 'value_error');
    });

    it('is open to editors of the project, and to their keys bound to it', async () => {
      const { as } = await bound('editor');
      const own = await upload(app, { as, file: csv, parts: { name: unique('bound') } });
      expect(own.body.project_count).to.equal(1);
      expect((await get(own.body.id, as)).status).to.equal(200);
      const other = await keys.project(unique('other'));
      const parts = { name: unique('bound'), project_id: other };
      expectRefused(await upload(app, { as, file: csv, parts }), 404, 'not_found');
      const viewer = await bound('viewer');
      const asked = { as: viewer.as, file: csv, parts: { name: unique('bound') } };
      expectRefused(await upload(app, asked), 403, 'forbidden');
    });

    it('takes up to 100,000 rows, 500 columns and 32 MiB', async function () {
      // Five large files; a machine with much else to do takes its time.
      const lines = (count: number) => `a,b\n${'1,2\n'.repeat(count)}`;
      const wide = (count: number) => Array.from({ length: count }, (_, one) => `c${one}`).join();
      const largest = await upload(app, { file: lines(100_000), parts: { name: unique('rows') } });
      expect(largest.body).to.deep.include({ num_rows: 100_000 });
      const lastRow = at(largest.body.id, '/content?starting_token=99999');
      // A read waits for 2 s at most, and this is much to fold.
      await pollUntil('it is read', 60_000, async () => {
        return (await app.client.send('GET', lastRow)).status === 200;
      });
      const { body } = await app.client.call<ContentPage>('GET', lastRow);
      expect(body.rows.map(({ index }) => index)).to.deep.equal([99_999]);
      const far = JSON.stringify({ c499: 1 });
      const sparse = await upload(app, {
        file: `${JSON.stringify(
          Object.fromEntries(
            wide(500)
              .split(',')
              .map((one) => [one, 1]),
          ),
        )}\n${far}`,
        fileName: 'x.jsonl',
        parts: { name: unique('columns') },
      });
      expect(sparse.body.column_names).to.have.length(500);
      const [, last] = (await content(sparse.body.id)).rows;
      expect(last?.values.filter((one) => one !== null)).to.deep.equal([1]);
      for (const file of [lines(100_001), wide(501)]) {
        const reply = await upload(app, { file, parts: { name: unique('more') } });
        expectInvalid(reply, ['body', 'file'], 'value_error');
      }
      const huge = Buffer.alloc(33_554_433, 'x');
      expectRefused(await upload(app, { file: huge }), 413, 'payload_too_large');
    });
  });
});
