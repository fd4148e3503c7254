import { execFileSync } from 'node:child_process';
import { chmod, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { readConfig } from '../../config.js';
import { openReadOnlyLog } from '../../service/log-reader.js';
import { scorerTaskStream } from '../../command-api/facts/scorer-tasks.js';
import { seededRandom } from '../../kernel/seeded-random.js';
import { temporaryFolder } from '../support/folder.js';
import { formRequest } from '../support/multipart-forms.js';
import { drawSeed } from '../support/test-environment.js';
import { runs } from '../support/runs.js';
import { testCache, waits } from '../support/sandboxes.js';
import { startService, type ServiceProcess } from '../support/service-process.js';
import { pollUntil } from '../support/poll-until.js';
import {
  scorerParts,
  validatePath,
  type RequestedTask,
  type Task,
} from '../support/scorer-validations.js';

const slow = `def scorer_fn(**k) -> int:\n    ${waits(200)}\n    return 1\n`;
const tasksEachTime = 3;

describe('a worker that is killed at random', function () {
  this.timeout(120_000 * runs(1));

  it('ends every validation exactly once, and leaves no process behind', async () => {
    const random = seededRandom(drawSeed('kills of the worker')).next;
    const folder = await temporaryFolder();
    const ways = await temporaryFolder();
    // A way of its own to what all tests share tells its processes from theirs.
    await chmod(ways.dir, 0o755);
    await symlink(tmpdir(), join(ways.dir, 'way'));
    const sandboxes = join(ways.dir, 'way', basename(testCache));
    const start = (): Promise<ServiceProcess> =>
      startService({
        dir: folder.dir,
        env: { ASSAY_SANDBOX: 'strict', ASSAY_SANDBOX_DIR: sandboxes },
      });
    const tasks: string[] = [];
    try {
      let service = await start();
      for (let kill = 0; kill < runs(1); kill += 1) {
        for (let more = 0; more < tasksEachTime; more += 1) {
          const asked = await service.client.send<RequestedTask>(
            'POST',
            validatePath,
            formRequest(scorerParts(slow)),
          );
          // The queue may be full: then those in it are enough.
          if (asked.status === 200) tasks.push(asked.body.task_id);
          else expect(asked.status).to.equal(429);
        }
        await pause(200 + random() * 2_000);
        await service.kill();
        service = await start();
      }
      const statuses = new Map<string, string>();
      await pollUntil('every task has ended', 100_000, async () => {
        for (const task of tasks.filter((one) => !statuses.has(one))) {
          const { body } = await service.client.call<Task>('GET', `${validatePath}/${task}`);
          if (body.status !== 'pending') statuses.set(task, body.status);
        }
        return statuses.size === tasks.length;
      });
      await service.stop();
      const log = await openReadOnlyLog(readConfig({ ASSAY_DATA_DIR: folder.dir }));
      for (const task of tasks) {
        const types = (await log.reader.read(scorerTaskStream(task))).map(({ type }) => type);
        const ends = types.filter((type) => /Completed$|Failed$/.test(type));
        expect(ends, `${task}: ${types.join()}`).to.have.length(1);
        expect(types.at(-1)).to.equal(ends[0]);
        const starts = types.filter((type) => type === 'ScorerValidationStarted').length;
        expect(starts, types.join()).to.be.at.most(3);
      }
      await log.close();
      await pollUntil('no process is left', 30_000, async () => {
        const all = execFileSync('ps', ['-e', '-o', 'stat=,args='], { encoding: 'utf8' });
        const left = all
          .split('\n')
          .filter((line) => line.includes(`${sandboxes}/`) && !line.trim().startsWith('Z'));
        return left.length === 0;
      });
    } finally {
      await folder.remove();
      await ways.remove();
    }
  });
});
