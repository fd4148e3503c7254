import { expect } from 'chai';
import { temporaryFolder } from './support/folder.js';
import { describeRealRuns, flat, mean, realRuns, type RealRun } from './support/real-runs.js';
import { startService, type ServiceProcess } from './support/service-process.js';
import { pollUntil } from './support/poll-until.js';

type Counted = { readonly aggregate_metrics: Readonly<Record<string, number | null>> };
type Sent = { readonly traces_count: number; readonly spans_count: number };

const tracesPerRequest = 20;

/**
 * Every member that was sent, as it was sent; what the service adds stays out of the comparison.
 */
const asSent = (sent: unknown, read: unknown): unknown => {
  if (Array.isArray(sent) && Array.isArray(read))
    return read.map((item, at) => (at < sent.length ? asSent(sent[at], item) : item));
  if (!isObject(sent) || !isObject(read)) return read;
  return Object.fromEntries(
    Object.keys(sent).map((name) => [name, asSent(sent[name], read[name])]),
  );
};
const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

describeRealRuns('200 real runs of an airline agent', function () {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  let service: ServiceProcess;
  let root = '';
  let run = '';
  let traces: readonly RealRun[] = [];

  const sendAll = async (): Promise<readonly Sent[]> => {
    const answers: Sent[] = [];
    for (let from = 0; from < traces.length; from += tracesPerRequest) {
      const body = { log_stream_id: run, traces: traces.slice(from, from + tracesPerRequest) };
      answers.push((await service.client.call<Sent>('POST', `${root}/traces`, { body })).body);
    }
    return answers;
  };
  const search = async (more: object): Promise<Counted['aggregate_metrics']> => {
    const body = {
      start_time: '2024-05-20T00:00:00Z',
      end_time: '2024-05-21T00:00:00Z',
      log_stream_id: run,
      ...more,
    };
    const path = `${root}/metrics/custom_search`;
    return (await service.client.call<Counted>('POST', path, { body })).body.aggregate_metrics;
  };
  const rewards = [
    { id: 'average', metric_name: 'reward', aggregation: 'Average' },
    { id: 'sum', metric_name: 'metrics/reward', aggregation: 'Sum' },
    { id: 'solved', metric_name: 'solved', aggregation: 'PercentageTrue' },
  ];

  before(async () => {
    traces = realRuns();
    folder = await temporaryFolder();
    service = await startService({ dir: folder.dir });
    const { client } = service;
    const project = await client.call<{ id: string }>('POST', '/v2/projects', {
      body: { name: 'airline' },
    });
    root = `/v2/projects/${project.body.id}`;
    const stream = await client.call<{ id: string }>('POST', `${root}/log_streams`, {
      body: { name: 'gpt-4o' },
    });
    run = stream.body.id;
    const answers = await sendAll();
    expect(answers.reduce((sum, { traces_count }) => sum + traces_count, 0)).to.equal(200);
    expect(answers.reduce((sum, { spans_count }) => sum + spans_count, 0)).to.equal(3_618);
    await service.kill();
    service = await startService({ dir: folder.dir });
    // What the killed process had not folded is filled first (contract 1.7, rule 8).
    await pollUntil('what was logged is readable', 60_000, async () => {
      const body = { log_stream_id: run };
      const path = `${root}/traces/count`;
      return (await service.client.send('POST', path, { body })).status === 200;
    });
  });
  after(async () => {
    await service.kill();
    await folder.remove();
  });

  it('gives back the published average reward, sum and share solved after SIGKILL', async () => {
    const answer = await search({ metric_details: rewards });
    expect(answer['average']).to.be.closeTo(0.42, 1e-12);
    expect(answer['sum']).to.equal(84);
    expect(answer['solved']).to.be.closeTo(0.42, 1e-12);
    expect(answer['span_count']).to.equal(3_618);
    expect(answer['requests_count']).to.equal(200);
    expect(answer['session_count']).to.equal(0);
  });

  it('agrees with a naive recomputation from the file', async () => {
    const answer = await search({ metric_details: rewards });
    const reward = traces.map(({ metrics }) => metrics.reward);
    expect(answer['average']).to.be.closeTo(mean(reward), 1e-12);
    expect(answer['sum']).to.equal(reward.reduce((sum, value) => sum + value, 0));
    expect(answer['solved']).to.be.closeTo(
      mean(traces.map(({ metrics }) => Number(metrics.solved))),
      1e-12,
    );
    expect(answer['span_count']).to.equal(traces.flatMap(({ spans }) => flat(spans)).length);
  });

  for (const [trial, published] of [0.42, 0.44, 0.4, 0.42].entries())
    it(`gives back ${published} for trial ${trial} by a filter on its tag`, async () => {
      const tag = `trial-${trial}`;
      const leaf = { type: 'collection', name: 'tags', operator: 'contains', value: tag };
      const answer = await search({ metric_details: rewards, filter_tree: { filter: leaf } });
      const own = traces.filter(({ tags }) => tags.includes(tag));
      expect(answer['average']).to.be.closeTo(published, 1e-12);
      expect(answer['average']).to.be.closeTo(
        mean(own.map(({ metrics }) => metrics.reward)),
        1e-12,
      );
      expect(answer['requests_count']).to.equal(own.length);
      expect(answer['span_count']).to.equal(own.flatMap(({ spans }) => flat(spans)).length);
    });

  it('answers every tree as it was sent', async () => {
    for (const trace of traces) {
      const { body } = await service.client.call('GET', `${root}/traces/${trace.id}`);
      // Logged outside any session: contract 3.1, rule 4.
      const due = { ...trace, session_id: trace.id };
      expect(asSent(trace, body), trace.id).to.deep.equal(due);
    }
  });

  it('exports every record as it was sent', async () => {
    const exported = async (kind: string): Promise<ReadonlyMap<unknown, object>> => {
      const [body, path] = [{ log_stream_id: run }, `${root}/${kind}/export`];
      const file = (await service.client.call<string>('POST', path, { body })).body;
      const records = file
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as { id: string });
      return new Map(records.map((record) => [record.id, record]));
    };
    const found = [await exported('traces'), await exported('spans')];
    expect(found.map(({ size }) => size)).to.deep.equal([200, 3_618]);
    const [logged, below] = found;
    for (const { spans, ...trace } of traces) {
      const due = { ...trace, session_id: trace.id };
      expect(asSent(trace, logged?.get(trace.id)), trace.id).to.deep.equal(due);
      for (const { spans: _, ...span } of flat(spans))
        expect(asSent(span, below?.get(span.id)), span.id).to.deep.equal(span);
    }
  });

  it('changes nothing when everything is sent again', async () => {
    const look = async (): Promise<unknown> => {
      const [body, path] = [{ log_stream_id: run, limit: 1_000 }, `${root}/traces/search`];
      const seen = await service.client.call('POST', path, { body });
      return { position: seen.position, body: seen.body };
    };
    const before = await look();
    const answers = await sendAll();
    expect(answers.reduce((sum, { traces_count }) => sum + traces_count, 0)).to.equal(200);
    expect(await look()).to.deep.equal(before);
  });
});
