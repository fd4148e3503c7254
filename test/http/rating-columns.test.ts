import { expect } from 'chai';
import { randomUUID } from 'node:crypto';
import type { ColumnDescriptor } from '../../contract/columns.js';
import { sharedApp, type App } from '../support/app.js';
import {
  create,
  like,
  ratedProject,
  withdraw,
  type RatedProject,
  type View,
} from '../support/rated-project.js';

describe('columns of ratings', () => {
  let app: App;
  let rated: RatedProject;
  let [helpful, stars, labels, remark] = ['', '', '', ''];
  let [good, poor, unrated] = ['', '', ''];
  before(async () => {
    app = await sharedApp();
    rated = await ratedProject(app.client);
    helpful = await rated.template({ annotation_type: 'like_dislike' });
    stars = await rated.template({ annotation_type: 'star' });
    labels = await rated.template({ annotation_type: 'tags', tags: ['polite', 'slow'] });
    remark = await rated.template({ annotation_type: 'text' });
    [good, poor, unrated] = [await rated.trace(), await rated.trace(), await rated.trace()];
    const rate = (template: string, annotation_type: string, value: unknown) =>
      create(template, { annotation_type, value });
    const ofGood = [
      create(helpful, like),
      rate(stars, 'star', 5),
      rate(labels, 'tags', ['polite']),
      rate(remark, 'text', 'Answers at once'),
    ];
    const ofPoor = [rate(stars, 'star', 2), rate(labels, 'tags', ['polite', 'slow'])];
    expect((await rated.bulk(ofGood, [good])).body.every(({ success }) => success)).to.equal(true);
    expect((await rated.bulk(ofPoor, [poor])).body.every(({ success }) => success)).to.equal(true);
  });

  const ask = async <T = { readonly [member: string]: never }>(path: string, body: object) => {
    const reply = await app.client.send<T>('POST', rated.at(path), { body });
    expect(reply.status, JSON.stringify(reply.body)).to.equal(200);
    return reply.body;
  };
  const found = async (body: object): Promise<readonly string[]> =>
    (await ask<{ records: View[] }>('/traces/search', body)).records.map(({ id }) => id);
  const filtered = (type: string, template: string, operator: string, value: unknown) =>
    found({ filters: [{ type, name: `annotations/${template}`, operator, value }] });
  const measured = async (members: object) =>
    ask<{
      readonly aggregate_metrics: Readonly<Record<string, unknown>>;
      readonly bucketed_metrics: Readonly<Record<string, readonly Record<string, unknown>[]>>;
    }>('/metrics/custom_search', {
      start_time: '2020-01-01T00:00:00Z',
      end_time: '2100-01-01T00:00:00Z',
      interval_minutes: null,
      metric_details: [],
      ...members,
    });

  it('filter traces of a log stream by each kind of rating', async () => {
    expect(await filtered('number', helpful, 'eq', 1)).to.deep.equal([good]);
    expect(await filtered('number', stars, 'lt', 4)).to.deep.equal([poor]);
    expect(await filtered('collection', labels, 'contains', 'slow')).to.deep.equal([poor]);
    const remarks = [
      {
        type: 'text',
        name: `annotations/${remark}`,
        operator: 'contains',
        value: 'AT ONCE',
        case_sensitive: false,
      },
    ];
    expect(await found({ filters: remarks })).to.deep.equal([good]);
  });

  it('sort traces, those without a rating last in both directions', async () => {
    const sorted = (ascending: boolean) =>
      found({ sort: { column_id: `annotations/${stars}`, ascending } });
    expect(await sorted(true)).to.deep.equal([poor, good, unrated]);
    expect(await sorted(false)).to.deep.equal([good, poor, unrated]);
  });

  it('group and measure traces', async () => {
    const { aggregate_metrics, bucketed_metrics } = await measured({
      group_by: `annotations/${labels}`,
      metric_details: [
        { id: 'stars', metric_name: `annotations/${stars}`, aggregation: 'Average' },
        { id: 'labels', metric_name: `annotations/${labels}`, aggregation: 'Count' },
      ],
    });
    expect(aggregate_metrics).to.include({ stars: 3.5, requests_count: 3 });
    expect(aggregate_metrics['labels']).to.deep.equal({ polite: 2, slow: 1 });
    const counts = Object.entries(bucketed_metrics).map(([key, buckets]) => [
      key,
      buckets[0]?.['requests_count'],
      buckets[0]?.['stars'],
    ]);
    expect(counts).to.deep.equal([
      ['', 1, null],
      ['polite', 2, 3.5],
      ['slow', 1, 2],
    ]);
    const byStars = await measured({ group_by: `annotations/${stars}` });
    expect(Object.keys(byStars.bucketed_metrics).sort()).to.deep.equal(['', '2', '5']);
  });

  it('are listed for traces once they are rated, and for no other record', async () => {
    const listed = async (kind: string) =>
      (await ask<{ columns: ColumnDescriptor[] }>(`/${kind}/available_columns`, {})).columns.filter(
        ({ category }) => category === 'annotation',
      );
    const columns = await listed('traces');
    expect(columns.map(({ id, data_type }) => [id, data_type])).to.deep.equal([
      [`annotations/${helpful}`, 'floating_point'],
      [`annotations/${stars}`, 'floating_point'],
      [`annotations/${labels}`, 'string_list'],
      [`annotations/${remark}`, 'text'],
    ]);
    expect(columns[2]).to.deep.include({ allowed_values: ['polite', 'slow'], sortable: false });
    for (const kind of ['sessions', 'spans']) expect(await listed(kind)).to.deep.equal([]);
  });

  it('are refused for spans, for unknown templates and in another type', async () => {
    const refused = async (path: string, name: string, type = 'number') => {
      const filters = [{ type, name, operator: 'eq', value: type === 'number' ? 1 : 'x' }];
      const reply = await app.client.send<{ detail: { msg: string }[] }>('POST', rated.at(path), {
        body: { filters },
      });
      expect(reply.status).to.equal(422);
      return reply.body.detail[0]?.msg;
    };
    const column = `annotations/${stars}`;
    expect(await refused('/spans/search', column)).to.equal(
      `Value error, column '${column}' does not apply to spans`,
    );
    expect(await refused('/traces/search', column, 'text')).to.equal(
      `Value error, column '${column}' takes a number filter`,
    );
    const nobody = `annotations/${randomUUID()}`;
    expect(await refused('/traces/search', nobody)).to.equal(
      `Value error, unknown column '${nobody}'`,
    );
  });

  it('go with the withdrawal of a rating and with the template', async () => {
    const passing = await rated.template({ annotation_type: 'star' });
    await rated.bulk([create(passing, { annotation_type: 'star', value: 4 })], [good]);
    expect(await filtered('number', passing, 'eq', 4)).to.deep.equal([good]);
    await rated.bulk([withdraw(passing)], [good]);
    expect(await filtered('number', passing, 'eq', 4)).to.deep.equal([]);
    await app.client.call('DELETE', rated.at(`/annotation/templates/${passing}`));
    const body = { sort: { column_id: `annotations/${passing}` } };
    const reply = await app.client.send('POST', rated.at('/traces/search'), { body });
    expect(reply.status).to.equal(422);
  });

  it('rank, sort and compare experiments', async () => {
    const column = `annotations/${stars}`;
    const runs: string[] = [];
    for (const value of [2, 5]) {
      const made = await app.client.call<View>('POST', rated.at('/experiments'), {
        body: { name: `run ${value}` },
      });
      runs.push(made.body.id);
      const trace = await rated.trace({ log_stream_id: null, experiment_id: made.body.id });
      await rated.bulk([create(stars, { annotation_type: 'star', value })], [trace]);
    }
    await app.client.call('PUT', rated.at('/experiments/ranking_criteria'), {
      body: { criteria: [{ metric: column, weight: 1, direction: 'higher' }] },
    });
    for (const name of ['rank', column]) {
      const sort = { name, ascending: name === 'rank' };
      const { experiments } = await ask<{ experiments: View[] }>('/experiments/search', { sort });
      expect(experiments.map(({ id, rank }) => [id, rank])).to.deep.equal([
        [runs[1], 1],
        [runs[0], 2],
      ]);
    }
    const { metrics } = await ask<{ metrics: { metric: string }[] }>('/experiments/compare', {
      experiment_ids: runs,
      metrics: [column],
    });
    expect(metrics.map(({ metric }) => metric)).to.deep.equal([column]);
  });
});
