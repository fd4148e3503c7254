import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { startService } from '../test/support/service-process.js';
import { memoryOf, timeRuns, type BenchContext } from './bench-context.js';
import { figure, type ResultRow } from './result-rows.js';
import { resultHash, summary } from './statistics.js';

const run = promisify(execFile);

/** A service that has nothing to do yet. */
export const idleServiceRows = async (bench: BenchContext): Promise<readonly ResultRow[]> => {
  const times = bench.smoke ? 1 : 5;
  bench.say(`start-empty, memory-idle: ${times} starts`);
  const starts: number[] = [];
  const idle: number[] = [];
  const health: unknown[] = [];
  for (let at = 0; at < times; at += 1) {
    const service = await startService({ dir: join(bench.dir, `empty-${at}`) });
    starts.push(service.startMs);
    await pause(bench.smoke ? 0 : 2_000);
    idle.push(memoryOf(service.pid).now);
    health.push((await service.client.call('GET', '/v2/healthcheck')).body);
    await service.stop();
  }
  const bare = await timeRuns(times, () => run(process.execPath, ['-e', '0']));
  const hash = resultHash(health);
  return [
    {
      name: 'start-empty',
      what: 'from spawn to ready on an empty folder',
      parameters: { starts: times },
      unit: 'ms',
      measured: figure(summary(starts)),
      baseline: { what: 'node that starts, does nothing and ends', ...figure(summary(bare)) },
      target: { most: 1_000 },
      more: { slowest: Math.max(...starts) },
      hash,
    },
    {
      name: 'memory-idle',
      what: 'resident, 2 s after it is ready',
      parameters: { starts: times },
      unit: 'MB',
      measured: figure(summary(idle)),
      baseline: { what: 'node that waits', ...figure(summary([await bareMemory()])) },
      target: { most: 250 },
      more: {},
      hash,
    },
  ];
};

const bareMemory = async (): Promise<number> => {
  const script = 'process.stdout.write(".");setTimeout(()=>{},60000)';
  const child = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'ignore'] });
  await once(child.stdout, 'data');
  const { now } = memoryOf(child.pid ?? 0);
  child.kill('SIGKILL');
  return now;
};
