import { expect } from 'chai';
import { setTimeout as pause } from 'node:timers/promises';
import { opsCaller } from '../../cli/ops-client.js';
import { sealCommand, type SealResult } from '../../ledger/sealing.js';
import { idleAwareClock } from '../support/idle-aware-clock.js';
import { clientOf, type Reply } from '../support/client.js';
import { describeRealRuns, flat, realRuns, type RealRun } from '../support/real-runs.js';
import { runAssay } from '../support/service-process.js';
import {
  describeDistributed,
  startDistributedService,
  type DistributedService,
  type ProcessRole,
} from '../support/distributed-service.js';
import { otelRequest, otelSpan } from '../support/otlp.js';
import { pollUntil } from '../support/poll-until.js';

const tracesPerRequest = 4;

/** Sends again until a process answers with success: every write here may be repeated. */
const insist = async <T>(work: () => Promise<Reply<T>>): Promise<Reply<T>> => {
  for (let attempt = 0; attempt < 300; attempt += 1) {
    try {
      const reply = await work();
      if (reply.status < 300) return reply;
      expect(reply.status, JSON.stringify(reply.body)).to.be.oneOf([503, 409]);
    } catch (error) {
      if ((error as { code?: string }).code === undefined) throw error;
    }
    await pause(50);
  }
  throw new Error('no process took it');
};

const title = 'the service on EventStoreDB, MongoDB and NATS, a process for each role';

describeDistributed(title, describeRealRuns, function () {
  this.timeout(240_000);
  let spread: DistributedService;
  let root = '';
  let run = '';
  let runs: readonly RealRun[] = [];
  const command = () => spread.of('command').client;
  const query = () => spread.of('query').client;
  const average = async (min: string | null) => {
    const body = {
      start_time: '2024-05-20T00:00:00Z',
      end_time: '2024-05-21T00:00:00Z',
      log_stream_id: run,
      metric_details: [{ id: 'average', metric_name: 'reward', aggregation: 'Average' }],
    };
    const headers = min === null ? {} : { 'X-Min-Position': min };
    const reply = await insist(() =>
      query().send<{ aggregate_metrics: Record<string, number> }>(
        'POST',
        `${root}/metrics/custom_search`,
        { body, headers },
      ),
    );
    return reply.body.aggregate_metrics;
  };

  before(async () => {
    runs = realRuns();
    spread = await startDistributedService();
    const project = await command().call<{ id: string }>('POST', '/v2/projects', {
      body: { name: 'airline' },
    });
    root = `/v2/projects/${project.body.id}`;
    const made = await command().call<{ id: string }>('POST', `${root}/log_streams`, {
      body: { name: 'gpt-4o' },
    });
    run = made.body.id;
  });
  after(async () => {
    await spread?.stop();
  });

  it('records the real runs while each process is killed once: none lost, none twice', async () => {
    const batches = Array.from({ length: Math.ceil(runs.length / tracesPerRequest) }, (_, index) =>
      runs.slice(index * tracesPerRequest, (index + 1) * tracesPerRequest),
    );
    const victims: readonly ProcessRole[] = [
      'command',
      'projections',
      'query',
      'worker',
      'standby',
    ];
    let newest: string | null = null;
    for (const [index, traces] of batches.entries()) {
      const victim = index % 10 === 5 ? victims[Math.floor(index / 10)] : undefined;
      const sent = insist(() =>
        command().send('POST', `${root}/traces`, { body: { log_stream_id: run, traces } }),
      );
      if (victim !== undefined) await spread.restart(victim);
      const { position } = await sent;
      if (newest === null || (position ?? '') > newest) newest = position;
    }
    const answer = await average(newest);
    expect(answer['average']).to.be.closeTo(0.42, 1e-12);
    expect(answer['requests_count']).to.equal(200);
    expect(answer['span_count']).to.equal(runs.flatMap(({ spans }) => flat(spans)).length);
  });

  it('answers a read at the position of a write with that write, across processes', async () => {
    for (let count = 0; count < 25; count += 1) {
      const name = `stream ${count}`;
      const made = await command().call<{ id: string }>('POST', `${root}/log_streams`, {
        body: { name },
      });
      const headers = { 'X-Min-Position': made.position ?? '' };
      const path = `${root}/log_streams/${made.body.id}`;
      const read = () => query().send<{ name: string }>('GET', path, { headers });
      // On a busy machine it may have to come again; what it must never be is older.
      let answer = await read();
      await pollUntil('an answer', 20_000, async () => {
        if (answer.status === 503) answer = await read();
        return answer.status !== 503;
      });
      expect([answer.status, answer.body.name]).to.deep.equal([200, name]);
    }
  });

  it('records an export that exceeds one append whole or not at all', async () => {
    const large = { 'gen_ai.operation.name': 'chat', notes: 'n'.repeat(600_000) };
    const spans = [3, 2].map((id) => otelSpan({ id, parent: 1, attributes: large }));
    const body = otelRequest([...spans, otelSpan({ id: 1, attributes: large })]);
    const headers = { project: 'exported' };
    const exported = () => command().send('POST', '/v2/otel/v1/traces', { body, headers });
    await Promise.all([insist(exported), insist(exported)]);
    const again = await insist(exported);
    expect(again.body).to.deep.equal({});
    const reading = { headers: { 'X-Min-Position': again.position ?? '' } };
    const projects = () => query().send<{ id: string; name: string }[]>('GET', '/v2/projects');
    const project = (await insist(projects)).body.find(({ name }) => name === 'exported')?.id ?? '';
    const at = `/v2/projects/${project}/traces`;
    const search = () =>
      query().send<{ records: { id: string }[] }>('POST', `${at}/search`, reading);
    const [found, ...others] = (await insist(search)).body.records;
    expect(others).to.deep.equal([]);
    const read = () =>
      query().send<{ is_complete: boolean; spans: { type: string }[]; otel: object[] }>(
        'GET',
        `${at}/${found?.id ?? ''}?otel=true`,
        reading,
      );
    const trace = (await insist(read)).body;
    expect(trace.is_complete).to.equal(true);
    expect(trace.spans.map(({ type }) => type)).to.deep.equal(['llm']);
    expect(JSON.stringify(trace.otel).match(/"spanId"/g)).to.have.length(3);
  });

  it('refuses a revoked key in every process within a second', async () => {
    const made = await command().call<{ id: string; api_key: string }>(
      'POST',
      '/v2/users/api_keys',
      { body: { description: 'short-lived' } },
    );
    const clients = (['command', 'query'] as const).map((role) =>
      clientOf({ url: spread.of(role).url, apiKey: made.body.api_key }),
    );
    const statuses = () =>
      Promise.all(clients.map(async (client) => (await client.send('GET', '/v2/projects')).status));
    expect(await statuses()).not.to.include(401);
    await command().call('DELETE', `/v2/users/api_keys/${made.body.id}`);
    await pollUntil('both refuse the key', 1_000, async () =>
      (await statuses()).every((status) => status === 401),
    );
    for (const client of clients) client.close();
  });

  it('resumes folding within ten seconds of the death of the process that did', async () => {
    const folding = await foldingRole(spread);
    await spread.kill(folding);
    const made = await command().call<{ id: string }>('POST', `${root}/log_streams`, {
      body: { name: 'after the death' },
    });
    await pollUntil('the standby folds', 10_000, async () => {
      const path = `${root}/log_streams/${made.body.id}`;
      const headers = { 'X-Min-Position': made.position ?? '' };
      return (await query().send('GET', path, { headers })).status === 200;
    });
    await spread.restart(folding);
  });

  it('seals what it recorded, in the process that works, from the log that all share', async () => {
    const { sealed, refused } = (await opsCaller(spread.of('worker').opsUrl, {
      opsToken: null,
    })(sealCommand, {})) as SealResult;
    expect(refused).to.deep.equal([]);
    expect(sealed).to.be.at.least(1);
    await pollUntil('the key of the seal', 30_000, async () => {
      const answer = await fetch(`${spread.of('query').url}/v2/history/keys`);
      return ((await answer.json()) as { keys: readonly object[] }).keys.length === 1;
    });
  });
  it('says in its readiness that MongoDB is a lone server', async () => {
    const answer = await fetch(`${spread.of('query').opsUrl}/readyz`);
    const { read_models } = (await answer.json()) as { read_models: { caution: string } };
    expect(read_models.caution).to.contain('lone server');
  });

  it('refers an operator at the wrong process to the right one', async () => {
    const { code, output } = await runAssay('', 'verify', '--ops', spread.of('query').opsUrl);
    expect([code, output]).to.deep.equal([
      1,
      'assay: another process plays the role projections; send the command to that process\n',
    ]);
  });

  it('says which process has the role that a request needs', async () => {
    const reply = await query().send<{ detail: string }>('POST', '/v2/projects', {
      body: { name: 'lost' },
    });
    expect(reply.status).to.equal(503);
    expect(reply.body.detail).to.contain('role command');
  });

  it('answers the same without NATS', async () => {
    await spread.engines.nats.kill();
    await pollUntil('readiness says so', 5_000, async () => {
      const answer = await fetch(`${spread.of('query').opsUrl}/readyz`);
      return !((await answer.json()) as { bus: { connected: boolean } }).bus.connected;
    });
    const made = await command().call<{ id: string }>('POST', `${root}/log_streams`, {
      body: { name: 'without hints' },
    });
    const headers = { 'X-Min-Position': made.position ?? '' };
    const path = `${root}/log_streams/${made.body.id}`;
    expect((await query().send('GET', path, { headers })).status).to.equal(200);
    expect((await average(made.position))['average']).to.be.closeTo(0.42, 1e-12);
    await spread.engines.nats.restart();
  });

  it('answers 503 with Retry-After while the log is down, recovers by itself', async () => {
    await spread.engines.eventstore.kill();
    const write = () =>
      command().send('POST', `${root}/log_streams`, { body: { name: 'while the log is away' } });
    await refused('a write', write);
    await refused('a read', () => query().send('GET', `${root}/log_streams`));
    expect(await readyz(spread, 'command')).to.equal(503);
    await spread.engines.eventstore.restart();
    await pollUntil('writes again', 15_000, async () => (await write()).status === 200);
    await pollUntil('ready again', 15_000, async () => (await readyz(spread, 'command')) === 200);
    await pollUntil('reads again', 15_000, async () => {
      return (await query().send('GET', `${root}/log_streams`)).status === 200;
    });
  });

  it('answers 503 with Retry-After while read models are down, and recovers', async () => {
    await spread.engines.mongo.kill();
    await refused('a read', () => query().send('GET', `${root}/log_streams`));
    for (const role of ['query', 'projections', 'standby'] as const) {
      await pollUntil(`${role} is red`, 20_000, async () => (await readyz(spread, role)) === 503);
    }
    const written = await command().send('POST', `${root}/log_streams`, {
      body: { name: 'while the read models are away' },
    });
    expect(written.status, 'the log takes writes all the same').to.equal(200);
    await spread.engines.mongo.restart();
    const headers = { 'X-Min-Position': written.position ?? '' };
    await pollUntil('the write is read', 30_000, async () => {
      const reply = await query().send('GET', `${root}/log_streams`, { headers });
      return reply.status === 200;
    });
    expect((await average(written.position))['average']).to.be.closeTo(0.42, 1e-12);
  });

  it('ends with what it recorded, and read models that equal their replay', async () => {
    expect((await average(null))['requests_count']).to.equal(200);
    let said = '';
    // The lease may pass to the other one while the first one is asked, and amid its work.
    await pollUntil('the folding process verifies', 60_000, async () => {
      const ops = await foldingOps(spread);
      const { code, output } = await runAssay('', 'verify', '--json', '--ops', ops);
      said = output;
      return code === 0 || !output.includes('another process has the lease');
    });
    expect(said).to.match(/^\{.*"equal": ?true/s);
  });
});

/** Longest that a request to a dead engine may take: never a hang. */
const answeredWithinMs = 8_000;

const refused = async (what: string, ask: () => Promise<Reply<unknown>>): Promise<void> => {
  const waited = idleAwareClock();
  const reply = await ask();
  expect(waited(), what).to.be.below(answeredWithinMs);
  expect([reply.status, reply.headers['retry-after'] !== undefined], what).to.deep.equal([
    503,
    true,
  ]);
};

const readyz = async (spread: DistributedService, role: ProcessRole): Promise<number> =>
  (await fetch(`${spread.of(role).opsUrl}/readyz`)).status;

/** Waits: between two holders of the lease nobody folds for a moment. */
const foldingRole = async (spread: DistributedService): Promise<ProcessRole> => {
  let found: ProcessRole | null = null;
  await pollUntil('somebody folds', 20_000, async () => {
    for (const role of ['projections', 'standby'] as const) {
      const answer = await fetch(`${spread.of(role).opsUrl}/readyz`);
      if (((await answer.json()) as { duty: string }).duty === 'folding') found = role;
    }
    return found !== null;
  });
  return found ?? 'projections';
};
const foldingOps = async (spread: DistributedService): Promise<string> =>
  spread.of(await foldingRole(spread)).opsUrl;
