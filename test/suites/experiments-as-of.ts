import { expect } from 'chai';
import { randomUUID } from 'node:crypto';
import type { ExperimentRecord } from '../../contract/experiment-record.js';
import type { App } from '../support/app.js';
import type { Client, Reply } from '../support/client.js';
import { upload } from '../support/datasets.js';
import { expectInvalid, keyRing, type KeyRing } from '../support/key-ring.js';
import { isLongRun } from '../support/runs.js';
import { pollUntil } from '../support/poll-until.js';

type Made = { readonly id: string };
type Asked = { readonly method: string; readonly path: string; readonly body?: object };
/** Answers at a position of the log. */
type Moment = { readonly position: string; readonly answers: ReadonlyMap<string, unknown> };

/** Halves and quarters, whose sums are the same in every order. */
const traceWith = (score: number, more: object = {}) => ({
  input: `in ${score}`,
  metrics: { toxicity: score, fine: score > 0.3, kind: score > 0.3 ? 'high' : 'low' },
  spans: [{ type: 'tool', metrics: { words: score * 4 } }],
  ...more,
});

/**
 * `npm test` sends every other query at a moment and the rest at the next one; a long run sends all
 * of them at each.
 */
const askedOneOf = 2;

/** Answers about the past on all engines (contract 5.14, rule 3). */
export const experimentsAsOfSuite = (open: () => Promise<App>): void => {
  let app: App;
  let keys: KeyRing;
  let root: string;
  let experiments: readonly string[];
  let doomed: string;
  let rated: readonly string[];
  let early: string;
  const moments: Moment[] = [];

  /** Retries while read models of a busy machine lag; a write keeps its idempotency key. */
  const send = async <T>(method: string, path: string, ask: Parameters<Client['send']>[2] = {}) => {
    let reply: Reply<T> | null = null;
    await pollUntil('an answer', 60_000, async () => {
      reply = await app.client.send<T>(method, path, ask);
      return reply.status !== 503;
    });
    return reply as unknown as Reply<T>;
  };
  const call = async <T>(method: string, path: string, body?: object): Promise<Reply<T>> => {
    const headers = { 'Idempotency-Key': randomUUID() };
    const reply = await send<T>(method, path, { headers, ...(body !== undefined && { body }) });
    expect(reply.status, JSON.stringify(reply.body)).to.be.below(300);
    return reply;
  };
  const made = async (body: object): Promise<string> =>
    (await call<Made>('POST', `${root}/experiments`, body)).body.id;
  const questions = (): readonly Asked[] => {
    const path = `${root}/experiments/search`;
    const by = (name: string, ascending: boolean) => ({
      include_counts: true,
      sort: { name, ascending },
    });
    return [
      ...experiments.map((id) => ({ method: 'GET', path: `${root}/experiments/${id}` })),
      { method: 'POST', path, body: { include_counts: true } },
      { method: 'POST', path, body: by('rank', true) },
      { method: 'POST', path, body: by('metrics/toxicity', false) },
      { method: 'POST', path, body: { ...by('name', true), limit: 1, starting_token: 1 } },
      {
        method: 'POST',
        path,
        body: { filters: [{ name: 'experiment_group_name', operator: 'eq', value: 'prompts' }] },
      },
      {
        method: 'POST',
        path,
        body: { filters: [{ name: 'name', operator: 'contains', value: ['a'] }] },
      },
    ];
  };
  /** The answers to the queries of this moment; null where there is none. */
  const answered = async (
    moment: number,
    query: string,
    headers: Readonly<Record<string, string>> = {},
  ) => {
    const answers = new Map<string, unknown>();
    for (const [at, { method, path, body }] of questions().entries()) {
      if (!isLongRun && (at + moment) % askedOneOf === 0) continue;
      const asked = { headers, ...(body !== undefined && { body }) };
      const reply = await send(method, `${path}${query}`, asked);
      expect(reply.status, JSON.stringify(reply.body)).to.be.oneOf([200, 404]);
      answers.set(
        `${method} ${path} ${JSON.stringify(body)}`,
        reply.status === 200 ? reply.body : null,
      );
    }
    return answers;
  };
  const remember = async (position: string | null): Promise<void> => {
    if (position === null) throw new Error('a write answers its position');
    const answers = await answered(moments.length, '', { 'X-Min-Position': position });
    moments.push({ position, answers });
  };

  before(async () => {
    app = await open();
    keys = keyRing(app);
    root = `/v2/projects/${await keys.project(`as of ${randomUUID()}`)}`;
    const constraints = { annotation_type: 'like_dislike' };
    const [first, second] = ['alpha', 'beta'].map((name) => ({ name }));
    const template = await call<Made>('POST', `${root}/annotation/templates`, {
      name: 'Helpful',
      constraints,
    });
    early = String(template.position);
    doomed = await made({ name: 'zz, deleted later' });
    experiments = [
      await made({ ...first }),
      await made({ ...second, experiment_group_name: 'prompts' }),
    ];
    const third = await call<Made>('POST', `${root}/experiments`, { name: 'gamma' });
    experiments = [...experiments, third.body.id];
    await remember(third.position);
    const [alpha = '', beta = '', gamma = ''] = experiments;
    const log = async (experiment_id: string, traces: readonly object[], more: object = {}) =>
      call<{ readonly trace_ids: readonly string[] }>('POST', `${root}/traces`, {
        experiment_id,
        traces,
        ...more,
      });
    const sent = await log(alpha, [traceWith(0.5), traceWith(0.25)]);
    await remember(sent.position);
    rated = sent.body.trace_ids;
    await remember((await log(beta, [traceWith(0.75)], { session_external_id: 's' })).position);
    await remember(
      (await log(gamma, [traceWith(0), traceWith(1, { is_complete: false })])).position,
    );
    const trace = rated[0];
    const rating = `${root}/annotation/templates/${template.body.id}/traces/${trace}/rating`;
    const given = { rating: { value: true, annotation_type: 'like_dislike' } };
    await remember((await call('PUT', rating, given)).position);
    await remember(
      (await call('PATCH', `${root}/traces/${trace}`, { metrics: { toxicity: 0.125 } })).position,
    );
    await remember((await call('DELETE', rating)).position);
    const renamed = { name: 'omega', experiment_group_name: 'prompts' };
    await remember((await call('PUT', `${root}/experiments/${alpha}`, renamed)).position);
    await remember((await call('POST', `${root}/experiments/${beta}/winner`, {})).position);
    const criteria = [{ metric: 'words', weight: 2, direction: 'higher' }];
    await remember(
      (await call('PUT', `${root}/experiments/ranking_criteria`, { criteria })).position,
    );
    await remember((await call('DELETE', `${root}/experiments/${beta}/winner`)).position);
    await remember((await log(alpha, [traceWith(0.5)])).position);
    await call('DELETE', `${root}/experiments/${doomed}`);
  });
  after(() => keys.close());

  it('are returned as they were then, by id and by search', async () => {
    const doomedThen = (answers: ReadonlyMap<string, unknown>) =>
      new Map([...answers].map(([asked, answer]) => [asked, withoutDoomed(answer)] as const));
    for (const [at, { position, answers }] of moments.entries()) {
      const then = await answered(at, `?as_of=${position}`);
      for (const [asked, answer] of doomedThen(answers)) {
        expect(then.get(asked), `moment ${at}: ${asked}`).to.deep.equal(answer);
      }
    }
    expect(moments.length).to.equal(12);
  });
  /** Deleted since, so it is not visible at any position. */
  const withoutDoomed = (answer: unknown): unknown => {
    const { experiments: listed } = (answer ?? {}) as {
      readonly experiments?: readonly ExperimentRecord[];
    };
    return listed === undefined
      ? answer
      : { ...(answer as object), experiments: listed.filter(({ id }) => id !== doomed) };
  };

  it('name the position they are as of, also for a date-time', async () => {
    const path = `${root}/experiments/${experiments[0]}`;
    const { position } = moments[1] ?? { position: '' };
    const reply = await send('GET', `${path}?as_of=${position}`);
    expect(reply.headers['x-projection-position']).to.equal(position);
    const latest = await send<ExperimentRecord>('GET', `${path}?as_of=2999-01-01`);
    expect(latest.body).to.deep.equal(moments.at(-1)?.answers.get(`GET ${path} undefined`));
    expect(
      String(latest.headers['x-projection-position']) >= (moments.at(-1)?.position ?? ''),
    ).to.equal(true);
  });

  it('are 404 before they existed and once they are deleted, and 422 after the head', async () => {
    const status = async (id: string | undefined, when: string) =>
      (await send('GET', `${root}/experiments/${id}?as_of=${when}`)).status;
    expect(await status(experiments[0], early)).to.equal(404);
    expect(await status(experiments[0], '2020-01-01')).to.equal(404);
    expect(await status(doomed, moments[0]?.position ?? '')).to.equal(404);
    for (const when of ['ffffffffffffffff', 'yesterday', '']) {
      const search = `${root}/experiments/search?as_of=${when}`;
      for (const reply of [
        await send('GET', `${root}/experiments/${experiments[0]}?as_of=${when}`),
        await send('POST', search, { body: {} }),
      ]) {
        expectInvalid(reply, ['query', 'as_of'], 'value_error');
      }
    }
  });

  // Last: it deletes what the others compare.
  it('do not count traces deleted since', async () => {
    const path = `${root}/experiments/${experiments[0]}?as_of=${moments[1]?.position}`;
    type Counted = Pick<ExperimentRecord, 'num_traces' | 'aggregate_metrics'>;
    const counted = async () => (await send<Counted>('GET', path)).body;
    expect(await counted()).to.include({ num_traces: 2 });
    const filters = [{ type: 'id', name: 'id', operator: 'eq', value: rated[0] }];
    const body = { experiment_id: experiments[0], filters };
    const gone = await call('POST', `${root}/traces/delete`, body);
    const headers = { 'X-Min-Position': String(gone.position) };
    await send('GET', `${root}/experiments/${experiments[0]}`, { headers });
    const left = await counted();
    expect(left).to.include({ num_traces: 1 });
    expect(left.aggregate_metrics).to.include({ average_toxicity: 0.25, total_responses: 1 });
  });

  // A service whose clock was two days ahead and is set right between two writes.
  it('include, as of a date-time, earlier events of a clock that was ahead', async () => {
    const { now } = Date;
    let path: string;
    let dataset: string;
    try {
      Date.now = () => now() + 2 * 86_400_000;
      root = `/v2/projects/${await keys.project(`ahead ${randomUUID()}`)}`;
      path = `${root}/experiments/${await made({ name: 'ahead' })}`;
      const parts = { name: `ahead ${randomUUID()}` };
      dataset = (await upload(app, { file: 'a\n1\n', parts })).body.id;
    } finally {
      Date.now = now;
    }
    await call('PUT', path, { name: 'right' });
    const name = `right ${randomUUID()}`;
    const renamed = await call('PATCH', `/v2/datasets/${dataset}`, { name });
    const then = new Date(now() + 1_000).toISOString();
    await send('GET', path, { headers: { 'X-Min-Position': String(renamed.position) } });
    const before = '2020-01-01';
    const read = (of: string, when: string) =>
      send<{ readonly name: string; readonly state: { readonly name: string } | null }>(
        'GET',
        `${of}=${when}`,
      );
    expect((await read(`${path}?as_of`, then)).body).to.include({ name: 'right' });
    expect((await read(`/v2/datasets/${dataset}?as_of`, then)).body).to.include({ name });
    expect((await read(`/v2/datasets/${dataset}/content?as_of`, then)).status).to.equal(200);
    const history = `/v2/history/dataset/${dataset}?at`;
    expect((await read(history, then)).body.state).to.include({ name });
    expect((await read(history, before)).body.state).to.equal(null);
    expect((await read(`/v2/datasets/${dataset}?as_of`, before)).status).to.equal(404);
    expect((await read(`${path}?as_of`, before)).status).to.equal(404);
  });
};
