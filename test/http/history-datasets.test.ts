import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { startApp, type App } from '../support/app.js';
import { upload, type ContentPage } from '../support/datasets.js';

type Rows = Readonly<Record<string, Readonly<Record<string, unknown>> | null>>;
type Change = { readonly rows?: Rows; readonly current_version_index?: number } | null;
type Entry = { readonly event_type: string; readonly before: Change; readonly after: Change };

/** A text as the history shows it. */
const shown = (text: string) => ({
  sha256: createHash('sha256').update(text).digest('hex'),
  bytes: Buffer.byteLength(text),
});

describe('the history of a dataset', () => {
  let app: App;
  before(async () => {
    app = await startApp();
  });
  after(() => app.close());

  const versionsOf = async (id: string): Promise<readonly Entry[]> => {
    const { body } = await app.client.call<{ entries: readonly Entry[] }>(
      'GET',
      `/v2/history/dataset/${id}`,
    );
    return body.entries.filter(({ event_type }) => event_type === 'DatasetContentChanged');
  };
  const edited = (id: string, ...edits: readonly object[]) =>
    app.client.call('PATCH', `/v2/datasets/${id}/content`, { body: { edits } });
  const rowsOf = async (id: string) =>
    (await app.client.call<ContentPage>('GET', `/v2/datasets/${id}/content`)).body.rows;

  it('shows which rows a version changed, cell by cell, without texts', async () => {
    const file = 'question,answer\ncanary one,1\ncanary two,2\nthree,\n';
    const { id } = (await upload(app, { file, parts: { name: 'rows in history' } })).body;
    const [one, two, three] = (await rowsOf(id)).map(({ row_id }) => row_id);
    if (one === undefined || two === undefined || three === undefined) return expect.fail();
    await edited(
      id,
      { edit_type: 'update_row', row_id: two, values: { answer: 'canary new' } },
      { edit_type: 'delete_row', row_id: three },
      { edit_type: 'append_row', values: { question: 'four' } },
    );
    const four = (await rowsOf(id)).at(-1)?.row_id ?? '';
    await edited(id, { edit_type: 'remove_column', column_name: 'answer' });
    const [first, second, third] = await versionsOf(id);
    expect(Object.keys(first?.after?.rows ?? {})).to.deep.equal([one, two, three]);
    expect(first?.after?.rows?.[one]).to.deep.include({ question: shown('canary one') });
    expect(first?.before?.rows).to.deep.equal({ [one]: null, [two]: null, [three]: null });
    expect(second?.before).to.deep.include({ current_version_index: 1 });
    const before = second?.before?.rows ?? {};
    const after = second?.after?.rows ?? {};
    expect(Object.keys(after)).to.have.members([two, three, four]);
    expect(Object.keys(after[two] ?? {})).to.deep.equal(['answer']);
    expect(after[two]?.['answer']).to.deep.equal(shown('canary new'));
    expect([after[three], before[four]]).to.deep.equal([null, null]);
    expect(before[three]).to.deep.equal({ question: shown('three'), answer: shown('') });
    expect(after[four]).to.deep.equal({ question: shown('four') });
    // A column is no row: the version says it by its names.
    expect(third?.after).to.not.have.property('rows');
    expect(JSON.stringify([first, second, third])).to.not.include('canary');
  });

  it('shows at most 200 rows of a version', async () => {
    const file = `n\n${Array.from({ length: 950 }, (_, at) => `row ${at}`).join('\n')}\n`;
    const { id } = (await upload(app, { file, parts: { name: 'many rows' } })).body;
    const ids = (await rowsOf(id)).map(({ row_id }) => row_id);
    const [version] = await versionsOf(id);
    expect(Object.keys(version?.after?.rows ?? {})).to.have.length(200);
    await edited(id, { edit_type: 'update_row', row_id: ids[3] ?? '', values: { n: 'new' } });
    const [, second] = await versionsOf(id);
    expect(Object.keys(second?.after?.rows ?? {})).to.deep.equal([ids[3]]);
  });
});
