import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { seededRandom, type SeededRandom } from '../../kernel/seeded-random.js';
import { temporaryFolder } from '../support/folder.js';
import { drawSeed } from '../support/test-environment.js';
import { runs } from '../support/runs.js';
import { runAssay, startService, type ServiceProcess } from '../support/service-process.js';
import { pollUntil } from '../support/poll-until.js';
import { newRun } from './kill-loop.js';
import { observeLog } from './observed-state.js';

const requests = 10;
const tracesPerRequest = 50;
const killAfterMsMax = 150;

describe('a service that is killed while it deletes a project', function () {
  this.timeout(120_000 * runs(1));

  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  let service: ServiceProcess;
  let random: SeededRandom;

  before(async () => {
    random = seededRandom(drawSeed('kills during a deletion'));
    folder = await temporaryFolder();
    service = await startService({ dir: folder.dir });
  });
  after(async () => {
    await service.kill();
    await folder.remove();
  });

  const filled = async (name: string): Promise<{ readonly project: string; root: string }> => {
    const target = await newRun(service.client, name);
    for (let request = 0; request < requests; request += 1) {
      const traces = Array.from({ length: tracesPerRequest }, () => ({
        id: random.uuid(),
        spans: [{ type: 'tool', name: 'work', input: 'a secret of the project' }],
      }));
      const body = { log_stream_id: target.run, traces };
      await service.client.call('POST', `${target.root}/traces`, { body });
    }
    return target;
  };

  for (let round = 1; round <= runs(1); round += 1)
    it(`forgets all of it in the end, once it said so (kill ${round})`, async () => {
      const { project, root } = await filled(`fatal ${round}`);
      const keeper = await newRun(service.client, `kept ${round}`);
      const killAfterMs = random.next() * killAfterMsMax;
      const answer = service.client.send('DELETE', root).catch(() => null);
      await pause(killAfterMs);
      await service.kill();
      const acknowledged = (await answer)?.status === 200;

      service = await startService({ dir: folder.dir });
      const again = await service.client.send('DELETE', root);
      expect(again.status, `acknowledged: ${acknowledged}`).to.be.oneOf(
        acknowledged ? [404] : [200, 404],
      );
      expect((await service.client.send('GET', root)).status).to.equal(404);
      const searched = await service.client.send('POST', `${root}/traces/search`, { body: {} });
      expect(searched.status).to.equal(404);
      expect((await service.client.send('GET', keeper.root)).status).to.equal(200);
      await pollUntil('the log has no record of the project left', 10_000, async () => {
        const { traces } = await observeLog(folder.dir, project);
        return traces.size === 0;
      });
    });

  it('has read models that equal a replay from scratch', async () => {
    await service.stop();
    const { code, output } = await runAssay(folder.dir, 'verify');
    expect(code, output).to.equal(0);
  });
});
