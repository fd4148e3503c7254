import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { seeded } from '../../cli/demo/seeded.js';
import { temporaryFolder } from '../support/folder.js';
import { drawSeed } from '../support/outside.js';
import { runs } from '../support/runs.js';
import { spawnService, startService } from '../support/service-process.js';
import { newRun } from './kill.js';
import { broken, openLedger } from './ledger.js';
import { hammer, type Surprise } from './load.js';
import { seenInLog } from './witness.js';

describe('a service that is asked to stop under load', function () {
  this.timeout(60_000 * runs(1));

  it('ends in order within 10 s and has all that it acknowledged', async () => {
    const folder = await temporaryFolder();
    const random = seeded(drawSeed('stops under load'));
    const ledger = openLedger();
    const surprises: Surprise[] = [];
    let service = await startService({ dir: folder.dir });
    const target = await newRun(service.client, 'stop');
    for (let round = 0; round < runs(3); round += 1) {
      const { client } = service;
      let over = false;
      const shared = { client, ledger, random, target, surprises, over: () => over };
      const load = hammer({ ...shared, workers: 32 });
      await pause(random.integer(50, 300));
      const asked = performance.now();
      const exit = await service.stop();
      over = true;
      await load;
      expect(exit, service.output()).to.deep.equal({ code: 0, signal: null });
      expect(performance.now() - asked).to.be.below(10_000);
      service = await startService({ dir: folder.dir });
    }
    await service.stop();
    const log = await seenInLog(folder.dir, target.project);
    expect(log.problems).to.deep.equal([]);
    expect(broken(ledger, log.traces)).to.deep.equal([]);
    expect(surprises).to.deep.equal([]);
    await folder.remove();
  });
});

describe('a second service on a folder', function () {
  this.timeout(60_000 * runs(1));

  it('is refused and names the folder, while the first goes on', async () => {
    const folder = await temporaryFolder();
    const first = await startService({ dir: folder.dir });
    for (let round = 0; round < runs(3); round += 1) {
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
