import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { seededRandom } from '../../kernel/seeded-random.js';
import { databaseFileName } from '../../engines/duckdb/generation-files.js';
import { idleAwareClock } from '../support/idle-aware-clock.js';
import { temporaryFolder } from '../support/folder.js';
import { headOf, rawSockets } from '../support/raw-sockets.js';
import { uuid } from '../support/recorded-project.js';
import { drawSeed } from '../support/test-environment.js';
import { runs } from '../support/runs.js';
import { spawnService, startService } from '../support/service-process.js';
import { pollUntil } from '../support/poll-until.js';
import { newRun } from './kill-loop.js';
import { brokenPromises, openLedger } from './ledger.js';
import { runLoad, type UnexpectedAnswer } from './load.js';
import { observeLog } from './observed-state.js';

describe('a service that is stopped under load', function () {
  this.timeout(120_000 * runs(1));

  it('ends in order within 10 s and has all that it acknowledged', async () => {
    const folder = await temporaryFolder();
    const random = seededRandom(drawSeed('stops under load'));
    const ledger = openLedger();
    const surprises: UnexpectedAnswer[] = [];
    let service = await startService({ dir: folder.dir });
    const target = await newRun(service.client, 'stop');
    for (let round = 0; round < runs(1); round += 1) {
      if (round > 0) service = await startService({ dir: folder.dir });
      const { client } = service;
      let over = false;
      const shared = { client, ledger, random, target, surprises, over: () => over };
      const load = runLoad({ ...shared, workers: 32 });
      await pause(random.integer(50, 300));
      const stopping = idleAwareClock();
      const exit = await service.stop();
      over = true;
      await load;
      expect(exit, service.output()).to.deep.equal({ code: 0, signal: null });
      expect(stopping()).to.be.below(10_000);
    }
    const log = await observeLog(folder.dir, target.project);
    expect(log.problems).to.deep.equal([]);
    expect(brokenPromises(ledger, log.traces)).to.deep.equal([]);
    expect(surprises).to.deep.equal([]);
    await folder.remove();
  });
});

/** More than the buffers of a connection take, so that who does not read is waited for. */
const largeText = 'x'.repeat(1_000_000);

describe('a service that is stopped while clients read nothing', function () {
  it('ends in order within 10 s', async () => {
    const folder = await temporaryFolder();
    const service = await startService({ dir: folder.dir });
    const { client, apiKey, url } = service;
    const { root, run } = await newRun(client, 'idle');
    const spans = Array.from({ length: 9 }, () => ({ type: 'tool', input: largeText }));
    const traces = [{ id: uuid(1), input: 'long', spans }];
    await client.call('POST', `${root}/traces`, { body: { log_stream_id: run, traces } });
    const get = `${root}/traces/${uuid(1)}`;
    const isThere = async () => (await client.send('GET', get)).status === 200;
    await pollUntil('the trace can be read', 30_000, isThere);
    const sockets = rawSockets(Number(new URL(url).port));
    const begun = Array.from({ length: 40 }, async () => {
      const socket = await sockets.open(headOf(`GET ${get}`, { 'Service-API-Key': apiKey }));
      await once(socket, 'readable');
    });
    await Promise.any(begun);
    const stopping = idleAwareClock();
    const exit = await service.stop();
    const ms = stopping();
    sockets.close();
    expect(exit, service.output()).to.deep.equal({ code: 0, signal: null });
    expect(ms).to.be.below(10_000);
    await folder.remove();
  });
});

describe('a service that is stopped during a rebuild', function () {
  it('reports it, leaves the rebuild to be resumed and ends in order', async () => {
    const folder = await temporaryFolder();
    const service = await startService({ dir: folder.dir });
    const { root, run } = await newRun(service.client, 'large');
    for (let sent = 0; sent < 10; sent += 1) {
      const spans = Array.from({ length: 20 }, () => ({ type: 'tool', input: 'in' }));
      const traces = Array.from({ length: 50 }, () => ({ input: 'in', spans }));
      await service.client.call('POST', `${root}/traces`, {
        body: { log_stream_id: run, traces },
      });
    }
    const rebuilt = fetch(`${service.opsUrl}/operate/rebuild`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ name: 'records' }),
    });
    await pollUntil('the copy is begun', 10_000, async () =>
      (await readdir(folder.dir)).includes(databaseFileName(2)),
    );
    const stopping = idleAwareClock();
    const exit = await service.stop();
    expect(stopping()).to.be.below(10_000);
    expect(exit, service.output()).to.deep.equal({ code: 0, signal: null });
    expect(service.output()).to.contain('"msg":"stopping"');
    const lines = (await (await rebuilt).text()).trimEnd().split('\n');
    const last = JSON.parse(lines.at(-1) ?? '') as object;
    expect(last).to.include({ code: 'unavailable', detail: 'The service is stopping' });
    expect(await readdir(folder.dir)).to.include(databaseFileName(2));
    await folder.remove();
  });
});

describe('a second service on a folder', function () {
  this.timeout(120_000 * runs(1));

  it('is refused and names the folder, while the first goes on', async () => {
    const folder = await temporaryFolder();
    const first = await startService({ dir: folder.dir });
    for (let round = 0; round < runs(1); round += 1) {
      const refusal = await spawnService({ dir: folder.dir }).ready.then(
        () => 'it started',
        (error: unknown) => String(error),
      );
      expect(refusal).to.match(/ended with [1-9]\d* before it was ready/);
      expect(refusal).to.contain(folder.dir);
    }
    await first.client.call('GET', '/v2/healthcheck');
    await first.stop();
    await folder.remove();
  });
});
