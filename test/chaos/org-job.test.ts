import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { seededRandom, type SeededRandom } from '../../kernel/seeded-random.js';
import { filesContaining } from '../support/files-containing.js';
import { temporaryFolder } from '../support/folder.js';
import { drawSeed } from '../support/test-environment.js';
import { retryUntilAccepted } from '../support/retry-until-accepted.js';
import { runs } from '../support/runs.js';
import { runAssay, startService, type ServiceProcess } from '../support/service-process.js';
import { pollUntil } from '../support/poll-until.js';
import { newRun } from './kill-loop.js';

type Job = { readonly status: string; readonly result: unknown };

const requests = 10;
const tracesPerRequest = 150;
/** A start costs a second; kills at every single step are in test/command-api/org-jobs.test.ts. */
const kills = runs(1);
/** Latest kill after readiness: a few steps of the job. */
const killAfterMsMax = 120;

describe('a service that is killed while it deletes by metadata', function () {
  this.timeout(180_000 * runs(1));

  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  let service: ServiceProcess;
  let random: SeededRandom;
  before(async () => {
    random = seededRandom(drawSeed('kills during an org job'));
    folder = await temporaryFolder();
    service = await startService({ dir: folder.dir });
  });
  after(async () => {
    await service.kill();
    await folder.remove();
  });

  it(`deletes each record once, and leaves no byte of them (${kills} kills)`, async () => {
    const canary = `canary-${randomUUID()}`;
    const { root, run } = await newRun(service.client, 'people');
    for (let request = 0; request < requests; request += 1) {
      const traces = Array.from({ length: tracesPerRequest }, (_, number) => ({
        input: number === 0 ? 'kept' : `of ${canary}`,
        user_metadata: { user: number === 0 ? 'other' : 'fatal' },
        spans: [{ type: 'llm', input: `of ${canary}`.repeat(Math.sign(number)) }],
      }));
      await service.client.call('POST', `${root}/traces`, {
        body: { log_stream_id: run, traces },
      });
    }
    const { body } = await service.client.call<{ job_id: string }>(
      'POST',
      '/v2/org-jobs/delete-by-metadata',
      { body: { metadata_key: 'user', metadata_value: 'fatal' } },
    );
    for (let kill = 0; kill < kills; kill += 1) {
      await pause(random.next() * killAfterMsMax);
      await service.kill();
      service = await startService({ dir: folder.dir });
    }
    // Read models may be filled from the log after a kill: 503 until they are.
    const job = async (): Promise<Job> =>
      (
        await retryUntilAccepted(() =>
          service.client.send<Job>('GET', `/v2/org-jobs/${body.job_id}`),
        )
      ).body;
    await pollUntil('the job is over', 60_000, async () => (await job()).status === 'completed');
    const fatal = requests * (tracesPerRequest - 1);
    expect((await job()).result).to.deep.equal({
      projects: 1,
      sessions: 0,
      traces: fatal,
      spans: fatal,
    });
    const left = await retryUntilAccepted(() =>
      service.client.send<{ total_count: number }>('POST', `${root}/traces/count`),
    );
    expect(left.body.total_count).to.equal(requests);
    await pollUntil('every file has forgotten it', 60_000, async () => {
      const files = await filesContaining(folder.dir, canary);
      return files.length === 0;
    });
    expect(service.output()).not.to.include(canary);
  });

  it('has read models that equal a replay from scratch', async () => {
    await service.stop();
    const { code, output } = await runAssay(folder.dir, 'verify');
    expect(code, output).to.equal(0);
  });
});
