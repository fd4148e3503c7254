import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { assert, asyncProperty, constantFrom, uniqueArray } from 'fast-check';
import { sharedApp, type App } from '../support/app.js';
import { upload, type ContentPage, type DatasetRecord } from '../support/datasets.js';
import { expectInvalid, keyRing, type KeyRing } from '../support/key-ring.js';
import { drawSeed } from '../support/test-environment.js';
import { runs } from '../support/runs.js';

type Members = Readonly<Record<string, unknown>>;
type TraceRead = { readonly metrics: Members; readonly user_metadata: Members };

/** Names that some language, query or copy reads as more than a name. */
const odd = [
  '__proto__',
  'constructor',
  'toString',
  '$x',
  '$where',
  'a.b',
  'a/b',
  ' ',
  '-',
  '\u{1f389}',
];
const names = uniqueArray(constantFrom(...odd), { minLength: 1, maxLength: odd.length });

/** Own members, in an order of their names. */
const own = (members: unknown) =>
  Object.entries(members as Members).sort(([a], [b]) => (a < b ? -1 : 1));
const mapOf = (keys: readonly string[], value: (at: number) => unknown): Members =>
  Object.fromEntries(keys.map((name, at) => [name, value(at)]));

describe('names that clients choose', () => {
  let app: App;
  let keys: KeyRing;
  let project: string;
  let dataset: string;
  before(async () => {
    app = await sharedApp();
    keys = keyRing(app);
    project = await keys.project(`odd names ${randomUUID()}`);
    const parts = { name: `odd names ${randomUUID()}` };
    dataset = (await upload(app, { file: 'input\nx\n', parts })).body.id;
  });
  after(() => keys.close());

  const ask = async <T>(
    method: 'GET' | 'PATCH' | 'POST',
    path: string,
    body?: object,
  ): Promise<T> => {
    const reply = await app.client.send<T>(method, path, body === undefined ? {} : { body });
    expect(reply.status, JSON.stringify(reply.body)).to.be.lessThan(300);
    return reply.body;
  };
  const edit = (values: Members) => ({ edits: [{ edit_type: 'append_row', values }] });
  const mapping = (mgt: Members) => ({ column_mapping: { mgt } });
  const trace = (maps: object) => ({ traces: [{ input: 'a', ...maps }] });
  const at = (rest = '') => `/v2/datasets/${dataset}${rest}`;

  const cells = async (chosen: readonly string[]): Promise<void> => {
    const values = mapOf(chosen, (place) =>
      place % 2 === 0 ? `t${place}` : mapOf([...chosen, ''], Number),
    );
    await ask('PATCH', at('/content'), edit(values));
    const { column_names, rows } = await ask<ContentPage>('GET', at('/content?limit=1000'));
    expect(column_names).to.include.members([...chosen]);
    const read = own(rows.at(-1)?.values_dict).filter(([, cell]) => cell !== null);
    expect(read.map(([name]) => name)).to.deep.equal([...chosen].sort());
    for (const [name, cell] of read) {
      const sent = Object.entries(values).find(([one]) => one === name)?.[1];
      if (typeof sent === 'string') expect(cell, name).to.equal(sent);
      else expect(own(cell), name).to.deep.equal(own(sent));
    }
  };
  const mapped = async (chosen: readonly string[]): Promise<void> => {
    const mgt = mapOf(chosen, () => ({ columns: ['input'], flatten: true }));
    const answered = await ask<DatasetRecord>('PATCH', at(), mapping(mgt));
    const read = await ask<DatasetRecord>('GET', at());
    for (const { column_mapping: found } of [answered, read]) {
      expect(own((found as { readonly mgt: unknown }).mgt)).to.deep.equal(own(mgt));
    }
  };
  const recorded = async (chosen: readonly string[]): Promise<void> => {
    const metrics = mapOf(chosen, (place) => place + 0.5);
    const user_metadata = mapOf(chosen, (place) => `m${place}`);
    const path = `/v2/projects/${project}/traces`;
    const id = randomUUID();
    await ask('POST', path, trace({ id, metrics, user_metadata }));
    const read = await ask<TraceRead>('GET', `${path}/${id}`);
    expect(own(read.metrics)).to.deep.equal(own(metrics));
    expect(own(read.user_metadata)).to.deep.equal(own(user_metadata));
  };

  it('are returned as own members of cells, mappings, metrics and metadata', async () => {
    const seed = drawSeed('odd names');
    await assert(
      asyncProperty(names, async (chosen) => {
        await cells(chosen);
        await mapped(chosen);
        await recorded(chosen);
      }),
      { seed, numRuns: runs(10), examples: [[odd]] },
    );
    expect(Object.getOwnPropertyNames(Object.prototype)).not.to.include('input');
  });

  it('are refused when they are empty', async () => {
    const empty = { '': 1 };
    const send = (method: 'PATCH' | 'POST', path: string, body: object) =>
      app.client.send(method, path, { body });
    const traces = `/v2/projects/${project}/traces`;
    expectInvalid(
      await send('PATCH', at('/content'), edit(empty)),
      ['body', 'edits', '0', 'values'],
      'value_error',
    );
    expectInvalid(
      await send('PATCH', at(), mapping({ '': ['input'] })),
      ['body', 'column_mapping', 'mgt', ''],
      'value_error',
    );
    expectInvalid(
      await send('POST', traces, trace({ metrics: empty })),
      ['body', 'traces', '0', 'metrics', ''],
      'string_too_short',
    );
    expectInvalid(
      await send('POST', traces, trace({ user_metadata: { '': 'x' } })),
      ['body', 'traces', '0', 'user_metadata', ''],
      'string_too_short',
    );
  });
});
