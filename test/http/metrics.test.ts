import { expect } from 'chai';
import { sharedApp } from '../support/app.js';
import { recordedProject, uuid, type RecordedProject } from '../support/recorded-project.js';

const path = 'metrics/custom_search';
const day = { start_time: '2026-03-01T00:00:00Z', end_time: '2026-03-01T23:59:59Z' };
type Problems = { readonly detail: readonly { loc: string[]; msg: string; type: string }[] };

describe('POST …/metrics/custom_search', () => {
  let project: RecordedProject;
  before(async () => {
    project = await recordedProject();
    const llm = (name: string, members: object) => ({ type: 'llm', name, input: 'x', ...members });
    await project.log(
      [
        {
          id: uuid(1),
          created_at: '2026-03-01T00:05:00Z',
          tags: ['trial-0', 'x'],
          metrics: { reward: 1, solved: true, verdict: 'good' },
          spans: [
            llm('book a flight', {
              created_at: '2026-03-01T00:05:01Z',
              model: 'model-a',
              metrics: { toxicity: 0.1, num_total_tokens: 200 },
            }),
            llm('Booking', {
              created_at: '2026-03-01T00:29:59.999999Z',
              model: 'model-a',
              metrics: { toxicity: 0.3, num_total_tokens: 300 },
            }),
            llm('other', { created_at: '2026-03-01T00:10:00Z', model: 'model-b' }),
          ],
        },
      ],
      { session_id: uuid(9) },
    );
    await project.log([
      {
        id: uuid(2),
        created_at: '2026-03-01T00:30:00Z',
        tags: ['trial-1'],
        metrics: { reward: 0, solved: false, verdict: 'bad' },
        spans: [
          llm('rebook', {
            created_at: '2026-03-01T00:30:00Z',
            metrics: { num_total_tokens: 400 },
          }),
          { type: 'tool', name: 'book', input: 'x', created_at: '2026-03-01T00:31:00Z' },
        ],
      },
    ]);
  });

  const asked = (members: object) => project.ask<Problems>(path, { ...day, ...members });
  const answered = async (members: object) => {
    const { status, body } = await project.ask<Record<string, Record<string, unknown>>>(path, {
      ...day,
      metric_details: [],
      ...members,
    });
    expect(status, JSON.stringify(body)).to.equal(200);
    return body;
  };

  it('answers 200 as the example of the contract does', async () => {
    const answer = await answered({
      end_time: '2026-03-01T00:59:59Z',
      log_stream_id: project.run,
      interval_minutes: 30,
      group_by: 'model',
      filter_tree: {
        and_: [
          {
            filter: {
              type: 'text',
              name: 'name',
              operator: 'contains',
              value: 'book',
              case_sensitive: false,
            },
          },
        ],
      },
      metric_details: [
        { id: 'w1', metric_name: 'toxicity', aggregation: 'Average' },
        { id: 'w2', metric_name: 'metrics/num_total_tokens', aggregation: 'Sum' },
      ],
    });
    expect(answer).to.deep.equal({
      group_by_columns: ['model'],
      aggregate_metrics: {
        w1: 0.2,
        w2: 900,
        requests_count: 2,
        session_count: 1,
        span_count: 3,
      },
      bucketed_metrics: {
        '': [
          {
            start_bucket_time: '2026-03-01T00:30:00.000000Z',
            end_bucket_time: '2026-03-01T01:00:00.000000Z',
            group_by: null,
            w1: null,
            w2: 400,
            requests_count: 1,
            session_count: 0,
            span_count: 1,
          },
        ],
        'model-a': [
          {
            start_bucket_time: '2026-03-01T00:00:00.000000Z',
            end_bucket_time: '2026-03-01T00:30:00.000000Z',
            group_by: 'model-a',
            w1: 0.2,
            w2: 500,
            requests_count: 1,
            session_count: 1,
            span_count: 2,
          },
        ],
      },
      ems_captured_error: false,
      standard_errors: {},
      population: 'spans',
    });
  });

  const reward = [{ id: 'r', metric_name: 'reward', aggregation: 'Average' }];

  it('says that overlap metrics were not computed, because texts are too long', async () => {
    const log = await recordedProject();
    const words = 'word '.repeat(12_000);
    await log.log([{ id: uuid(1), input: 'x', output: words, dataset_output: words }]);
    const { body } = await log.ask<{ records: Record<string, Record<string, unknown>>[] }>(
      'traces/search',
      {},
    );
    for (const name of ['bleu', 'rouge']) {
      const { ems_error_code: code } = (body.records[0]?.['metric_info']?.[name] ?? {}) as {
        ems_error_code?: number;
      };
      expect(code, name).to.equal(1008);
    }
    const ofAll = await log.ask<Record<string, Record<string, unknown>>>(path, {
      start_time: '2026-01-01T00:00:00Z',
      end_time: '2026-12-31T00:00:00Z',
      metric_details: [{ id: 'b', metric_name: 'bleu', aggregation: 'Average' }],
    });
    expect(ofAll.body['aggregate_metrics']).to.include({ b: null });
    expect(ofAll.body['ems_captured_error']).to.equal(true);
    expect(ofAll.body['standard_errors']).to.have.property('1008');
  });

  it('explains null metrics of traces where spans are counted; traces can be grouped', async () => {
    const ofSpans = await answered({ group_by: 'model', metric_details: reward });
    expect(ofSpans['aggregate_metrics']).to.include({ r: null });
    expect(ofSpans['ems_captured_error']).to.equal(false);
    expect(ofSpans['standard_errors']?.['1006']).to.include({
      error_type: 'not_applicable_reason',
      message:
        "Only traces have values of 'reward', and spans are counted. Count traces, and group " +
        'them by a column of their spans: any_span.model.',
    });
    const ofTraces = await answered({ group_by: 'any_span.model', metric_details: reward });
    expect(ofTraces).to.deep.include({ standard_errors: {}, population: 'traces' });
    const values = Object.entries(ofTraces['bucketed_metrics'] ?? {}).map(([key, buckets]) => {
      const [{ group_by, r, requests_count, span_count } = {}] = buckets as readonly Record<
        string,
        unknown
      >[];
      return [key, group_by, r, requests_count, span_count];
    });
    expect(values).to.deep.equal([
      ['', null, 0, 1, 2],
      ['model-a', 'model-a', 1, 1, 3],
      ['model-b', 'model-b', 1, 1, 3],
    ]);
    expect(ofTraces['aggregate_metrics']).to.include({ r: 0.5, requests_count: 2, span_count: 5 });
  });

  it('does not explain values that are not there at all, nor those of no record', async () => {
    const cost = [{ id: 'c', metric_name: 'cost', aggregation: 'Sum' }];
    expect(await answered({ group_by: 'model', metric_details: cost })).to.deep.include({
      standard_errors: {},
    });
    const none = { ...day, start_time: '2026-03-01T23:00:00Z' };
    expect(await answered({ ...none, group_by: 'model', metric_details: reward })).to.deep.include({
      standard_errors: {},
    });
  });

  it('groups by up to three columns, in days of the local time', async () => {
    const answer = await answered({
      group_by: ['any_span.type', 'tags', 'metrics/solved'],
      interval_minutes: 1_440,
      utc_offset_minutes: -30,
    });
    const buckets = Object.entries(answer['bucketed_metrics'] ?? {}).map(([key, found]) => {
      const [{ group_by, start_bucket_time, requests_count } = {}] = found as readonly Record<
        string,
        unknown
      >[];
      expect(JSON.stringify(group_by)).to.equal(key);
      return [...(group_by as readonly unknown[]), start_bucket_time, requests_count];
    });
    const [before, after] = ['2026-02-28T00:30:00.000000Z', '2026-03-01T00:30:00.000000Z'];
    expect(buckets).to.deep.equal([
      ['llm', 'trial-0', true, before, 1],
      ['llm', 'trial-1', false, after, 1],
      ['llm', 'x', true, before, 1],
      ['tool', 'trial-1', false, after, 1],
    ]);
    const four = await asked({ metric_details: [], group_by: ['a', 'b', 'c', 'd'] });
    expect(four.body.detail[0]?.msg).to.equal('List should have at most 3 items, not 4');
    const number = await asked({ metric_details: [], group_by: 5 });
    expect(number.body.detail[0]).to.deep.include({
      type: 'string_type',
      loc: ['body', 'group_by'],
    });
  });

  it('has one bucket, the window, for an interval of null', async () => {
    const window = { start_time: '2026-01-31T12:34:56.5Z', end_time: '2027-01-01T00:00:00Z' };
    for (const group_by of [null, 'name']) {
      const { bucketed_metrics: groups } = await answered({
        ...window,
        interval_minutes: null,
        group_by,
      });
      for (const buckets of Object.values(groups ?? {}) as object[][]) {
        expect(buckets).to.have.length(1);
        expect(buckets[0]).to.include({
          start_bucket_time: '2026-01-31T12:34:56.500000Z',
          end_bucket_time: '2027-01-01T00:00:00.000000Z',
        });
      }
      if (group_by === null) {
        expect(groups?.['all']).to.have.nested.property('[0].requests_count').greaterThan(0);
      }
    }
  });

  it('aggregates traces, own values and roll-ups, in buckets of five minutes', async () => {
    const answer = await answered({
      metric_details: [
        { id: 'a', metric_name: 'reward', aggregation: 'Average' },
        { id: 's', metric_name: 'solved', aggregation: 'PercentageTrue' },
        { id: 'v', metric_name: 'verdict', aggregation: 'Count' },
        { id: 't', metric_name: 'num_total_tokens', aggregation: 'Sum' },
        { id: 'u', metric_name: 'unheard', aggregation: 'P95' },
        { id: 'c', metric_name: 'unheard', aggregation: 'Count' },
      ],
    });
    expect(answer['aggregate_metrics']).to.deep.equal({
      a: 0.5,
      s: 0.5,
      v: { bad: 1, good: 1 },
      t: 900,
      u: null,
      c: 0,
      requests_count: 2,
      session_count: 1,
      span_count: 5,
    });
    const all = answer['bucketed_metrics']?.['all'] as readonly Record<string, unknown>[];
    expect(all.map(({ start_bucket_time }) => start_bucket_time)).to.deep.equal([
      '2026-03-01T00:05:00.000000Z',
      '2026-03-01T00:30:00.000000Z',
    ]);
  });

  it('answers the counts alone without widgets, and no group when nothing matched', async () => {
    const tagged = (value: string) => ({
      filter_tree: { filter: { type: 'collection', name: 'tags', operator: 'contains', value } },
    });
    expect((await answered(tagged('trial-1')))['aggregate_metrics']).to.deep.equal({
      requests_count: 1,
      session_count: 0,
      span_count: 2,
    });
    expect(await answered(tagged('trial'))).to.deep.include({
      aggregate_metrics: { requests_count: 0, session_count: 0, span_count: 0 },
      bucketed_metrics: {},
    });
  });

  it('has no population when no span has all the columns', async () => {
    const answer = await answered({
      group_by: 'model',
      filter_tree: { filter: { type: 'text', name: 'agent_type', operator: 'ne', value: 'x' } },
    });
    expect(answer['aggregate_metrics']).to.include({ requests_count: 0 });
  });

  it('answers 422 where the request alone is wrong', async () => {
    const wrong: readonly (readonly [object, string, string])[] = [
      [{}, 'metric_details', 'missing'],
      [{ metric_details: [], interval_minutes: 0 }, 'interval_minutes', 'greater_than_equal'],
      [{ metric_details: [], interval_minutes: 525_601 }, 'interval_minutes', 'less_than_equal'],
      [{ metric_details: [], interval_minutes: '5' }, 'interval_minutes', 'int_type'],
      [{ metric_details: [], end_time: '2026-02-28' }, 'end_time', 'value_error'],
      [{ metric_details: [], group_by: 'created_at' }, 'group_by', 'value_error'],
      [{ metric_details: [], filter_tree: {} }, 'filter_tree', 'value_error'],
      [
        { metric_details: [{ id: 'group_by', metric_name: 'm', aggregation: 'Sum' }] },
        'metric_details.0.id',
        'value_error',
      ],
      [
        { metric_details: [{ id: 'w', metric_name: 'm', aggregation: 'Median' }] },
        'metric_details.0.aggregation',
        'enum',
      ],
      [
        { metric_details: [{ id: 'w', metric_name: 'cost', aggregation: 'PercentageTrue' }] },
        'metric_details.0.aggregation',
        'value_error',
      ],
    ];
    for (const [members, place, type] of wrong) {
      const { status, body } = await asked(members);
      expect(status).to.equal(422);
      expect(body.detail.map(({ loc, type }) => [loc.slice(1).join('.'), type])).to.deep.equal([
        [place, type],
      ]);
    }
    const many = Array.from({ length: 101 }, (_, index) => ({
      id: `w${index}`,
      metric_name: 'm',
      aggregation: 'Sum',
    }));
    expect((await asked({ metric_details: many })).body.detail[0]?.msg).to.equal(
      'List should have at most 100 items, not 101',
    );
  });

  it('answers 422 where the types of the project’s metrics forbid it', async () => {
    const fit = await asked({
      metric_details: [
        { id: 'w', metric_name: 'reward', aggregation: 'Sum' },
        { id: 'x', metric_name: 'verdict', aggregation: 'Sum' },
      ],
    });
    expect(fit.status).to.equal(422);
    expect(fit.body.detail[0]?.loc).to.deep.equal(['body', 'metric_details', '1', 'aggregation']);
    const filter = await asked({
      metric_details: [],
      filter_tree: {
        not: { filter: { type: 'text', name: 'metrics/reward', operator: 'eq', value: '1' } },
      },
    });
    expect(filter.body).to.deep.equal({
      detail: [
        {
          loc: ['body', 'filter_tree', 'not', 'filter', 'type'],
          msg: "Value error, column 'metrics/reward' takes a number filter",
          type: 'value_error',
        },
      ],
    });
    const grouped = await asked({ metric_details: [], group_by: 'metrics/reward' });
    expect(grouped.body.detail[0]?.loc).to.deep.equal(['body', 'group_by']);
  });

  it('answers 422 before 404 for an unknown project', async () => {
    const { client } = await sharedApp();
    const elsewhere = `/v2/projects/${uuid(404)}/${path}`;
    const send = (body: object) => client.send('POST', elsewhere, { body: { ...day, ...body } });
    expect((await send({ metric_details: [], group_by: 'created_at' })).status).to.equal(422);
    expect((await send({ metric_details: [] })).status).to.equal(404);
  });

  it('answers 404 to a run that the project does not have', async () => {
    const { status, body } = await project.ask(path, {
      ...day,
      metric_details: [],
      log_stream_id: uuid(404),
    });
    expect(status).to.equal(404);
    expect(body).to.include({ detail: 'Run not found' });
  });
});
