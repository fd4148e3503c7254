import { expect } from 'chai';
import { recordedProject, uuid, type RecordedProject } from '../support/recorded-project.js';

type View = { readonly id: string; readonly [member: string]: unknown };
type Page = {
  readonly records: readonly View[];
  readonly next_starting_token: number | null;
  readonly [member: string]: unknown;
};
type Problems = { readonly detail: readonly { loc: string[]; msg: string; type: string }[] };

const session = uuid(9);
let project: RecordedProject;

const fill = async (): Promise<void> => {
  project = await recordedProject();
  await project.log(
    [
      {
        id: uuid(1),
        name: 'first',
        created_at: '2026-03-01T09:00:00Z',
        input: 'a flight, please',
        output: 'booked',
        tags: ['b', 'a', 'b'],
        user_metadata: { team: 'red' },
        metrics: { reward: 1 },
        spans: [
          {
            id: uuid(12),
            type: 'tool',
            name: 'late step',
            step_number: 2,
            created_at: '2026-03-01T09:00:01Z',
            input: 'x',
          },
          {
            id: uuid(11),
            type: 'agent',
            name: 'early step',
            step_number: 1,
            created_at: '2026-03-01T09:00:02Z',
            input: 'x',
            spans: [
              {
                id: uuid(13),
                type: 'llm',
                input: 'hi',
                output: 'ho',
                model: 'm',
                created_at: '2026-03-01T09:00:03Z',
                metrics: { num_input_tokens: 2, num_output_tokens: 3 },
              },
            ],
          },
        ],
      },
      { id: uuid(2), name: 'second', created_at: '2026-03-01T10:00:00Z', input: 'y'.repeat(1_500) },
    ],
    { session_id: session },
  );
  await project.log([{ id: uuid(3), name: 'alone', created_at: '2026-03-01T11:00:00Z' }]);
};

let filled: Promise<void> | null = null;
/** Once, for whichever of the groups below runs first. */
const record = (): Promise<void> => (filled ??= fill());

const page = async (kind: string, body: object = {}): Promise<Page> => {
  const { status, body: answer } = await project.ask<Page>(`${kind}/search`, body);
  expect(status, JSON.stringify(answer)).to.equal(200);
  return answer;
};
const ids = async (kind: string, body: object = {}) =>
  (await page(kind, body)).records.map(({ id }) => id);
const refused = async (path: string, body: object) => {
  const { status, body: answer } = await project.ask<Problems>(path, body);
  expect(status).to.equal(422);
  return answer.detail.map(({ loc, type }) => [loc.join('.'), type]);
};

describe('POST …/search', () => {
  before(record);

  it('answers 200 with the newest first, flat, in the envelope of pages', async () => {
    const answer = await page('traces');
    expect(answer).to.include({
      starting_token: 0,
      limit: 100,
      paginated: false,
      next_starting_token: null,
      last_row_id: uuid(1),
    });
    expect(answer.records.map(({ id }) => id)).to.deep.equal([uuid(3), uuid(2), uuid(1)]);
    const [lone, , first] = answer.records;
    expect(first).to.not.have.property('spans');
    expect(first).to.deep.include({
      type: 'trace',
      project_id: project.id,
      run_id: project.run,
      session_id: session,
      trace_id: uuid(1),
      created_at: '2026-03-01T09:00:00.000000Z',
      updated_at: null,
      input: 'a flight, please',
      output: 'booked',
      tags: ['b', 'a'],
      user_metadata: { team: 'red' },
      metrics: { reward: 1 },
      has_children: true,
      is_complete: true,
      annotations: {},
      annotation_aggregates: {},
      fully_annotated: false,
      num_spans: null,
    });
    expect(first?.['metric_info']).to.deep.include({
      reward: { status_type: 'success', value: 1 },
      num_total_tokens: { status_type: 'roll_up', value: 5, roll_up_metrics: { sum: 5 } },
    });
    expect(lone).to.deep.include({ session_id: uuid(3), has_children: false });
  });

  it('pages without overlap or gap, and beyond the end', async () => {
    const first = await page('spans', { limit: 2 });
    expect(first).to.include({ paginated: true, next_starting_token: 2 });
    const second = await page('spans', { limit: 2, starting_token: 2 });
    expect(second).to.include({ paginated: true, next_starting_token: null });
    const all = [...first.records, ...second.records].map(({ id }) => id);
    expect(all).to.deep.equal([uuid(13), uuid(11), uuid(12)]);
    expect(await page('spans', { starting_token: 3 })).to.deep.include({
      records: [],
      paginated: true,
      next_starting_token: null,
      last_row_id: null,
    });
  });

  it('begins behind a record by its id, whatever comes before it meanwhile', async () => {
    const own = await recordedProject();
    const logged = async (from: number, to: number) => {
      for (let at = from; at <= to; at += 1) {
        const created_at = `2026-03-01T09:00:${String(at).padStart(2, '0')}Z`;
        await own.log([{ id: uuid(at), name: `n${at % 3}`, created_at }]);
      }
    };
    await logged(1, 9);
    for (const sort of [null, { column_id: 'name' }]) {
      const search = async (body: object) => (await own.ask<Page>('traces/search', body)).body;
      const all = (await search({ sort, end_time: '2026-03-01T09:00:09Z' })).records;
      const read: string[] = [];
      for (let after: unknown = null; ;) {
        const more = await search({ sort, after, limit: 4, end_time: '2026-03-01T09:00:09Z' });
        read.push(...more.records.map(({ id }) => id));
        expect(more).to.include({ starting_token: 0, paginated: true });
        if (more.next_starting_token === null) break;
        expect(more.next_starting_token).to.equal(4);
        after = more['last_row_id'];
        await logged(read.length + 20, read.length + 20);
      }
      expect(read).to.deep.equal(all.map(({ id }) => id));
      const second = await search({ sort, after: read[1], starting_token: 2, limit: 3 });
      expect(second.records.map(({ id }) => id)).to.include(read[4]);
    }
    const { status, body } = await own.ask<Problems>('traces/search', { after: uuid(404) });
    expect(status).to.equal(422);
    expect(body.detail).to.deep.equal([
      {
        loc: ['body', 'after'],
        type: 'value_error',
        msg: `Value error, the project has no trace '${uuid(404)}'; begin again without it`,
      },
    ]);
  });

  it('finds by a list of filters and a tree, both of which hold', async () => {
    const named = (value: string) => ({ type: 'text', name: 'name', operator: 'contains', value });
    const tagged = { filter: { type: 'collection', name: 'tags', operator: 'one_of', value: 'a' } };
    expect(await ids('traces', { filters: [named('s')] })).to.deep.equal([uuid(2), uuid(1)]);
    expect(await ids('traces', { filters: [named('s')], filter_tree: tagged })).to.deep.equal([
      uuid(1),
    ]);
    expect(
      await ids('traces', {
        filters: [{ type: 'number', name: 'metrics/num_total_tokens', operator: 'eq', value: 5 }],
      }),
    ).to.deep.equal([uuid(1)]);
    expect(
      await ids('spans', { filters: [{ type: 'id', name: 'parent_id', value: uuid(11) }] }),
    ).to.deep.equal([uuid(13)]);
  });

  it('sorts by a column, records without a value last in both directions', async () => {
    const sort = (ascending: boolean) => ({ sort: { column_id: 'step_number', ascending } });
    expect(await ids('spans', sort(true))).to.deep.equal([uuid(11), uuid(12), uuid(13)]);
    expect(await ids('spans', sort(false))).to.deep.equal([uuid(12), uuid(11), uuid(13)]);
    expect(await ids('traces', { sort: { name: 'name' } })).to.deep.equal([
      uuid(3),
      uuid(1),
      uuid(2),
    ]);
  });

  it('selects by run and window', async () => {
    const window = { start_time: '2026-03-01T10:00:00Z', end_time: '2026-03-01T11:00:00Z' };
    expect(await ids('traces', { ...window, log_stream_id: project.run })).to.deep.equal([
      uuid(3),
      uuid(2),
    ]);
  });

  it('counts records and truncates texts on request', async () => {
    const asked = { include_counts: true, truncate_fields: true };
    const [, second, first] = (await page('traces', asked)).records;
    expect(first).to.include({ num_spans: 3 });
    expect(second).to.include({ num_spans: 0, input: 'y'.repeat(1_000) });
    const [only] = (await page('sessions', asked)).records;
    expect(only).to.deep.include({
      id: session,
      type: 'session',
      session_id: session,
      trace_id: null,
      num_traces: 2,
      is_complete: true,
      previous_session_id: null,
    });
  });

  it('answers 422 to what cannot be filtered or sorted by', async () => {
    expect(await refused('traces/search', { sort: { column_id: 'tags' } })).to.deep.equal([
      ['body.sort.column_id', 'value_error'],
    ]);
    expect(
      await refused('sessions/search', {
        filters: [{ type: 'text', name: 'model', operator: 'eq', value: 'm' }],
      }),
    ).to.deep.equal([['body.filters.0.name', 'value_error']]);
    expect(
      await refused('traces/search', {
        filter_tree: { filter: { type: 'boolean', name: 'metrics/reward', value: true } },
      }),
    ).to.deep.equal([['body.filter_tree.filter.type', 'value_error']]);
    expect(await refused('spans/search', { limit: 1_001, starting_token: -1 })).to.deep.equal([
      ['body.starting_token', 'greater_than_equal'],
      ['body.limit', 'less_than_equal'],
    ]);
    expect(
      await refused('spans/search', { start_time: '2026-03-02', end_time: '2026-03-01' }),
    ).to.deep.equal([['body.end_time', 'value_error']]);
  });

  it('answers 404 to a run that the project does not have', async () => {
    const { status } = await project.ask('traces/search', { experiment_id: project.run });
    expect(status).to.equal(404);
  });
});

describe('POST …/count', () => {
  before(record);

  it('answers 200 with the number of records, whatever the page', async () => {
    const count = async (kind: string, body: object = {}) =>
      (await project.ask(`${kind}/count`, body)).body;
    expect(await count('traces', { limit: 1 })).to.deep.equal({ total_count: 3 });
    expect(await count('spans')).to.deep.equal({ total_count: 3 });
    expect(await count('sessions')).to.deep.equal({ total_count: 1 });
    const llm = [{ type: 'text', name: 'type', operator: 'eq', value: 'llm' }];
    expect(await count('spans', { filters: llm })).to.deep.equal({ total_count: 1 });
  });

  it('answers 422 and 404 as a search does', async () => {
    expect(await refused('traces/count', { filter_tree: { or: [] } })).to.deep.equal([
      ['body.filter_tree.or', 'too_short'],
    ]);
    expect((await project.ask('traces/count', { log_stream_id: uuid(404) })).status).to.equal(404);
  });
});

type Tree = { readonly id: string; readonly spans: readonly Tree[] };
const shape = ({ id, spans }: Tree): unknown =>
  spans.length === 0 ? id.slice(-2) : { [id.slice(-2)]: spans.map(shape) };

describe('GET a record', () => {
  before(record);

  it('answers 200 with a trace and its spans as a tree, by step number', async () => {
    const { status, body } = await project.get<Tree>(`traces/${uuid(1)}`);
    expect(status).to.equal(200);
    expect(shape(body)).to.deep.equal({ '01': [{ 11: ['13'] }, '12'] });
  });

  it('answers 200 with a span and the tree below it', async () => {
    const { status, body } = await project.get<Tree & View>(`spans/${uuid(11)}`);
    expect(status).to.equal(200);
    expect(shape(body)).to.deep.equal({ 11: ['13'] });
    expect(body).to.include({ trace_id: uuid(1), parent_id: uuid(1), session_id: session });
    const [llm] = body.spans as unknown as readonly View[];
    expect(llm).to.deep.include({
      model: 'm',
      input: [{ content: 'hi', role: 'user' }],
      output: { content: 'ho', role: 'assistant' },
    });
  });

  it('answers a span and a trace alone with tree=false', async () => {
    const span = await project.get<Tree & View>(`spans/${uuid(11)}?tree=false`);
    expect(span.status).to.equal(200);
    const whole = await project.get<Tree & View>(`spans/${uuid(11)}`);
    expect(span.body).to.deep.equal({ ...whole.body, spans: [] });
    expect(span.body).to.include({ has_children: true, trace_id: uuid(1) });
    const trace = await project.get<Tree & View>(`traces/${uuid(1)}?tree=false&otel=true`);
    const tree = await project.get<Tree & View>(`traces/${uuid(1)}?tree=true&otel=true`);
    expect(trace.body).to.deep.equal({ ...tree.body, spans: [] });
    expect((await project.get(`spans/${uuid(404)}?tree=false`)).status).to.equal(404);
  });

  it('answers 200 with a session and its traces, oldest first, each with its tree', async () => {
    const { status, body } = await project.get<{ traces: readonly Tree[] }>(`sessions/${session}`);
    expect(status).to.equal(200);
    expect(body.traces.map(shape)).to.deep.equal([{ '01': [{ 11: ['13'] }, '12'] }, '02']);
  });

  it('answers 200 with a session whose traces come in pages', async () => {
    type Paged = { traces: readonly Tree[]; next_starting_token: number | null };
    const first = await project.get<Paged>(`sessions/${session}?limit=1`);
    expect(first.body).to.deep.include({ starting_token: 0, next_starting_token: 1 });
    expect(first.body.traces.map(({ id }) => id)).to.deep.equal([uuid(1)]);
    const second = await project.get<Paged>(`sessions/${session}?starting_token=1`);
    expect(second.body).to.deep.include({ starting_token: 1, next_starting_token: null });
    expect(second.body.traces.map(({ id }) => id)).to.deep.equal([uuid(2)]);
  });

  it('answers 404 to unknown ids, and to a trace read as a session', async () => {
    for (const path of [`traces/${uuid(404)}`, `spans/${uuid(1)}`, `sessions/${uuid(3)}`]) {
      expect((await project.get(path)).status, path).to.equal(404);
    }
  });

  it('answers 422 to what is not an id', async () => {
    const { status, body } = await project.get<Problems>('traces/first');
    expect(status).to.equal(422);
    expect(body.detail[0]).to.deep.include({ loc: ['path', 'trace_id'], type: 'uuid_parsing' });
  });
});
