import { spawnSync } from 'node:child_process';
import { cp, mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { BenchContext } from '../../bench/bench-context.js';
import type { ResultRow } from '../../bench/result-rows.js';
import { resultHash, summary } from '../../bench/statistics.js';
import { startService } from '../support/service-process.js';
import { program } from '../support/test-environment.js';

const parts = ['assay.js', 'threads', 'chunks', 'node_modules'];

/** Copies parts of the built program: hard links where the folder is on the same disk. */
const copyProgram = async (folder: string, copied: readonly string[]): Promise<void> => {
  await mkdir(folder);
  const paths = copied.map((part) => join(dirname(program), part));
  if (spawnSync('cp', ['-al', ...paths, folder]).status === 0) return;
  for (const part of copied) {
    await cp(join(dirname(program), part), join(folder, part), { recursive: true });
  }
};

/** Starts of two copies of the program in turns, one of them without the console. */
export const startDifferenceRow = async (bench: BenchContext, dir: string): Promise<ResultRow> => {
  const times = bench.smoke ? 1 : 20;
  bench.say(`console-start: ${times} starts with dist/web, and as many without`);
  const [withWeb, without] = [join(dir, 'with'), join(dir, 'without')];
  await copyProgram(withWeb, [...parts, 'web']);
  await copyProgram(without, parts);
  const startMs = async (folder: string): Promise<number> => {
    const service = await startService({
      dir: join(folder, 'data'),
      program: join(folder, 'assay.js'),
      env: { ASSAY_CONSOLE: 'on', ASSAY_BOOTSTRAP_PASSWORD: 'the password of the bench' },
    });
    await service.stop();
    return service.startMs;
  };
  // The first start fills the data folder and the compile cache.
  for (const folder of [withWeb, without]) await startMs(folder);
  const taken = new Map<string, number[]>([
    [withWeb, []],
    [without, []],
  ]);
  for (let turn = 0; turn < times; turn += 1) {
    for (const [folder, values] of taken) values.push(await startMs(folder));
  }
  const [built, bare] = [...taken.values()].map(summary);
  const medians = { with: built?.median ?? 0, without: bare?.median ?? 0 };
  return {
    name: 'console-start',
    what: 'difference of the medians of starts with and without dist/web',
    parameters: { starts: times },
    unit: 'ms',
    measured: { value: Math.abs(medians.with - medians.without), spread: 0, samples: times },
    baseline: null,
    target: { most: 10 },
    more: medians,
    hash: resultHash(null),
  };
};
