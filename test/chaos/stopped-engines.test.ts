import { expect } from 'chai';
import { idleAwareClock } from '../support/idle-aware-clock.js';
import type { Reply } from '../support/client.js';
import {
  describeDistributed,
  startDistributedService,
  type DistributedService,
  type ProcessRole,
} from '../support/distributed-service.js';
import { pollUntil } from '../support/poll-until.js';

/** The latest report by `/readyz`, whatever the engines do. */
const knownWithinMs = 1_000;
/** The longest that a read waits for a stopped engine. */
const refusedWithinMs = 3_000;
const askers = ['command', 'query', 'projections', 'worker'] as const;
type Ready = { readonly status: string; readonly read_models: { readonly cause: string | null } };

describeDistributed('a service whose engines stop and are not gone', describe, function () {
  this.timeout(240_000);
  let spread: DistributedService;
  let root = '';
  before(async () => {
    spread = await startDistributedService({ env: { ASSAY_LAG_MAX: '5s' }, hasStandby: false });
    const made = await spread
      .of('command')
      .client.send<{ id: string }>('POST', '/v2/projects', { body: { name: 'asleep' } });
    root = `/v2/projects/${made.body.id}`;
    await pollUntil('the first read', 30_000, async () => (await read()).status === 200);
  });
  after(() => spread.stop());

  const read = (headers: Readonly<Record<string, string>> = {}): Promise<Reply<unknown>> =>
    spread.of('query').client.send('GET', `${root}/log_streams`, { headers });
  /** Readiness, which is immediate and beside a green `/healthz`. */
  const ready = async (role: ProcessRole): Promise<Ready> => {
    const { opsUrl } = spread.of(role);
    const waited = idleAwareClock();
    const [answer, health] = await Promise.all([
      fetch(`${opsUrl}/readyz`),
      fetch(`${opsUrl}/healthz`),
    ]);
    const told = (await answer.json()) as Ready;
    expect(waited(), `${role} answers`).to.be.below(knownWithinMs);
    expect(health.status).to.equal(200);
    expect(answer.status).to.equal(told.status === 'ready' ? 200 : 503);
    return told;
  };
  const refused = async (what: string, ask: () => Promise<Reply<unknown>>): Promise<void> => {
    const waited = idleAwareClock();
    const reply = await ask();
    expect(waited(), what).to.be.below(refusedWithinMs);
    expect(reply.status, what).to.equal(503);
    expect(reply.headers['retry-after'], what).not.to.equal(undefined);
  };
  const wellAgain = async (): Promise<void> => {
    await pollUntil('reads again', 20_000, async () => (await read()).status === 200);
    for (const role of askers) {
      await pollUntil(
        `${role} is green`,
        20_000,
        async () => (await ready(role)).status === 'ready',
      );
    }
  };

  it('refuses reads within 3 s while MongoDB is stopped, and reports it within 1 s', async () => {
    await wellAgain();
    spread.engines.mongo.signal('SIGSTOP');
    try {
      await Promise.all([1, 2, 3].map(() => refused('a read', () => read())));
      for (const role of askers) await ready(role);
      const { status, read_models: models } = await ready('query');
      expect(status).to.equal('not_ready');
      expect(models.cause).to.match(/did not answer within|does not answer/);
      await refused('a later read', () => read());
    } finally {
      spread.engines.mongo.signal('SIGCONT');
    }
    await wellAgain();
  });

  it('does likewise while EventStoreDB is stopped', async () => {
    await wellAgain();
    spread.engines.eventstore.signal('SIGSTOP');
    try {
      await refused('a read', () => read());
      // Each role has a pulse of its own, and met the silence when its own beat came.
      for (const role of askers) {
        await pollUntil(
          `${role} is red`,
          5_000,
          async () => (await ready(role)).status !== 'ready',
        );
      }
    } finally {
      spread.engines.eventstore.signal('SIGCONT');
    }
    await wellAgain();
  });

  it('goes on without NATS, stopped or not', async () => {
    await wellAgain();
    spread.engines.nats.signal('SIGSTOP');
    try {
      for (const role of askers) expect((await ready(role)).status).to.equal('ready');
      expect((await read()).status).to.equal(200);
    } finally {
      spread.engines.nats.signal('SIGCONT');
    }
  });

  it('is not ready while its read models lag too far: no process folds', async () => {
    await wellAgain();
    await spread.kill('projections');
    const body = { name: 'nobody folds this' };
    const path = `${root}/log_streams`;
    const written = await spread.of('command').client.send('POST', path, { body });
    expect(written.status).to.equal(200);
    const old = await read();
    expect(old.status).to.equal(200);
    expect(JSON.stringify(old.body)).not.to.include(body.name);
    expect((await read({ 'X-Min-Position': written.position ?? '' })).status).to.equal(503);
    await pollUntil('red', 20_000, async () => (await ready('query')).status === 'not_ready');
    const { read_models: models } = await ready('query');
    expect(models.cause).to.match(/ is \d+ s behind the log, more than ASSAY_LAG_MAX \(5 s\)$/);
    expect((await ready('command')).status, 'it answers no reads').to.equal('ready');
    await spread.restart('projections');
    await wellAgain();
  });
});
